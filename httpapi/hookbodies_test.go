package httpapi_test

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/httpapi"
)

// withEcho makes a service with a hook that answers with some of its outputs.
func withEcho(t *testing.T, change func(*httpapi.Config)) func(target, contentType, body string, headers ...string) *httptest.ResponseRecorder {
	t.Helper()
	s := withHooks(t, "", change)
	var nodes, wires []string
	for _, name := range []string{"body", "raw", "encoding", "query", "files", "headers"} {
		nodes = append(nodes, `,{"id":"`+name+`","type":"io.output","config":{"name":"`+name+`"}}`)
		wires = append(wires, `{"fromNodeId":"hook","fromPort":"`+name+`","toNodeId":"`+name+`","toPort":"value"}`)
	}
	s.arm("", orders("echo", "echo", `,"respond":"result","maxBytes":4000000`, strings.Join(nodes, ""), strings.Join(wires, ",")))
	return func(target, contentType, body string, headers ...string) *httptest.ResponseRecorder {
		t.Helper()
		return s.hook("POST", "/hooks/echo"+target, body, append([]string{"Authorization", bearer, "Content-Type", contentType}, headers...)...)
	}
}

// TestBodiesOfHooksAreTakenAsSendersSendThem checks what a hook makes of a body, and that raw
// has every byte of it.
func TestBodiesOfHooksAreTakenAsSendersSendThem(t *testing.T) {
	call := withEcho(t, nil)
	for name, c := range map[string]struct {
		contentType, body string
		want              any
		encoding          string
	}{
		"latin1 text":                 {"text/plain; charset=ISO-8859-1", "Stra\xdfe", "Straße", "base64"},
		"UTF-16 with a mark":          {"text/plain", "\xff\xfeG\x00\xfc\x00", "Gü", "base64"},
		"XML that names its encoding": {"application/xml", "<?xml version=\"1.0\" encoding=\"windows-1251\"?><a>\xcf</a>", "<?xml version=\"1.0\" encoding=\"windows-1251\"?><a>П</a>", "base64"},
		"bytes":                       {"application/octet-stream", "\x89PNG\x00\xff", base64.StdEncoding.EncodeToString([]byte("\x89PNG\x00\xff")), "base64"},
		"text that looks like base64": {"application/octet-stream", "wxyz", "wxyz", "text"},
		"JSON with a mark":            {"application/json", "\ufeff{\"town\":\"Ulm\"}", map[string]any{"town": "Ulm"}, "text"},
		"JSON in latin1":              {"application/json; charset=latin1", "{\"town\":\"K\xf6ln\"}", map[string]any{"town": "Köln"}, "base64"},
		"JSON with a name twice":      {"application/json", `{"id":1,"id":2}`, map[string]any{"id": 2}, "text"},
		"form with a semicolon":       {"application/x-www-form-urlencoded", "style=a:b;c:d&x=1", map[string]any{"style": "a:b;c:d", "x": "1"}, "text"},
		"form with a lone percent":    {"application/x-www-form-urlencoded", "off=20%&left=%zz", map[string]any{"off": "20%", "left": "%zz"}, "text"},
		"form in windows-1252":        {"application/x-www-form-urlencoded; charset=windows-1252", "price=3+%80", map[string]any{"price": "3 €"}, "text"},
		"form that names its charset": {"application/x-www-form-urlencoded", "_charset_=koi8-r&w=%cd%c9%d2", map[string]any{"_charset_": "koi8-r", "w": "мир"}, "text"},
		"form with bytes":             {"application/x-www-form-urlencoded", "k=%fc%ff", map[string]any{"k": base64.StdEncoding.EncodeToString([]byte("\xfc\xff"))}, "text"},
		"strange parameter":           {"text/plain; charset=utf-8; charset=utf-8", "ok", "ok", "text"},
	} {
		t.Run(name, func(t *testing.T) {
			said := requireJSON(t, call("", c.contentType, c.body), http.StatusOK).(map[string]any)
			require.Equal(t, c.want, said["body"])
			require.Equal(t, c.encoding, said["encoding"])
			require.Equal(t, c.body, bytesOf(t, said))
		})
	}
	requireProblem(t, call("", "application/json", "{"), http.StatusBadRequest, "malformed")
	requireProblem(t, call("", "nonsense", "{"), http.StatusUnsupportedMediaType, "unsupported_media_type")
	said := requireJSON(t, call("?q=a;b&off=5%&old=%e9t%e9", "text/plain", "x"), http.StatusOK).(map[string]any)
	require.Equal(t, map[string]any{"q": "a;b", "off": "5%", "old": base64.StdEncoding.EncodeToString([]byte("\xe9t\xe9"))}, said["query"])
}

// bytesOf returns the bytes that raw and encoding stand for.
func bytesOf(t *testing.T, said map[string]any) string {
	t.Helper()
	raw := said["raw"].(string)
	if said["encoding"] == "base64" {
		data, err := base64.StdEncoding.DecodeString(raw)
		require.NoError(t, err)
		return string(data)
	}
	return raw
}

func TestPartsOfFormsKeepTheirLettersAndNames(t *testing.T) {
	call := withEcho(t, nil)
	form := strings.Join([]string{
		"--x", "Content-Disposition: form-data; name=\"subject\"", "Content-Type: text/plain; charset=iso-8859-2", "", "P\xf8\xedli\xb9",
		"--x", "Content-Disposition: form-data; name=\"unknown\"", "", "K\xf6ln",
		"--x", "Content-Disposition: form-data; name=\"gr\u00fc\u00dfe\"", "", "hall\u00f6",
		"--x", "Content-Disposition: form-data; name=\"photo\"; filename=\"C:\\pics\\caf\u00e9 1.png\"", "Content-Type: image/png", "", "\x89PNG",
		"--x", "Content-Disposition: form-data; name=\"photo\"; filename=\"the \"best\" one.txt\"", "Content-Type: text/plain", "", "hi",
		"--x", "Content-Disposition: form-data; name=\"photo\"; filename=\"\"", "Content-Type: application/octet-stream", "", "",
		"--x--", "",
	}, "\r\n")
	said := requireJSON(t, call("", "multipart/form-data; boundary=x", form), http.StatusOK).(map[string]any)
	require.Equal(t, map[string]any{"subject": "Příliš", "unknown": base64.StdEncoding.EncodeToString([]byte("K\xf6ln")), "grüße": "hallö", "photo": ""}, said["body"])
	require.Equal(t, form, bytesOf(t, said))
	var names [][]any
	for _, f := range said["files"].([]any) {
		file := f.(map[string]any)
		require.Regexp(t, `^\.runs/`, file["path"])
		names = append(names, []any{file["field"], file["filename"], file["kind"], file["mime"]})
	}
	require.Equal(t, [][]any{{"photo", "café 1.png", "image", "image/png"}, {"photo", `the "best" one.txt`, "file", "text/plain"}}, names)

	large := strings.Replace(form, "\x89PNG", strings.Repeat("p", 1<<20), 1)
	said = requireJSON(t, call("", "multipart/form-data; boundary=x", large), http.StatusOK).(map[string]any)
	require.Equal(t, []any{"", "none"}, []any{said["raw"], said["encoding"]}, "it is not stored twice")
}

func TestCompressedBodiesOfHooks(t *testing.T) {
	call := withEcho(t, nil)
	zip := func(text string) string {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		_, err := w.Write([]byte(text))
		require.NoError(t, err)
		require.NoError(t, w.Close())
		return b.String()
	}
	said := requireJSON(t, call("", "application/json", zip(`{"n":[1,2]}`), "Content-Encoding", "gzip"), http.StatusOK).(map[string]any)
	require.Equal(t, map[string]any{"n": []any{1, 2}}, said["body"])
	require.Equal(t, `{"n":[1,2]}`, said["raw"])
	require.NotContains(t, said["headers"], "content-encoding")
	requireProblem(t, call("", "application/json", zip(strings.Repeat(" ", 4_000_001)), "Content-Encoding", "gzip"), http.StatusRequestEntityTooLarge, "too_large")
	requireProblem(t, call("", "application/json", "{}", "Content-Encoding", "gzip"), http.StatusBadRequest, "malformed")
	requireProblem(t, call("", "application/json", zip("{}")[:20], "Content-Encoding", "gzip"), http.StatusBadRequest, "malformed")
	require.Equal(t, http.StatusUnsupportedMediaType, call("", "application/json", "{}", "Content-Encoding", "br").Code)
}
