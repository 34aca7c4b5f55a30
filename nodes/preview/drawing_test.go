package preview_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/nodes/nodetest"
	"github.com/svcflow/svc/nodes/preview"
)

func TestImageSources(t *testing.T) {
	h := nodetest.New(t, preview.Plugin())
	for _, source := range []any{
		"photos/ada.png", `C:\ada.png`, "100%.png", "a b: c.png", "7:3.png", "HTTPS://EXAMPLE.com/ada.png", "https://example.com/ada.png", "data:image/png;base64,AAAA",
		value.Media{Kind: "image", MIME: "image/webp", Path: "a.webp"},
		map[string]any{"kind": "image", "mime": "image/gif", "url": "https://example.com/a.gif"},
	} {
		out, err := h.Exec("preview.image", nil, map[string]any{"source": source})
		require.NoError(t, err, "%v", source)
		require.Equal(t, source, out["source"])
	}
	for _, source := range []any{
		nil, "", 7,
		[]any{},
		"javascript:alert(1)", "javascript:%zz", "https://a b/ada.png", "https:///ada.png", "http:ada.png", "file:///etc/passwd", "data:text/html,<script>", "data:image/svg+xml,<svg/>",
		"data:image/png", strings.Repeat("x", 11<<20),
		map[string]any{"kind": "image"},
		value.Media{Kind: "audio", MIME: "audio/ogg", Path: "a.ogg"},
		value.Media{Kind: "image", MIME: "image/svg+xml", Path: "a.svg"},
	} {
		_, err := h.Exec("preview.image", nil, map[string]any{"source": source})
		require.Equal(t, node.CodeInvalidInput, node.CodeOf(err), "%.40v", source)
	}
}

func TestDraw(t *testing.T) {
	draw := func(typ string, inputs map[string]any) preview.Drawing {
		d, ok := preview.Draw(typ, inputs)
		require.True(t, ok)
		return d
	}
	require.Equal(t, preview.Drawing{Kind: preview.KindText, Text: "hi"}, draw("preview.view", map[string]any{"value": "hi", "as": "auto"}))
	require.Equal(t, preview.Drawing{Kind: preview.KindJSON, Text: "{\n  \"a\": 1\n}"}, draw("preview.view", map[string]any{"value": map[string]any{"a": 1}}))
	require.Equal(t, preview.Drawing{Kind: preview.KindJSON, Text: `"hi"`}, draw("preview.view", map[string]any{"value": "hi", "as": "json"}))
	script := "# x\n<script>alert(1)</script>"
	require.Equal(t, preview.Drawing{Kind: preview.KindMarkdown, Text: script}, draw("preview.view", map[string]any{"value": script, "as": "markdown"}))
	require.Equal(t, preview.Drawing{Kind: preview.KindImage, Image: value.Media{Kind: "image", Path: "a.png"}}, draw("preview.image", map[string]any{"source": "a.png"}))
	_, ok := preview.Draw("text.split", nil)
	require.False(t, ok)
}

func TestDrawTable(t *testing.T) {
	rows := []any{map[string]any{"name": "Ada", "born": 1815}, map[string]any{"name": nil, "tags": []any{"x"}}}
	d, _ := preview.Draw("preview.table", map[string]any{"rows": rows})
	require.Equal(t, preview.Drawing{
		Kind: preview.KindTable, Columns: []string{"born", "name", "tags"},
		Rows: [][]string{{"1815", "Ada", ""}, {"", "", `["x"]`}},
	}, d)
	d, _ = preview.Draw("preview.table", map[string]any{"rows": rows, "columns": []any{"name", "none"}})
	require.Equal(t, [][]string{{"Ada", ""}, {"", ""}}, d.Rows)
}

func TestDrawingsAreBounded(t *testing.T) {
	d, _ := preview.Draw("preview.view", map[string]any{"value": strings.Repeat("ü", 1<<20)})
	require.True(t, d.Cut)
	require.LessOrEqual(t, len(d.Text), 1<<20)
	d, _ = preview.Draw("preview.view", map[string]any{"value": []any{strings.Repeat("x", 2<<20)}})
	require.True(t, d.Cut)
	deep := any(make([]any, 100_000))
	for range 900 {
		deep = []any{deep}
	}
	d, _ = preview.Draw("preview.view", map[string]any{"value": deep})
	require.False(t, d.Cut)
	require.Len(t, d.Text, 2*900+len("null,")*100_000+1, "not indented")
	d, _ = preview.Draw("preview.table", map[string]any{"rows": []any{map[string]any{"a": strings.Repeat("ü", 1000), "b": make([]any, 1000), "c": "c"}}})
	require.True(t, d.Cut)
	require.Equal(t, [][]string{{strings.Repeat("ü", 500) + "…", "…", "c"}}, d.Rows)
	d, _ = preview.Draw("preview.table", map[string]any{"rows": make([]any, 5000)})
	require.True(t, d.Cut)
	require.Len(t, d.Rows, 1000)
}
