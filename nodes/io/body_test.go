package ionode_test

import (
	"encoding/base64"
	"io"
	"maps"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/node"
)

func TestForms(t *testing.T) {
	const form = "application/x-www-form-urlencoded"
	for name, tt := range map[string]struct {
		in        record
		body, typ string
		code      string
	}{
		"form":                   {record{"form": record{"b": "x y&z", "a": []any{1, true, nil}, "no": nil}}, "a=1&a=true&b=x+y%26z", form, ""},
		"empty form":             {record{"form": record{}}, "", form, ""},
		"record as a form":       {record{"body": record{"a": "ä"}, "headers": record{"content-type": form + "; charset=utf-8"}}, "a=%C3%A4", form + "; charset=utf-8", ""},
		"text as a form":         {record{"body": "a=1", "headers": record{"Content-Type": form}}, "a=1", form, ""},
		"list as a form":         {record{"body": []any{1}, "headers": record{"Content-Type": form}}, "", "", node.CodeInvalidInput},
		"record as parts":        {record{"body": record{}, "headers": record{"Content-Type": "multipart/form-data"}}, "", "", node.CodeInvalidInput},
		"form of another type":   {record{"form": record{"a": 1}, "headers": record{"Content-Type": "application/json"}}, "", "", node.CodeInvalidInput},
		"field that is a record": {record{"form": record{"a": record{}}}, "", "", node.CodeInvalidInput},
	} {
		t.Run(name, func(t *testing.T) {
			sent := false
			base := serve(t, func(_ http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				sent = true
				require.Equal(t, tt.body, string(body))
				require.Equal(t, tt.typ, r.Header.Get("Content-Type"))
			})
			tt.in["url"], tt.in["method"] = base, "POST"
			h, _ := host(t, newClient(t))
			_, err := h.Exec("io.http_request", nil, tt.in)
			require.Equal(t, tt.code == "", sent)
			if tt.code != "" {
				require.Equal(t, tt.code, node.CodeOf(err))
			}
		})
	}
}

func TestFiles(t *testing.T) {
	h, dir := host(t, newClient(t))
	put(t, dir, "in/ä\"b.png", "\x89PNG")
	type part struct{ name, typ, content string }
	var fields map[string][]string
	var parts map[string]part
	base := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		require.NoError(t, r.ParseMultipartForm(1<<20))
		fields, parts = r.MultipartForm.Value, map[string]part{}
		for field, files := range r.MultipartForm.File {
			f, err := files[0].Open()
			require.NoError(t, err)
			content, _ := io.ReadAll(f)
			parts[field] = part{files[0].Filename, files[0].Header.Get("Content-Type"), string(content)}
		}
	})
	file := func(field string, more record) record {
		f := record{"field": field, "path": nil, "base64": nil, "filename": nil, "mime": nil}
		maps.Copy(f, more)
		return f
	}
	text := base64.StdEncoding.EncodeToString([]byte("hi"))
	_, err := h.Exec("io.http_request", nil, record{"url": base, "method": "POST", "form": record{"chat": 7}, "files": []any{
		file("photo", record{"path": "in/ä\"b.png"}),
		file("note", record{"base64": text, "filename": "a.txt"}),
		file("raw", record{"base64": text, "mime": "text/csv"}),
	}})
	require.NoError(t, err)
	require.Equal(t, map[string][]string{"chat": {"7"}}, fields)
	require.Equal(t, map[string]part{
		"photo": {"ä\"b.png", "image/png", "\x89PNG"}, "note": {"a.txt", "text/plain; charset=utf-8", "hi"}, "raw": {"file", "text/csv", "hi"},
	}, parts)

	for name, tt := range map[string]struct {
		file record
		code string
	}{
		"no field":  {file("", record{"base64": text}), "invalid_input"},
		"nothing":   {file("a", nil), "invalid_input"},
		"both":      {file("a", record{"base64": text, "path": "x"}), "invalid_input"},
		"no base64": {file("a", record{"base64": "?"}), "invalid_input"},
		"no type":   {file("a", record{"base64": text, "mime": "text/plain\r\nX-Evil: 1"}), "invalid_input"},
		"no file":   {file("a", record{"path": "in/absent"}), "not_found"},
	} {
		parts = nil
		_, err := h.Exec("io.http_request", nil, record{"url": base, "method": "POST", "files": []any{tt.file}})
		require.Equal(t, tt.code, node.CodeOf(err), name)
		require.Nil(t, parts)
	}
	_, err = h.Exec("io.http_request", nil, record{"url": base, "method": "POST", "headers": record{"Content-Type": "multipart/form-data"}, "files": []any{
		file("a\r\nX: 1", record{"base64": text, "filename": "b\r\nX-Evil: 1\"; x=\""}),
	}})
	require.NoError(t, err)
	require.Len(t, parts, 1)
}
