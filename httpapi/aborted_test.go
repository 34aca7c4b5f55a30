package httpapi_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// leaver is a client that stops reading after some bytes. Later writes call fail.
type leaver struct {
	*httptest.ResponseRecorder

	left int // bytes it still reads
	fail func() (int, error)
}

// Write implements http.ResponseWriter.
func (l *leaver) Write(p []byte) (int, error) {
	if l.left -= len(p); l.left < 0 {
		return l.fail()
	}
	return l.ResponseRecorder.Write(p)
}

// TestAbortedRequestsAreAccountedFor aborts an answer after its header was sent. The connection is
// closed, and the request is counted, logged and cleaned up like any other.
func TestAbortedRequestsAreAccountedFor(t *testing.T) {
	const status = `svc_http_request_duration_seconds_count{method="GET",route="/executions/{id}",status="200"}`
	s := newService(t, nil)
	runID := s.start(strings.Replace(greet, `"World"`, `"`+strings.Repeat("x", 1<<20)+`"`, 1))
	s.events(runID)
	for name, fail := range map[string]func() (int, error){
		"the client leaves":  func() (int, error) { return 0, errors.New("broken pipe") },
		"the handler panics": func() (int, error) { panic("of the writer") },
	} {
		t.Run(name, func(t *testing.T) {
			before := counted(t, s, status)
			w := &leaver{httptest.NewRecorder(), 300 << 10, fail}
			require.PanicsWithValue(t, http.ErrAbortHandler, func() { s.ServeHTTP(w, newRequest("GET", "/executions/"+runID, "")) })
			require.Equal(t, before+1, counted(t, s, status))
		})
	}
}

// counted returns the value of a counter; 0 if it does not exist yet.
func counted(t *testing.T, s service, name string) int {
	t.Helper()
	_, rest, found := strings.Cut(scrape(t, s), name+" ")
	if !found {
		return 0
	}
	text, _, _ := strings.Cut(rest, "\n")
	n, err := strconv.Atoi(text)
	require.NoError(t, err)
	return n
}
