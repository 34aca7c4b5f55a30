package ionode_test

import (
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

func TestAFileIsTheBodyOfARequest(t *testing.T) {
	const picture = "\x89PNG\r\n\x00\xff"
	for name, tt := range map[string]struct {
		file any
		more record
		typ  string
		code string
	}{
		"path":            {"up/shot.png", record{}, "image/png", ""},
		"path of no type": {"blob", record{}, "application/octet-stream", ""},
		"media":           {value.Media{Kind: "image", MIME: "image/x-shot", Path: "up/shot.png"}, record{}, "image/x-shot", ""},
		"uploaded file":   {record{"kind": "file", "mime": "text/x-a", "path": "blob", "field": "f", "filename": "a"}, record{}, "text/x-a", ""},
		"header":          {"blob", record{"headers": record{"Content-Type": "image/webp"}}, "image/webp", ""},
		"no file":         {"none.bin", record{}, "", "not_found"},
		"media to make":   {value.Media{Kind: "image", URL: "https://a.example/b"}, record{}, "", node.CodeInvalidInput},
		"a number":        {7, record{}, "", node.CodeInvalidInput},
		"two bodies":      {"blob", record{"body": "x"}, "", node.CodeInvalidConfig},
		"a form too":      {"blob", record{"form": record{"a": 1}}, "", node.CodeInvalidConfig},
	} {
		t.Run(name, func(t *testing.T) {
			sent := false
			base := serve(t, func(_ http.ResponseWriter, r *http.Request) {
				sent = true
				body, _ := io.ReadAll(r.Body)
				require.Equal(t, picture, string(body))
				require.Equal(t, tt.typ, r.Header.Get("Content-Type"))
				require.EqualValues(t, len(picture), r.ContentLength)
			})
			h, dir := host(t, newClient(t))
			require.NoError(t, os.MkdirAll(filepath.Join(dir, "up"), 0o700))
			for _, name := range []string{"up/shot.png", "blob"} {
				require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(picture), 0o600))
			}
			in := record{"url": base, "method": "PUT", "bodyFile": tt.file}
			maps.Copy(in, tt.more)
			_, err := h.Exec("io.http_request", nil, in)
			if tt.code == "" {
				require.NoError(t, err)
			} else {
				require.Equal(t, tt.code, node.CodeOf(err), "%v", err)
			}
			require.Equal(t, tt.code == "", sent)
		})
	}
	h, _ := host(t, newClient(t))
	_, err := h.Exec("io.http_request", record{"url": "https://a.example", "bodyFile": "a", "body": "b"}, nil)
	require.ErrorContains(t, err, "leave one of them out", "found before a run")
}
