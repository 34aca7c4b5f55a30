package ionode_test

import (
	"compress/gzip"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/node"
)

// serve starts a server and returns its URL.
func serve(t *testing.T, handler http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(handler)
	t.Cleanup(s.Close)
	return s.URL
}

// fetch makes a request that must succeed.
func fetch(t *testing.T, in record) record {
	t.Helper()
	h, _ := host(t, newClient(t))
	got, err := h.Exec("io.http_request", nil, in)
	require.NoError(t, err)
	return got
}

func newClient(t *testing.T) *http.Client {
	t.Helper()
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

func TestRequestSends(t *testing.T) {
	tests := []struct {
		name        string
		in          record
		method      string
		query       string
		contentType string
		body        string
	}{
		{"plain", record{}, "GET", "q=1", "", ""},
		{"query", record{"query": record{"z": "a b&c", "l": []any{1, 2.5, nil, true}, "none": nil}}, "GET", "q=1&l=1&l=2.5&l=true&z=a+b%26c", "", ""},
		{"text", record{"method": "POST", "body": "hällo"}, "POST", "q=1", "text/plain; charset=utf-8", "hällo"},
		{"json", record{"method": "PUT", "body": record{"b": []any{1, nil}, "a": 1.5}}, "PUT", "q=1", "application/json", `{"a":1.5,"b":[1,null]}`},
		{"number", record{"method": "PATCH", "body": 1}, "PATCH", "q=1", "application/json", "1"},
		{"null is nothing", record{"method": "POST", "body": nil}, "POST", "q=1", "", ""},
		{"own type", record{"method": "POST", "body": record{}, "headers": record{"content-TYPE": "application/x-thing"}}, "POST", "q=1", "application/x-thing", "{}"},
		{"get with body", record{"body": "x"}, "GET", "q=1", "text/plain; charset=utf-8", "x"},
		{"options", record{"method": "OPTIONS"}, "OPTIONS", "q=1", "", ""},
		{"delete", record{"method": "DELETE"}, "DELETE", "q=1", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var r *http.Request
			var body []byte
			base := serve(t, func(w http.ResponseWriter, req *http.Request) {
				r = req
				body, _ = io.ReadAll(req.Body)
				w.WriteHeader(http.StatusNoContent)
			})
			tt.in["url"] = base + "/p?q=1"
			got := fetch(t, tt.in)
			require.Equal(t, 204, got["statusCode"])
			require.Equal(t, true, got["ok"])
			require.Equal(t, tt.method, r.Method)
			require.Equal(t, tt.query, r.URL.RawQuery)
			require.Equal(t, tt.contentType, r.Header.Get("Content-Type"))
			require.Equal(t, tt.body, string(body))
			require.EqualValues(t, len(tt.body), r.ContentLength)
			require.Equal(t, "svc/1", r.UserAgent())
		})
	}
}

func TestRequestHeaders(t *testing.T) {
	var r *http.Request
	base := serve(t, func(_ http.ResponseWriter, req *http.Request) { r = req })
	fetch(t, record{"url": base, "headers": record{
		"x-list": []any{"a", 2}, "X-Bool": true, "X-Text": " trimmed ", "X-Null": nil, "Host": "virtual.example", "User-Agent": "me",
	}})
	require.Equal(t, []string{"a", "2"}, r.Header.Values("X-List"))
	require.Equal(t, "true", r.Header.Get("X-Bool"))
	require.Equal(t, "trimmed", r.Header.Get("X-Text"))
	require.NotContains(t, r.Header, "X-Null")
	require.Equal(t, "virtual.example", r.Host)
	require.Equal(t, "me", r.UserAgent())
}

func TestAnswer(t *testing.T) {
	tests := []struct {
		name        string
		contentType string
		body        string
		want        string
		json        any
	}{
		{"text", "text/plain", "hällo", "hällo", nil},
		{"latin-1", "text/plain; charset=ISO-8859-1", "h\xe4llo", "hällo", nil},
		{"shift-jis", `text/html; charset="Shift_JIS"`, "\x93\xfa\x96\x7b", "日本", nil},
		{"utf-16 by mark", "text/plain", "\xff\xfea\x00\xe4\x00", "aä", nil},
		{"utf-8 mark is dropped", "application/json", "\xef\xbb\xbf[1]", "[1]", []any{1}},
		{"unknown charset", "text/plain; charset=klingon", "a", "a", nil},
		{"malformed type", "text/;;", "a", "a", nil},
		{"binary", "image/png", "\x89PNG", "iVBORw==", nil},
		{"latin-1 that nobody declares", "text/plain", "h\xe4llo", "aORsbG8=", nil},
		{"latin-1 declared as UTF-8", "text/plain; charset=utf-8", "h\xe4llo", "aORsbG8=", nil},
		{"declared in the page", "text/html", "<meta charset=latin1>\xe4", "<meta charset=latin1>ä", nil},
		{"declared in XML", "text/xml", "<?xml version='1.0' encoding='koi8-r'?><a>\xd4</a>", "<?xml version='1.0' encoding='koi8-r'?><a>т</a>", nil},
		{"json", "application/json; charset=utf-8", `{"id":9007199254740993,"id":9007199254740995}`, `{"id":9007199254740993,"id":9007199254740995}`, record{"id": 9007199254740995}},
		{"problem", "application/problem+json", `{"a":null}`, `{"a":null}`, record{"a": nil}},
		{"json in latin-1", "application/json; charset=latin1", "\"\xe4\"", `"ä"`, "ä"},
		{"bad json", "application/json", `{"a":`, `{"a":`, nil},
		{"no json", "text/plain", `{}`, `{}`, nil},
		{"empty", "application/json", "", "", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			base := serve(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", tt.contentType)
				_, _ = io.WriteString(w, tt.body)
			})
			got := fetch(t, record{"url": base})
			require.Equal(t, tt.want, got["body"])
			encoding := "text"
			if strings.HasSuffix(tt.want, "==") || strings.HasSuffix(tt.want, "8=") {
				encoding = "base64"
			}
			require.Equal(t, encoding, got["encoding"])
			require.Equal(t, tt.json, got["json"])
		})
	}
}

func TestAnswerInBase64(t *testing.T) {
	base := serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte{0x89, 0, 0xff}) })
	require.Equal(t, "iQD/", fetch(t, record{"url": base, "encoding": "base64"})["body"])
	require.Equal(t, "‰\x00ÿ", fetch(t, record{"url": base, "encoding": "windows-1252"})["body"])
	h, _ := host(t, newClient(t))
	_, err := h.Exec("io.http_request", nil, record{"url": base, "encoding": "klingon"})
	require.Equal(t, node.CodeInvalidInput, node.CodeOf(err))
}

func TestAnswerHeaders(t *testing.T) {
	base := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header()["X-Many"] = []string{"a", "b"}
		w.Header()["Set-Cookie"] = []string{"a=1; Expires=Wed, 01 Jan 2031 00:00:00 GMT", "b=2"}
		w.Header()["X-Bytes"] = []string{"\xe4"}
	})
	headers := fetch(t, record{"url": base})["headers"].(record)
	require.Equal(t, "a, b", headers["x-many"])
	require.Equal(t, []any{"a=1; Expires=Wed, 01 Jan 2031 00:00:00 GMT", "b=2"}, headers["set-cookie"])
	require.Equal(t, "\uFFFD", headers["x-bytes"])
	require.NotContains(t, headers, "X-Many")
}

func TestErrorStatusIsAnAnswerIfAskedFor(t *testing.T) {
	for _, status := range []int{400, 404, 429, 500, 503} {
		base := serve(t, func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "sorry", status) })
		h, _ := host(t, newClient(t))
		_, err := h.Exec("io.http_request", nil, record{"url": base})
		require.ErrorContains(t, err, "sorry")
		got := fetch(t, record{"url": base, "failOnStatus": false})
		require.Equal(t, false, got["ok"])
		require.Equal(t, status, got["statusCode"])
		require.Equal(t, "sorry\n", got["body"])
	}
}

func TestHeadHasNoBodyWhateverItsLength(t *testing.T) {
	base := serve(t, func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Content-Length", "99999999999") })
	got := fetch(t, record{"url": base, "method": "HEAD"})
	require.Equal(t, "", got["body"])
	require.Equal(t, "99999999999", got["headers"].(record)["content-length"])
}

func TestAnswerIsBounded(t *testing.T) {
	endless := func(w io.Writer) {
		block := make([]byte, 1<<20)
		for {
			if _, err := w.Write(block); err != nil {
				return
			}
		}
	}
	tests := []struct {
		name    string
		handler http.HandlerFunc
	}{
		{"endless", func(w http.ResponseWriter, _ *http.Request) { endless(w) }},
		{"announced", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "1000000000")
		}},
		{"zip bomb", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			endless(gzip.NewWriter(w))
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h, _ := host(t, newClient(t))
			_, err := h.Exec("io.http_request", nil, record{"url": serve(t, tt.handler)})
			require.Equal(t, node.CodeLimitExceeded, node.CodeOf(err))
			require.ErrorContains(t, err, "10485760 bytes")
			require.True(t, node.IsPermanent(err))
		})
	}
	base := serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "12345") })
	require.Equal(t, "12345", fetch(t, record{"url": base, "maxBytes": 5})["body"])
	h, _ := host(t, newClient(t))
	_, err := h.Exec("io.http_request", nil, record{"url": base, "maxBytes": 4})
	require.Equal(t, node.CodeLimitExceeded, node.CodeOf(err))
}

func TestRequestEndsWithItsContext(t *testing.T) {
	for _, where := range []string{"header", "body"} {
		t.Run(where, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			base := serve(t, func(w http.ResponseWriter, r *http.Request) {
				if where == "body" {
					_, _ = io.WriteString(w, "begin")
					_ = http.NewResponseController(w).Flush()
				}
				cancel()
				<-r.Context().Done()
			})
			h, _ := host(t, newClient(t))
			_, err := h.ExecContext(ctx, "io.http_request", nil, record{"url": base})
			require.ErrorIs(t, err, context.Canceled)
		})
	}
}
