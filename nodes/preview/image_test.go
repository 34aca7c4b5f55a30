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
