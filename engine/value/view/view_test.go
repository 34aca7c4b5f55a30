package view_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/engine/value/view"
)

// TestVectors holds this package to the vectors that the run page's JavaScript is held to
// as well.
func TestVectors(t *testing.T) {
	text, err := os.ReadFile("testdata/vectors.json")
	require.NoError(t, err)
	var vectors []struct {
		Value   any       `json:"value"`
		Kind    view.Kind `json:"kind"`
		Columns []string  `json:"columns"`
		View    view.View `json:"view"`
	}
	require.NoError(t, json.Unmarshal(text, &vectors))
	require.NotEmpty(t, vectors)
	for _, v := range vectors {
		require.Equal(t, v.View, view.Of(v.Value, view.Wish{Kind: v.Kind, Columns: v.Columns}), "%v as %s", v.Value, v.Kind)
	}
}

func TestViewsAreBounded(t *testing.T) {
	d := view.Of(strings.Repeat("ü", 1<<20), view.Wish{})
	require.True(t, d.Cut)
	require.LessOrEqual(t, len(d.Text), 1<<20)
	d = view.Of([]any{strings.Repeat("x", 2<<20)}, view.Wish{})
	require.True(t, d.Cut)
	deep := any(make([]any, 100_000))
	for range 900 {
		deep = []any{deep}
	}
	d = view.Of(deep, view.Wish{})
	require.False(t, d.Cut)
	require.Len(t, d.Text, 2*900+len("null,")*100_000+1, "not indented")
	table := view.Wish{Kind: view.Table}
	d = view.Of([]any{map[string]any{"a": strings.Repeat("ü", 1000), "b": make([]any, 1000), "c": "c"}}, table)
	require.True(t, d.Cut)
	require.Equal(t, [][]string{{strings.Repeat("ü", 500) + "…", "…", "c"}}, d.Rows)
	d = view.Of(make([]any, 5000), table)
	require.True(t, d.Cut)
	require.Len(t, d.Rows, 1000)
}

func TestPicturesAreInert(t *testing.T) {
	picture := view.Wish{Kind: view.Picture}
	require.Equal(t, value.Media{Kind: "image", Path: "a.png"}, view.Of("a.png", picture).Picture)
	for _, source := range []any{"javascript:alert(1)", "data:text/html,<script>", "data:image/svg+xml,<svg/>", 7, nil} {
		require.NotEqual(t, view.Picture, view.Of(source, picture).Kind, "%v", source)
	}
}
