package httpapi_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/httpapi"
)

// takers returns routes that accept a body.
func takers() []string {
	return []string{"/validate", "/execute", "/workflows", "/workflows/greet/run"}
}

func TestHostileBodies(t *testing.T) {
	deep := strings.Repeat("[", 100_000)
	tests := []struct {
		name, body string
		status     int
		code       string
	}{
		{"truncated", greet[:len(greet)/2], 400, "malformed"},
		{"one brace", "{", 400, "malformed"},
		{"white space", " \n ", 400, "malformed"},
		{"trailing garbage", greet + "x", 400, "malformed"},
		{"two documents", greet + greet, 400, "malformed"},
		{"trailing NUL", greet + "\x00", 400, "malformed"},
		{"deep lists", deep, 400, "malformed"},
		{"deep inputs", `{"inputs":{"x":` + deep, 400, "malformed"},
		{"deep config", `{"id":"x","nodes":[{"id":"a","type":"b","config":{"c":` + deep, 400, "malformed"},
		{"deep bodies", strings.Repeat(`{"nodes":[{"id":"a","type":"b","body":`, 100_000), 400, "malformed"},
		{"duplicate field", `{"id":"x","id":"x","nodes":[],"connections":[],"inputs":{},"inputs":{}}`, 400, "malformed"},
		{"duplicate key", `{"inputs":{"k":1,"k":1}}`, 400, "malformed"},
		{"invalid UTF-8", "{\"id\":\"\xff\",\"inputs\":{\"\xff\":1}}", 400, "malformed"},
		{"lone surrogate", `{"id":"\ud800","inputs":{"\ud800":1}}`, 400, "malformed"},
		{"BOM", "\ufeff" + greet, 400, "malformed"},
		{"UTF-16", "\xff\xfe{\x00}\x00", 400, "malformed"},
		{"number too big", `{"inputs":{"n":1e400}}`, 400, "malformed"},
		{"NaN", `{"inputs":{"n":NaN}}`, 400, "malformed"},
		{"null", "null", 400, "malformed"},
		{"long name", `{"overrides":{"` + strings.Repeat("x", 1<<20) + `":1}}`, 400, "malformed"},
		{"a list", "[]", 400, "malformed"},
		{"a text", `"x"`, 400, "malformed"},
		{"comment", "{/**/}", 400, "malformed"},
		{"11 MB", `{"id":"` + strings.Repeat("x", 11<<20) + `"}`, 413, "too_large"},
	}
	s := newService(t, nil)
	require.Equal(t, http.StatusCreated, s.do("POST", "/workflows", greet).Code)
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			for _, target := range takers() {
				p := requireProblem(t, s.do("POST", target, test.body), test.status, test.code)
				if test.code == "malformed" {
					require.NotNil(t, p.Offset)
					require.NotNil(t, p.Pointer)
					require.LessOrEqual(t, *p.Offset, int64(len(test.body)))
				}
				require.Less(t, len(p.Detail), 2048, "an error does not repeat its cause")
			}
		})
	}
}

// TestNullsEverywhere replaces each value of a workflow by null.
func TestNullsEverywhere(t *testing.T) {
	s := newService(t, nil)
	var doc any
	require.NoError(t, json.Unmarshal([]byte(greet), &doc))
	places := 0
	eachPlace(&doc, func() {
		places++
		text, err := json.Marshal(doc)
		require.NoError(t, err)
		for _, target := range []string{"/validate", "/execute", "/workflows"} {
			w := s.do("POST", target, string(text))
			require.Contains(t, []int{200, 201, 400, 422}, w.Code, "%s %s: %s", target, text, w.Body)
		}
	})
	require.Greater(t, places, 20)
}

// eachPlace calls visit repeatedly, each time with another value inside v replaced by nil.
func eachPlace(v *any, visit func()) {
	was := *v
	*v = nil
	visit()
	*v = was
	switch inner := was.(type) {
	case []any:
		for i := range inner {
			eachPlace(&inner[i], visit)
		}
	case map[string]any:
		for k := range inner {
			e := inner[k]
			eachPlace(&e, func() { inner[k] = e; visit() })
			inner[k] = e
		}
	}
}

func TestContentTypes(t *testing.T) {
	s := newService(t, nil)
	fine := []string{"application/json", "application/json; charset=utf-8", "Application/JSON;charset=UTF-8", "application/merge-patch+json"}
	refused := []string{
		"", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/jsonx",
		"application/json; charset=utf-16", "text/x+json", "application/json, text/plain", "json", ";", "application/json;;=",
	}
	for _, contentType := range fine {
		require.Equal(t, http.StatusOK, s.do("POST", "/execute", greet, "Content-Type", contentType).Code, contentType)
	}
	for _, contentType := range refused {
		requireProblem(t, s.do("POST", "/execute", greet, "Content-Type", contentType), http.StatusUnsupportedMediaType, "unsupported_media_type")
	}
	requireProblem(t, s.do("POST", "/execute", "", "Content-Type", "text/plain"), http.StatusBadRequest, "malformed")

	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	_, err := io.WriteString(z, greet)
	require.NoError(t, err)
	require.NoError(t, z.Close())
	w := s.do("POST", "/execute", zipped.String(), "Content-Encoding", "gzip")
	requireProblem(t, w, http.StatusUnsupportedMediaType, "unsupported_media_type")
}

// TestUnknownLength sends bodies in chunks, without a Content-Length.
func TestUnknownLength(t *testing.T) {
	s := newService(t, nil)
	send := func(body io.Reader, contentType string) *httptest.ResponseRecorder {
		r := newRequest("POST", "/execute", "", "Content-Type", contentType)
		r.Body, r.ContentLength = io.NopCloser(body), -1
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		return w
	}
	require.Equal(t, http.StatusOK, send(iotest.OneByteReader(strings.NewReader(greet)), "application/json").Code)
	requireProblem(t, send(strings.NewReader(greet), ""), http.StatusUnsupportedMediaType, "unsupported_media_type")
	requireProblem(t, send(strings.NewReader(""), ""), http.StatusBadRequest, "malformed")
	huge := io.MultiReader(strings.NewReader(greet), strings.NewReader(strings.Repeat(" ", 11<<20)))
	requireProblem(t, send(huge, "application/json"), http.StatusRequestEntityTooLarge, "too_large")
	timeout := io.MultiReader(strings.NewReader(greet[:10]), iotest.ErrReader(&net.OpError{Op: "read", Err: os.ErrDeadlineExceeded}))
	requireProblem(t, send(timeout, "application/json"), http.StatusRequestTimeout, "request_timeout")
	cut := io.MultiReader(strings.NewReader(greet[:10]), iotest.ErrReader(io.ErrUnexpectedEOF))
	p := requireProblem(t, send(cut, "application/json"), http.StatusBadRequest, "malformed")
	require.EqualValues(t, 10, *p.Offset)
}

// TestTenMegabytes checks that the limit itself is allowed.
func TestTenMegabytes(t *testing.T) {
	s := newService(t, nil)
	padding := strings.Repeat(" ", 10<<20-len(greet))
	require.Equal(t, http.StatusOK, s.do("POST", "/execute", greet+padding).Code)
	requireProblem(t, s.do("POST", "/execute", greet+padding+" "), http.StatusRequestEntityTooLarge, "too_large")

	r := newRequest("POST", "/execute", "{}")
	r.Body, r.ContentLength = io.NopCloser(iotest.ErrReader(errors.New("it was read"))), 10<<20+1
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	requireProblem(t, w, http.StatusRequestEntityTooLarge, "too_large")
}

// deadlines is a connection that records its read deadlines.
type deadlines struct {
	*httptest.ResponseRecorder

	set []time.Time
}

func (d *deadlines) SetReadDeadline(t time.Time) error {
	d.set = append(d.set, t)
	return nil
}

// TestSlowBodies checks that every body has a deadline, which does not limit the run.
func TestSlowBodies(t *testing.T) {
	s := newService(t, nil)
	serve := func(r *http.Request) []time.Time {
		d := &deadlines{ResponseRecorder: httptest.NewRecorder()}
		s.ServeHTTP(d, r)
		return d.set
	}
	set := serve(newRequest("POST", "/execute", greet))
	require.Len(t, set, 2)
	require.WithinDuration(t, time.Now().Add(time.Minute), set[0], 50*time.Second)
	require.Zero(t, set[1])
	require.Len(t, serve(newRequest("POST", "/execute", greet, "Authorization", "")), 1, "net/http reads what the service does not")
	require.Empty(t, serve(newRequest("GET", "/workflows", "")))
}

func FuzzService(f *testing.F) {
	for i, target := range append(takers(), "/", "/nodes", "/nodes/text.format", "/workflows/a%2Fb/revisions/1", "/executions/x/events") {
		f.Add(i%2 == 0, target, []byte(greet))
		f.Add(i%2 == 1, target, []byte(`{"inputs":{"who":1},"overrides":{"fmt":{"template":"x"}}}`))
	}
	s := newService(f, func(c *httpapi.Config) { c.Store = &fourOperations{} })
	f.Fuzz(func(t *testing.T, post bool, target string, body []byte) {
		r := newRequest("GET", "/", "")
		if post {
			r = newRequest("POST", "/", string(body)+" ")
		}
		u, err := r.URL.Parse(target)
		if err != nil {
			return
		}
		r.URL = u
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		require.Contains(t, []int{200, 201, 204, 304, 400, 404, 405, 413, 415, 422, 503}, w.Code, w.Body)
		if w.Code >= 400 {
			requireProblem(t, w, w.Code, codeOf(t, w))
		}
	})
}

func codeOf(t *testing.T, w *httptest.ResponseRecorder) string {
	var p problem
	require.NoError(t, json.Unmarshal(slices.Clone(w.Body.Bytes()), &p))
	require.NotEmpty(t, p.Code)
	return p.Code
}

// TestMemoryOfBodies checks that the buffer of a large body has its announced size once data
// arrives, and does not grow beyond that.
func TestMemoryOfBodies(t *testing.T) {
	const size = 8 << 20
	s := newService(t, func(c *httpapi.Config) { c.Admit = 100 << 20 })
	body := `{"id":"x","nodes":[{"id":"v","type":"control.value","config":{"value":"` + strings.Repeat("x", size) + `"}}],"connections":[]}`
	require.Equal(t, http.StatusOK, s.do("POST", "/validate", greet).Code)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	require.Equal(t, http.StatusOK, s.do("POST", "/validate", body).Code)
	runtime.ReadMemStats(&after)
	require.Less(t, int(after.TotalAlloc-before.TotalAlloc), 5*size/2, "the body and the text in it")
}
