package ionode_test

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/node"
	ionode "github.com/svcflow/svc/nodes/io"
)

// book is a server with three pages of two items each. It records requests.
func book(t *testing.T, asked *[]string) string {
	t.Helper()
	return serve(t, func(w http.ResponseWriter, r *http.Request) {
		*asked = append(*asked, r.URL.RequestURI())
		page, _ := strconv.Atoi(r.URL.Query().Get("page"))
		w.Header().Set("Content-Type", "application/json")
		next := "null"
		if page < 2 {
			next = fmt.Sprintf(`"?page=%d"`, page+1)
			w.Header().Set("X-More", "1")
		}
		_, _ = fmt.Fprintf(w, `{"data":[%d,%d],"next":%s,"page":%d}`, 2*page, 2*page+1, next, page)
	})
}

func TestPages(t *testing.T) {
	all := []any{0, 1, 2, 3, 4, 5}
	for name, tt := range map[string]struct {
		pages record
		items []any
		asked []string
	}{
		"URL":         {record{"next": "json.next", "items": "json.data"}, all, []string{"/l?size=2", "/l?page=1", "/l?page=2"}},
		"query":       {record{"next": `"x-more" in headers ? {page: json.page + 1} : nil`, "items": "json.data"}, all, []string{"/l?size=2", "/l?page=1&size=2", "/l?page=2&size=2"}},
		"number":      {record{"next": `page < 2 && status == 200 ? {page: page, size: nil} : ""`, "items": "json.data"}, all[:4], []string{"/l?size=2", "/l?page=1"}},
		"at most":     {record{"next": "json.next", "items": "json.data", "max": 2}, all[:4], []string{"/l?size=2", "/l?page=1"}},
		"of each one": {record{"next": "json.next", "items": "[url contains 'page=2']", "max": 3}, []any{false, false, true}, []string{"/l?size=2", "/l?page=1", "/l?page=2"}},
		"no items":    {record{"next": "nil", "items": "nil"}, []any{}, []string{"/l?size=2"}},
	} {
		t.Run(name, func(t *testing.T) {
			var asked []string
			base := book(t, &asked)
			h, _ := host(t, newClient(t))
			got, err := h.Exec("io.http_request", record{"url": base + "/l?size=2", "pages": tt.pages}, nil)
			require.NoError(t, err)
			require.Equal(t, tt.items, got["items"])
			require.Equal(t, tt.asked, asked)
			require.Equal(t, len(asked), got["pages"])
			require.Equal(t, 200, got["statusCode"])
			require.Equal(t, name != "at most", got["complete"])
		})
	}
}

func TestPagesThatAreNotAllSaySo(t *testing.T) {
	requests := 0
	base := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		if requests++; requests%3 == 2 && requests < 10 {
			http.Error(w, "{}", http.StatusNotFound)
			return
		}
		_, _ = fmt.Fprintf(w, `{"next":"?page=%d"}`, requests)
	})
	h, _ := host(t, newClient(t))
	pages := record{"next": "json.next", "items": "[page]"}
	_, err := h.Exec("io.http_request", record{"url": base, "pages": pages}, nil)
	require.Equal(t, "http_status", node.CodeOf(err), "page 2 has an error status")
	got, err := h.Exec("io.http_request", record{"url": base, "pages": pages, "failOnStatus": false}, nil)
	require.NoError(t, err)
	require.Equal(t, false, got["complete"])
	requests = 100
	_, err = h.Exec("io.http_request", record{"url": base, "pages": pages}, nil)
	require.Equal(t, node.CodeLimitExceeded, node.CodeOf(err), "nobody asked for 100 pages only")
	require.ErrorContains(t, err, "more than 100 pages")
}

func TestPagesThatGoWrong(t *testing.T) {
	for name, tt := range map[string]struct {
		next, items string
		code, says  string
	}{
		"itself":       {`url`, "[]", "bad_answer", "this page again"},
		"other host":   {`"http://localhost:1/"`, "[]", "forbidden", "http://localhost:1;"},
		"other scheme": {`"ftp://x/"`, "[]", "forbidden", "ftp://x"},
		"no URL":       {`"http://%zz/canary"`, "[]", "bad_answer", "no URL"},
		"no address":   {`7`, "[]", "type_error", "next is int"},
		"no list":      {`nil`, "json", "type_error", "it has to be a list"},
		"fails":        {`nil`, "json.a.b.c", "failed", "the expression fails: "},
	} {
		t.Run(name, func(t *testing.T) {
			base := serve(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				_, _ = io.WriteString(w, `{"a":1}`)
			})
			h, _ := host(t, newClient(t))
			_, err := h.Exec("io.http_request", record{"url": base, "pages": record{"next": tt.next, "items": tt.items}}, nil)
			require.Equal(t, tt.code, node.CodeOf(err))
			require.ErrorContains(t, err, tt.says)
			require.NotContains(t, err.Error(), "canary")
			require.True(t, node.IsPermanent(err))
		})
	}
}

// The node waits for a page that is requested too early. The pages before it are kept.
func TestPagesWait(t *testing.T) {
	var asked []string
	base := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if asked = append(asked, r.URL.RawQuery); len(asked) == 2 {
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, `[%d]`, len(asked))
	})
	began := time.Now()
	result, _ := play(t, ionode.Env{HTTP: newClient(t)}, one("io.http_request", record{
		"url": base, "failOnStatus": true, "pages": record{"next": "page < 2 ? {p: page} : nil", "items": "json"},
	}))
	require.Nil(t, result.Nodes["n"].Error)
	require.Equal(t, []any{1, 3}, result.Nodes["n"].Outputs["items"])
	require.Equal(t, []string{"", "p=1", "p=1"}, asked)
	require.GreaterOrEqual(t, time.Since(began), time.Second)
}

func TestSaveTo(t *testing.T) {
	base := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/no":
			w.WriteHeader(http.StatusNotFound)
			_, _ = io.WriteString(w, "not here")
		case "/cut":
			w.Header().Set("Content-Length", "100")
			_, _ = io.WriteString(w, "half")
		case "/stream":
			for range 100 {
				_, _ = io.WriteString(w, strings.Repeat("x", 100))
				_ = http.NewResponseController(w).Flush()
			}
		default:
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, `{"a":1}`)
		}
	})
	h, dir := host(t, newClient(t))
	save := func(path string, more record) (record, error) {
		in := record{"url": base + path, "saveTo": "out/file"}
		maps.Copy(in, more)
		return h.Exec("io.http_request", nil, in)
	}
	kept := func() string {
		text, err := os.ReadFile(filepath.Join(dir, "out/file"))
		require.NoError(t, err)
		return string(text)
	}
	got, err := save("/", nil)
	require.NoError(t, err)
	require.Equal(t, `{"a":1}`, kept())
	require.Empty(t, got["body"])
	require.Nil(t, got["json"])

	_, err = save("/no", nil)
	require.Equal(t, "http_status", node.CodeOf(err))
	got, err = save("/no", record{"failOnStatus": false})
	require.NoError(t, err)
	require.Equal(t, "not here", got["body"])
	for path, code := range map[string]string{"/cut": "unavailable", "/stream": "limit_exceeded"} {
		_, err = save(path, record{"maxBytes": 200})
		require.Equal(t, code, node.CodeOf(err), path)
	}
	require.Equal(t, `{"a":1}`, kept(), "what failed changes nothing")
	files, err := os.ReadDir(filepath.Join(dir, "out"))
	require.NoError(t, err)
	require.Len(t, files, 1, "and leaves nothing")
	_, err = save("/stream", record{"maxBytes": 10_000})
	require.NoError(t, err)
	require.Len(t, kept(), 10_000)
	_, err = save("/", record{"saveTo": "../outside"})
	require.Error(t, err)
}
