package httpapi_test

import (
	"context"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/app/drive"
	"github.com/svcflow/svc/app/localruns"
	"github.com/svcflow/svc/app/runs"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/httpapi"
	"github.com/svcflow/svc/store"
	"github.com/svcflow/svc/store/memstore"
)

// keptElsewhere is a run backend whose Ready returns err.
type keptElsewhere struct {
	runs.Backend

	err error
}

// Ready implements [runs.Backend].
func (k *keptElsewhere) Ready(context.Context) error { return k.err }

// TestRunsThatAreKeptElsewhere checks that a service with a run backend reports the readiness and
// the metrics of that backend.
func TestRunsThatAreKeptElsewhere(t *testing.T) {
	backend := &keptElsewhere{}
	s := newService(t, func(c *httpapi.Config) {
		c.Runs = nil
		c.Shared = func(env drive.Env) (_ runs.Backend, err error) {
			backend.Backend, err = localruns.New(env, &memstore.Runs{}, false)
			return backend, err
		}
		c.Figures = func() []node.Figure {
			return []node.Figure{{Name: "test_figure_total", Help: "A figure.", Label: "of", Is: "test", Value: 42}}
		}
	})
	require.Equal(t, http.StatusOK, s.do("GET", "/readyz", "").Code)
	require.Contains(t, s.do("GET", "/metrics", "").Body.String(), `test_figure_total{of="test"} 42`)
	backend.err = store.ErrUnavailable
	requireProblem(t, s.do("GET", "/readyz", ""), http.StatusServiceUnavailable, "unavailable")
	require.Equal(t, http.StatusOK, s.do("GET", "/healthz", "").Code)
}
