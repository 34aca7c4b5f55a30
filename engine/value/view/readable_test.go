package view_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/engine/value/view"
)

func TestRecipesAreReadAsSteps(t *testing.T) {
	file := value.Media{Kind: "video", MIME: "video/mp4", Path: "a.mp4"}
	made := value.Media{Kind: "video", Recipe: `{"facts":{"duration":2,"width":4,"height":2},"steps":[{"op":"trim"}]}`}
	const steps = "2 s · 4 × 2 · trim"
	told := map[string]any{"kind": "video", "mime": "", "recipe": map[string]any{"steps": []any{map[string]any{"op": "crop"}}}}
	v := map[string]any{"n": 1, "list": []any{file, made}, "overlay": map[string]any{"source": made, "x": 1}, "told": told}
	require.Equal(t, map[string]any{"n": 1, "list": []any{file, steps}, "overlay": map[string]any{"source": steps, "x": 1}, "told": "crop"}, view.Readable(v))
	require.Equal(t, made, v["list"].([]any)[1], "values are not changed")
	require.Equal(t, steps, view.Readable(made))
	require.Equal(t, []any{file, "text", nil}, view.Readable([]any{file, "text", nil}))
}
