package httpapi

import (
	"net/http"

	"github.com/svcflow/svc/app/runs"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/engine/workflow"
)

// Probes returns a handler that serves only GET /healthz, /readyz and /metrics, without a key and a
// prefix. Serve it on a separate address for orchestrators, load balancers and monitoring.
func (s *Service) Probes() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.answer(w, r, s.serveProbe) })
}

func (s *Service) serveProbe(a *answer, r *http.Request) error {
	method := r.Method
	if method == http.MethodOptions { // of load balancers, which look at the status
		method = http.MethodGet
	}
	if err := a.find(s.probes, method, r.URL.EscapedPath()); err != nil {
		return err
	}
	return a.route.serve(a, r)
}

// newProbes returns the table of the routes of Probes.
func (s *Service) newProbes() table {
	return newTable([]route{
		{http.MethodGet, "/healthz", "", open, nil, s.getLiveness},
		{http.MethodGet, "/readyz", "", open, nil, s.getReadiness},
		{http.MethodGet, "/metrics", "", open, nil, s.getMetrics},
	})
}

// getHealth answers GET / for clients other than browsers. Load balancers use it, so a stopping
// service reports that it wants no more requests.
func (s *Service) getHealth(a *answer, r *http.Request) error {
	if s.closing.Load() {
		a.text(http.StatusServiceUnavailable, jsonType, s.draining)
		return nil
	}
	return s.getLiveness(a, r)
}

// getLiveness answers GET /healthz: the process answers requests. It also succeeds while the
// service stops, since orchestrators kill the process otherwise.
func (s *Service) getLiveness(a *answer, _ *http.Request) error {
	a.text(http.StatusOK, jsonType, s.health)
	return nil
}

func healthJSON(status, version string) []byte {
	text := append([]byte(`{"status":"`+status+`","service":"svc","version":`), value.AppendText(nil, version)...)
	return append(text, '}', '\n')
}

// getReadiness answers GET /readyz: the service accepts runs, its store answers, and journals can
// be written.
func (s *Service) getReadiness(a *answer, r *http.Request) error {
	if s.closing.Load() {
		return runs.ErrStopping
	}
	if _, err := s.store.List(r.Context(), workflow.Query{Limit: 1}); err != nil {
		return err
	}
	if err := s.watch.check(r.Context()); err != nil {
		return err
	}
	if s.shared {
		if err := s.app.Recover(r.Context()); err != nil {
			return err
		}
	}
	return s.getLiveness(a, r)
}
