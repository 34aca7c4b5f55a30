package httpapi_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/httpapi"
	"github.com/svcflow/svc/store"
	"github.com/svcflow/svc/store/filestore"
)

// fourOperations is a store without optional interfaces.
type fourOperations struct {
	mu  sync.Mutex
	all map[string]*workflow.Definition
}

func (f *fourOperations) List(_ context.Context, q workflow.Query) (workflow.Page, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var metas []workflow.Meta
	for _, id := range slices.Sorted(maps.Keys(f.all)) {
		metas = append(metas, workflow.Meta{ID: id})
	}
	return store.Paged(metas, q)
}

func (f *fourOperations) Load(_ context.Context, id string) (*workflow.Definition, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if def, ok := f.all[id]; ok {
		return def, nil
	}
	return nil, workflow.ErrNotFound
}

func (f *fourOperations) Save(_ context.Context, def *workflow.Definition) (workflow.Meta, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.all == nil {
		f.all = map[string]*workflow.Definition{}
	}
	f.all[def.ID] = def
	return workflow.Meta{ID: def.ID}, nil
}

func (f *fourOperations) Delete(_ context.Context, id string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.all, id)
	return nil
}

func TestStoreWithFourOperations(t *testing.T) {
	s := newService(t, func(c *httpapi.Config) { c.Store = &fourOperations{} })
	require.JSONEq(t, `[]`, s.do("GET", "/workflows", "").Body.String())

	w := s.do("POST", "/workflows", greet, "If-None-Match", "*")
	meta := requireJSON(t, w, http.StatusCreated).(map[string]any)
	require.Equal(t, true, meta["valid"])
	etag := w.Header().Get("ETag")
	requireProblem(t, s.do("POST", "/workflows", greet, "If-None-Match", "*"), http.StatusPreconditionFailed, "precondition_failed")
	requireProblem(t, s.do("DELETE", "/workflows/greet", "", "If-Match", `"x"`), http.StatusPreconditionFailed, "precondition_failed")

	run := requireJSON(t, s.do("POST", "/workflows/greet/run", `{"inputs":{"who":"you"}}`), http.StatusOK).(map[string]any)
	require.Equal(t, map[string]any{"greeting": "Hello, you!"}, run["outputs"])
	requireProblem(t, s.do("GET", "/workflows/greet/revisions", ""), http.StatusNotFound, "no_revisions")
	requireProblem(t, s.do("GET", "/workflows/greet/revisions/1", ""), http.StatusNotFound, "no_revisions")

	draft := `{"id":"greet","nodes":[{"id":"n","type":"no.such"}],"connections":[]}`
	meta = requireJSON(t, s.do("POST", "/workflows", draft, "If-Match", etag), http.StatusCreated).(map[string]any)
	require.Equal(t, false, meta["valid"])
	requireProblem(t, s.do("POST", "/workflows/greet/run", ""), http.StatusUnprocessableEntity, "validation_failed")
	require.Equal(t, http.StatusNoContent, s.do("DELETE", "/workflows/greet", "").Code)
	requireProblem(t, s.do("GET", "/workflows/greet", ""), http.StatusNotFound, "not_found")
}

// failingStore is a store whose methods all return one error.
type failingStore struct{ err error }

func (f failingStore) List(context.Context, workflow.Query) (workflow.Page, error) {
	return workflow.Page{}, f.err
}

func (f failingStore) Load(context.Context, string) (*workflow.Definition, error) {
	return nil, f.err
}

func (f failingStore) Save(context.Context, *workflow.Definition) (workflow.Meta, error) {
	return workflow.Meta{}, f.err
}
func (f failingStore) Delete(context.Context, string) error { return f.err }

func TestErrorsOfStores(t *testing.T) {
	const path = "/secret/place/on/disk"
	inFile := func(err error) error {
		return fmt.Errorf("save workflow: %w", &fs.PathError{Op: "open", Path: path, Err: err})
	}
	tests := []struct {
		err    error
		status int
		code   string
	}{
		{workflow.ErrNotFound, http.StatusNotFound, "not_found"},
		{fmt.Errorf("%w: %s", workflow.ErrConflict, path), http.StatusPreconditionFailed, "precondition_failed"},
		{fmt.Errorf("%w: %s: %w", store.ErrDamaged, path, errors.New("offset 1")), http.StatusConflict, "damaged"},
		{inFile(syscall.ENOSPC), http.StatusInsufficientStorage, "storage_full"},
		{inFile(syscall.EDQUOT), http.StatusInsufficientStorage, "storage_full"},
		{inFile(syscall.EMFILE), http.StatusServiceUnavailable, "unavailable"},
		{inFile(syscall.ENFILE), http.StatusServiceUnavailable, "unavailable"},
		{inFile(syscall.EROFS), http.StatusServiceUnavailable, "unavailable"},
		{inFile(syscall.EACCES), http.StatusServiceUnavailable, "unavailable"},
		{inFile(syscall.EPERM), http.StatusServiceUnavailable, "unavailable"},
		{context.Canceled, http.StatusServiceUnavailable, "cancelled"},
		{context.DeadlineExceeded, http.StatusServiceUnavailable, "cancelled"},
		{inFile(syscall.EIO), http.StatusInternalServerError, "internal"},
	}
	for _, test := range tests {
		t.Run(test.err.Error(), func(t *testing.T) {
			s := newService(t, func(c *httpapi.Config) { c.Store = failingStore{test.err} })
			for _, request := range [][3]string{
				{"GET", "/workflows"},
				{"POST", "/workflows", greet},
				{"GET", "/workflows/greet"},
				{"DELETE", "/workflows/greet"},
				{"POST", "/workflows/greet/run"},
				{"GET", "/readyz"},
			} {
				w := do(s.Service, request[0], request[1], request[2])
				require.NotContains(t, w.Body.String(), path)
				requireProblem(t, w, test.status, test.code)
				require.Equal(t, test.status == http.StatusServiceUnavailable, w.Header().Get("Retry-After") != "")
			}
			require.Equal(t, http.StatusOK, s.do("GET", "/healthz", "").Code)
		})
	}
}

// panickingStore is a store that panics.
type panickingStore struct{ failingStore }

func (panickingStore) List(context.Context, workflow.Query) (workflow.Page, error) {
	panic("wires crossed")
}

// TestDamagedWorkflow damages the file of a workflow that another one calls.
func TestDamagedWorkflow(t *testing.T) {
	var dir string
	s := newService(t, func(c *httpapi.Config) { dir = filepath.Join(c.DataDir, "workflows") })
	outer := `{"id":"outer","nodes":[{"id":"n","type":"control.subworkflow","config":{"workflowId":"greet"}}],"connections":[]}`
	for _, text := range []string{greet, outer} {
		meta := requireJSON(t, s.do("POST", "/workflows", text), http.StatusCreated).(map[string]any)
		require.Equal(t, true, meta["valid"])
	}
	files, err := filepath.Glob(filepath.Join(dir, "greet*"))
	require.NoError(t, err)
	require.Len(t, files, 1)
	require.NoError(t, os.WriteFile(files[0], []byte(`{"id":"greet","nodes":[`), 0o600))

	listed := requireJSON(t, s.do("GET", "/workflows", ""), http.StatusOK).([]any)
	require.Len(t, listed, 2)
	require.Equal(t, true, listed[0].(map[string]any)["damaged"])
	requireProblem(t, s.do("GET", "/workflows/greet", ""), http.StatusConflict, "damaged")
	requireProblem(t, s.do("POST", "/workflows/greet/run", ""), http.StatusConflict, "damaged")
	requireProblem(t, s.do("POST", "/workflows/outer/run", ""), http.StatusConflict, "damaged")
	require.Equal(t, http.StatusCreated, s.do("POST", "/workflows", outer[:len(outer)-1]+`,"notes":[]}`).Code, "a draft that calls a damaged one")
	require.Equal(t, http.StatusCreated, s.do("POST", "/workflows", greet).Code)
	require.Equal(t, http.StatusOK, s.do("POST", "/workflows/outer/run", "").Code)
}

// TestNoDirectory puts a file where the directory of the store should be.
func TestNoDirectory(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	c := testConfig(t)
	c.DataDir = file
	_, err := httpapi.New(c)
	require.ErrorContains(t, err, "not a directory")
	s := newService(t, func(c *httpapi.Config) { c.Store = filestore.Open(file) })
	w := s.do("POST", "/workflows", greet)
	require.NotContains(t, w.Body.String(), file)
	require.GreaterOrEqual(t, w.Code, http.StatusInternalServerError)
	require.GreaterOrEqual(t, s.do("GET", "/readyz", "").Code, http.StatusInternalServerError)
}
