package httpapi_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/httpapi"
	"github.com/svcflow/svc/store/filestore"
)

// large returns a workflow of about n bytes, most of which is a list of numbers.
func large(n int) string {
	return `{"id":"x","nodes":[{"id":"v","type":"control.value","config":{"value":[` + strings.TrimSuffix(strings.Repeat("1,", n/2), ",") + `]}}],"connections":[]}`
}

// unread is a body that records whether it is read.
type unread struct {
	io.Reader

	asked atomic.Bool
}

func (u *unread) Read(p []byte) (int, error) {
	u.asked.Store(true)
	return u.Reader.Read(p)
}

// TestAdmission blocks a large request in its run and checks which other requests are admitted.
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

// TestAdmissionOfRuns checks that the workflow of an asynchronous run counts until the run ends.
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
	require.Eventually(t, func() bool { return s.do("POST", "/validate", large(3<<20)).Code == http.StatusOK }, time.Minute, 10*time.Millisecond)
}

// loads is a store that counts loads.
type loads struct {
	*filestore.Store

	n atomic.Int32
}

func (l *loads) Load(ctx context.Context, id string) (*workflow.Definition, error) {
	l.n.Add(1)
	return l.Store.Load(ctx, id)
}

// TestAdmissionOfStoredWorkflows calls many large stored workflows by a small request. Workflows
// that exceed the memory are not even loaded.
func TestAdmissionOfStoredWorkflows(t *testing.T) {
	kept := &loads{Store: filestore.Open(t.TempDir())}
	s := newService(t, func(c *httpapi.Config) { c.Admit, c.Store = 15<<20, kept })
	var nodes []string
	for _, id := range []string{"a", "b", "c", "d"} {
		require.Equal(t, http.StatusCreated, s.do("POST", "/workflows", strings.Replace(large(256<<10), `"x"`, `"`+id+`"`, 1)).Code)
		nodes = append(nodes, `{"id":"`+id+`","type":"control.subworkflow","config":{"workflowId":"`+id+`"}}`)
	}
	kept.n.Store(0)
	requireProblem(t, s.do("POST", "/execute", `{"id":"all","nodes":[`+strings.Join(nodes, ",")+`],"connections":[]}`), http.StatusServiceUnavailable, "too_much")
	require.EqualValues(t, 2, kept.n.Load(), "the first two fit")
	require.Equal(t, http.StatusOK, s.do("POST", "/execute", `{"id":"all","nodes":[`+nodes[0]+`],"connections":[]}`).Code)
}

// TestAdmissionOfManySmallOnes calls many small workflows, which together are too large.
func TestAdmissionOfManySmallOnes(t *testing.T) {
	s := newService(t, func(c *httpapi.Config) { c.Admit = 10 << 20 })
	var nodes []string
	for i := range 100 {
		id := fmt.Sprint("w", i)
		require.Equal(t, http.StatusCreated, s.do("POST", "/workflows", strings.Replace(large(16<<10), `"x"`, `"`+id+`"`, 1)).Code)
		nodes = append(nodes, `{"id":"`+id+`","type":"control.subworkflow","config":{"workflowId":"`+id+`"}}`)
	}
	requireProblem(t, s.do("POST", "/execute", `{"id":"all","nodes":[`+strings.Join(nodes, ",")+`],"connections":[]}`), http.StatusServiceUnavailable, "too_much")
	require.Equal(t, http.StatusOK, s.do("POST", "/execute", `{"id":"all","nodes":[`+strings.Join(nodes[:10], ",")+`],"connections":[]}`).Code)
}

// TestAdmissionOfThoseWhoHold has several requests with bodies wait for all of the memory that the
// others hold. One is admitted, and the others are refused at once instead of waiting.
func TestAdmissionOfThoseWhoHold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newService(t, func(c *httpapi.Config) { c.Admit = 12 << 20 })
		body := large(2 << 20)
		const n = 3
		var come sync.WaitGroup
		come.Add(n)
		codes := make(chan int, n)
		began := time.Now()
		for range n {
			go func() {
				r := newRequest("POST", "/validate", "")
				text := strings.NewReader(body)
				r.Body, r.ContentLength = io.NopCloser(io.MultiReader(io.LimitReader(text, 1), together{&come}, text)), int64(len(body))
				r.Header.Set("Content-Type", "application/json")
				w := httptest.NewRecorder()
				s.ServeHTTP(w, r)
				codes <- w.Code
			}()
		}
		got := map[int]int{}
		for range n {
			got[<-codes]++
		}
		require.Equal(t, map[int]int{http.StatusOK: 1, http.StatusServiceUnavailable: n - 1}, got)
		require.Less(t, time.Since(began), 4*time.Second, "nobody waits until another gives up, which takes five seconds")
	})
}

// together is the end of a body that arrives when all requests have come that far.
type together struct{ come *sync.WaitGroup }

func (t together) Read([]byte) (int, error) {
	t.come.Done()
	t.come.Wait()
	return 0, io.EOF
}
