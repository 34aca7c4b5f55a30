package httpapi_test

import (
	"context"
	"net/http"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/httpapi"
	"github.com/svcflow/svc/store"
	"github.com/svcflow/svc/store/memstore"
)

// checkedRuns is a store whose Check returns err.
type checkedRuns struct {
	store.RunStore

	err error
}

func (r *checkedRuns) Check(context.Context) error { return r.err }

func TestReadiness(t *testing.T) {
	runs := &checkedRuns{RunStore: &memstore.Runs{}}
	s := newService(t, func(c *httpapi.Config) { c.Runs = runs })
	health := s.do("GET", "/healthz", "").Body.String()
	require.JSONEq(t, `{"status":"ok","service":"svc","version":"test"}`, health)
	require.Equal(t, health, s.do("GET", "/readyz", "").Body.String())

	runs.err = syscall.EROFS
	requireProblem(t, s.do("GET", "/readyz", ""), http.StatusServiceUnavailable, "unavailable")
	runs.err = syscall.ENOSPC
	requireProblem(t, s.do("GET", "/readyz", ""), http.StatusInsufficientStorage, "storage_full")
	require.Equal(t, http.StatusOK, s.do("GET", "/healthz", "").Code, "the process is alive all the same")

	runs.err = nil
	require.NoError(t, s.Close(t.Context()))
	requireProblem(t, s.do("GET", "/readyz", ""), http.StatusServiceUnavailable, "stopping")
	require.Equal(t, http.StatusOK, s.do("GET", "/healthz", "").Code)
}
