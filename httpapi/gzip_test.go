package httpapi_test

import (
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// long returns a workflow of some kilobytes of JSON.
func long() string {
	return strings.Replace(greet, "Hello, {name}!", "Hello, {name}!"+strings.Repeat(" And again.", 400), 1)
}

// zipped requires that w is compressed, and returns the decompressed body.
func zipped(t *testing.T, w *httptest.ResponseRecorder) string {
	t.Helper()
	require.Equal(t, "gzip", w.Header().Get("Content-Encoding"))
	require.Equal(t, strconv.Itoa(w.Body.Len()), w.Header().Get("Content-Length"))
	require.Contains(t, w.Header()["Vary"], "Accept-Encoding")
	size := w.Body.Len()
	r, err := gzip.NewReader(w.Body)
	require.NoError(t, err)
	text, err := io.ReadAll(r)
	require.NoError(t, err)
	require.Less(t, size, len(text))
	return string(text)
}

func TestGzip(t *testing.T) {
	s := newService(t, nil)
	require.Equal(t, http.StatusCreated, s.do("POST", "/workflows", long()).Code)
	for _, ask := range [][]string{
		{"GET", "/nodes", ""},
		{"GET", "/openapi.json", ""},
		{"GET", "/workflows/greet", ""},
		{"POST", "/workflows/greet/run", ""},
		{"POST", "/execute", long()},
		{"GET", "/metrics", ""},
	} {
		for range 2 {
			plain := s.do(ask[0], ask[1], ask[2])
			require.Empty(t, plain.Header().Get("Content-Encoding"))
			require.Contains(t, plain.Header()["Vary"], "Accept-Encoding", ask)
			w := s.do(ask[0], ask[1], ask[2], "Accept-Encoding", "gzip")
			require.Equal(t, http.StatusOK, w.Code)
			if ask[1] == "/metrics" {
				require.Equal(t, "gzip", w.Header().Get("Content-Encoding"))
				continue
			}
			text := zipped(t, w)
			if ask[0] == "GET" {
				require.Equal(t, plain.Body.String(), text, ask)
			}
		}
	}
	page := s.do("GET", "/", "", "Accept", "text/html", "Accept-Encoding", "gzip, deflate, br")
	require.Equal(t, []string{"Accept", "Accept-Encoding"}, page.Header()["Vary"])
	require.Contains(t, zipped(t, page), "<!doctype html>")

	// Short bodies stay uncompressed, and errors are compressed like others.
	require.Empty(t, s.do("GET", "/", "", "Accept-Encoding", "gzip").Header().Get("Content-Encoding"))
	var many strings.Builder
	for i := range 100 {
		fmt.Fprintf(&many, `,{"id":"n%d","type":"no.such"}`, i)
	}
	w := s.do("POST", "/execute", `{"id":"x","connections":[],"nodes":[`+many.String()[1:]+`]}`, "Accept-Encoding", "gzip")
	require.Equal(t, http.StatusUnprocessableEntity, w.Code)
	require.Contains(t, zipped(t, w), "unknown_node_type")
}

func TestGzipAsTheClientLikes(t *testing.T) {
	s := newService(t, nil)
	for header, want := range map[string]string{
		"": "", "identity": "", "br": "", "gzip;q=0": "", "gzip;q=0, *": "", "*;q=0": "",
		"gzip": "gzip", "*": "gzip", "br, GZIP": "gzip", "deflate, gzip;q=1.0, *;q=0.5": "gzip", "gzip ; q=0.1": "gzip",
	} {
		require.Equal(t, want, s.do("GET", "/nodes", "", "Accept-Encoding", header).Header().Get("Content-Encoding"), header)
	}
}

// TestStreamsAreNotCompressed checks that streams are sent uncompressed, since events would be
// delayed in the compressor.
func TestStreamsAreNotCompressed(t *testing.T) {
	s := newService(t, nil)
	runID := s.start(long())
	s.events(runID)
	w := s.do("GET", "/executions/"+runID+"/events", "", "Accept-Encoding", "gzip")
	require.Greater(t, w.Body.Len(), 4<<10)
	require.Empty(t, w.Header().Get("Content-Encoding"))
	require.Contains(t, w.Body.String(), "event: completed")
}

// TestTagsOfCompressedStates checks that compressed bodies have different tags, which work in all
// conditions.
func TestTagsOfCompressedStates(t *testing.T) {
	s := newService(t, nil)
	tag := s.do("POST", "/workflows", long(), "Accept-Encoding", "gzip").Header().Get("ETag")
	plain := s.do("GET", "/workflows/greet", "").Header().Get("ETag")
	require.Equal(t, tag, plain)
	packed := s.do("GET", "/workflows/greet", "", "Accept-Encoding", "gzip").Header().Get("ETag")
	require.NotEqual(t, plain, packed)
	require.False(t, strings.HasPrefix(packed, "W/"), "or it would do for no If-Match")
	for _, tag := range []string{plain, packed, "W/" + packed} {
		w := s.do("GET", "/workflows/greet", "", "If-None-Match", tag, "Accept-Encoding", "gzip")
		require.Equal(t, http.StatusNotModified, w.Code, tag)
		require.Equal(t, strings.TrimPrefix(tag, "W/"), w.Header().Get("ETag"))
		require.Equal(t, "Accept-Encoding", w.Header().Get("Vary"))
	}
	require.Equal(t, http.StatusPreconditionFailed, s.do("DELETE", "/workflows/greet", "", "If-Match", strings.Replace(packed, packed[1:3], "zz", 1)).Code)
	require.Equal(t, http.StatusNoContent, s.do("DELETE", "/workflows/greet", "", "If-Match", packed).Code)
}

// BenchmarkGzip measures the cost of compressing an answer.
func BenchmarkGzip(b *testing.B) {
	s := newService(b, nil)
	s.do("POST", "/workflows", long())
	for _, encoding := range []string{"identity", "gzip"} {
		b.Run(encoding, func(b *testing.B) {
			for b.Loop() {
				s.do("GET", "/workflows/greet", "", "Accept-Encoding", encoding)
			}
		})
	}
}
