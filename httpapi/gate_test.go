package httpapi_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/httpapi"
)

// large is a workflow of about n bytes, most of which is a list of numbers.
func large(n int) string {
	return `{"id":"x","nodes":[{"id":"v","type":"control.value","config":{"value":[` + strings.TrimSuffix(strings.Repeat("1,", n/2), ",") + `]}}],"connections":[]}`
}

// unread is a body that says whether anybody has asked for it.
type unread struct {
	io.Reader

	asked atomic.Bool
}

func (u *unread) Read(p []byte) (int, error) {
	u.asked.Store(true)
	return u.Reader.Read(p)
}

// TestAdmission holds a large request in the middle and sees what happens to others.
func TestAdmission(t *testing.T) {
	inside, leave := make(chan struct{}), make(chan struct{})
	s := newService(t, func(c *httpapi.Config) {
		c.Admit = 10 << 20
		c.Plugins(plugin{"test.wait", func(ctx context.Context, _ map[string]any) (map[string]any, error) {
			inside <- struct{}{}
			<-leave
			return nil, nil
		}})
	})
	held := strings.Replace(large(256<<10), `}],"connections"`, `},{"id":"w","type":"test.wait"}],"connections"`, 1)
	done := make(chan int)
	go func() { done <- s.do("POST", "/execute", held).Code }()
	<-inside

	for _, route := range takers() {
		body := &unread{Reader: strings.NewReader(large(9 << 20))}
		r := newRequest("POST", route, "")
		r.Body, r.ContentLength = io.NopCloser(body), 3<<20
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		p := requireProblem(t, w, http.StatusServiceUnavailable, "too_much")
		require.Equal(t, "1", w.Header().Get("Retry-After"))
		require.Contains(t, p.Detail, "10 MiB (--admit)")
		require.False(t, body.asked.Load(), "it was read all the same")
	}
	chunked := newRequest("POST", "/validate", "")
	chunked.Body, chunked.ContentLength = io.NopCloser(strings.NewReader(large(3<<20))), -1
	chunked.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	s.ServeHTTP(w, chunked)
	requireProblem(t, w, http.StatusServiceUnavailable, "too_much")
	require.Equal(t, http.StatusOK, s.do("POST", "/execute", greet).Code, "small requests have room of their own")

	close(leave)
	require.Equal(t, http.StatusOK, <-done)
	require.Equal(t, http.StatusOK, s.do("POST", "/validate", large(3<<20)).Code, "what is larger than the gate gets in alone")
	require.Equal(t, http.StatusOK, s.do("POST", "/validate", large(3<<20)).Code)
}

// TestAdmissionOfRuns sees that the workflow of an asynchronous run counts until that ends.
func TestAdmissionOfRuns(t *testing.T) {
	inside, leave := make(chan struct{}), make(chan struct{})
	s := newService(t, func(c *httpapi.Config) {
		c.Admit = 10 << 20
		c.Plugins(plugin{"test.wait", func(context.Context, map[string]any) (map[string]any, error) {
			inside <- struct{}{}
			<-leave
			return nil, nil
		}})
	})
	held := strings.Replace(large(256<<10), `}],"connections"`, `},{"id":"w","type":"test.wait"}],"connections"`, 1)
	require.Equal(t, http.StatusAccepted, s.do("POST", "/executions", held).Code)
	<-inside
	requireProblem(t, s.do("POST", "/validate", large(3<<20)), http.StatusServiceUnavailable, "too_much")
	close(leave)
	require.Eventually(t, func() bool { return s.do("POST", "/validate", large(3<<20)).Code == http.StatusOK }, 10*time.Second, 10*time.Millisecond)
}

// TestAdmissionOfStoredWorkflows calls many large stored workflows by a small request.
func TestAdmissionOfStoredWorkflows(t *testing.T) {
	s := newService(t, func(c *httpapi.Config) { c.Admit = 15 << 20 })
	var nodes []string
	for _, id := range []string{"a", "b", "c", "d"} {
		require.Equal(t, http.StatusCreated, s.do("POST", "/workflows", strings.Replace(large(256<<10), `"x"`, `"`+id+`"`, 1)).Code)
		nodes = append(nodes, `{"id":"`+id+`","type":"control.subworkflow","config":{"workflowId":"`+id+`"}}`)
	}
	requireProblem(t, s.do("POST", "/execute", `{"id":"all","nodes":[`+strings.Join(nodes, ",")+`],"connections":[]}`), http.StatusServiceUnavailable, "too_much")
	require.Equal(t, http.StatusOK, s.do("POST", "/execute", `{"id":"all","nodes":[`+nodes[0]+`],"connections":[]}`).Code)
}
