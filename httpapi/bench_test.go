package httpapi_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// chain returns a workflow of n text nodes in a row.
func chain(n int) string {
	var nodes, wires strings.Builder
	from := `"fromNodeId":"in","fromPort":"value"`
	for i := range n {
		fmt.Fprintf(&nodes, `{"id":"t%d","type":"text.format","config":{"template":"{text}."}},`, i)
		fmt.Fprintf(&wires, `{%s,"toNodeId":"t%d","toPort":"text"},`, from, i)
		from = fmt.Sprintf(`"fromNodeId":"t%d","fromPort":"result"`, i)
	}
	return `{"id":"chain","nodes":[{"id":"in","type":"io.input","config":{"name":"text","type":"string","default":"hello"}},` + nodes.String() +
		`{"id":"out","type":"io.output","config":{"name":"result"}}],"connections":[` + wires.String() + `{` + from + `,"toNodeId":"out","toPort":"value"}]}`
}

// sink is a response writer that discards everything.
type sink struct {
	header http.Header
	status int
}

func (s *sink) Header() http.Header         { return s.header }
func (s *sink) WriteHeader(status int)      { s.status = status }
func (s *sink) Write(p []byte) (int, error) { return len(p), nil }

// BenchmarkService measures requests without the network and net/http.
func BenchmarkService(b *testing.B) {
	s := newService(b, nil)
	require.Equal(b, http.StatusCreated, s.do("POST", "/workflows", greet).Code)
	require.Equal(b, http.StatusCreated, s.do("POST", "/workflows", chain(100)).Code)
	for _, bench := range []struct{ name, method, target, body string }{
		{"health", "GET", "/", ""},
		{"refused", "GET", "/workflows", ""},
		{"load", "GET", "/workflows/greet", ""},
		{"run 3 by id", "POST", "/workflows/greet/run", `{"inputs":{"who":"you"}}`},
		{"run 100 by id", "POST", "/workflows/chain/run", `{"inputs":{"text":"x"}}`},
		{"execute 3", "POST", "/execute", greet},
		{"execute 100", "POST", "/execute", chain(100)},
	} {
		b.Run(bench.name, func(b *testing.B) {
			r := newRequest(bench.method, bench.target, "")
			want := http.StatusOK
			if bench.name == "refused" {
				r.Header.Del("Authorization")
				want = http.StatusUnauthorized
			}
			body := strings.NewReader(bench.body)
			if bench.body != "" {
				r.Header.Set("Content-Type", "application/json")
				r.Body, r.ContentLength = readCloser{body}, body.Size()
			}
			w := &sink{header: http.Header{}}
			b.ReportAllocs()
			for b.Loop() {
				body.Reset(bench.body)
				clear(w.header)
				s.ServeHTTP(w, r)
			}
			require.Equal(b, want, w.status)
		})
	}
}

// readCloser is a request body.
type readCloser struct{ *strings.Reader }

func (readCloser) Close() error { return nil }
