// Package httpapi is the HTTP interface of Svc: a [Service] validates, runs and stores workflows
// for callers with its key. It is served by a separate server or, through [Install], by that of a
// host.
//
// It turns requests into calls of package app, and their results into answers. Package app decides
// what a workflow may do, and how it is run and stored. Listening, TLS and graceful shutdown are
// the task of the program that serves a Service.
//
// Every error is answered as RFC 9457 problem JSON with a stable code.
package httpapi

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/cors"

	"github.com/svcflow/svc/app"
	"github.com/svcflow/svc/httpapi/audit"
	"github.com/svcflow/svc/httpapi/internal/admission"
	"github.com/svcflow/svc/httpapi/internal/problem"
	"github.com/svcflow/svc/httpapi/keys/ring"
	"github.com/svcflow/svc/httpapi/page"
	"github.com/svcflow/svc/httpapi/telemetry"
	"github.com/svcflow/svc/store"
)

// Service is an [http.Handler]. It is safe for concurrent use. Asynchronous runs outlive the
// requests that start them, so callers must call Close.
type Service struct {
	app      *app.App
	store    store.WorkflowStore
	key      *apiKey
	ring     ring.Ring
	master   caller // the caller with key, or every caller without one
	underWay underWay
	audits   *audit.Log // nil if the log is turned off
	origins  *http.CrossOriginProtection
	cors     *cors.Cors // nil if no other origin is allowed
	routes   table
	prefix   string   // "" or "/flow"
	callback []string // segments of callbackPath with the prefix
	base     string   // prefix of Location headers
	log      *slog.Logger
	gate     *admission.Gate // nil without a limit
	shared   bool            // runs are shared with other processes
	usual    http.Header
	answers  sync.Pool // of *answer
	zippers  sync.Pool // of *zipper
	chunks   sync.Pool // of *[]byte, buffers for frames

	watch   *watch
	metrics *metrics
	traces  *telemetry.Traces // nil if no traces are sent

	closing atomic.Bool // Close was called

	health    []byte // the answer of the health check
	draining  []byte // the same while the service stops
	probes    table  // of Probes
	hookRoute route  // shared by all armed hooks
	page      page.Page
	html      fixed  // of page
	about     []byte // the answer of GET /service

	uncount   func() // stops counting the files of workflows
	secrets   *secrets
	publicURL string // "" if unknown
	maxUpload int64  // in bytes
	nodes     fixed  // the answer of GET /nodes

	description func() (fixed, error) // the answer of GET /openapi.json
}

// New makes a Service and opens its stores. Unfinished runs of an earlier process end as failed,
// with the code interrupted, and can be resumed. Errors say what to change in c.
func New(c Config) (*Service, error) {
	s, err := newService(c)
	if err != nil {
		return nil, fmt.Errorf("httpapi: %w", err)
	}
	return s, nil
}

func newService(c Config) (*Service, error) {
	c, err := c.withDefaults()
	if err != nil {
		return nil, err
	}
	key, err := c.key()
	if err != nil {
		return nil, err
	}
	home, err := page.New()
	if err != nil {
		return nil, err
	}
	w, err := newWatch(&c)
	if err != nil {
		return nil, err
	}
	s, err := c.service(w)
	if err != nil {
		return nil, errors.Join(err, w.close(context.Background()))
	}
	s.key, s.master, s.page, s.html = key, masterOf(key), home, newFixed(home.HTML)
	s.uncount = c.quota.Watch(c.filesDir())
	s.description = sync.OnceValues(func() (fixed, error) { return s.newDescription(c.Version) })
	s.routes, s.probes = s.newRoutes(), s.newProbes()
	s.hookRoute = route{path: s.prefix + hooksPath + "{path}"}
	return s, nil
}

// service makes the Service and its App; w observes the runs.
func (c *Config) service(w *watch) (*Service, error) {
	origins, err := c.newOrigins()
	if err != nil {
		return nil, err
	}
	secrets, err := c.secrets()
	if err != nil {
		return nil, err
	}
	a, err := c.app(w, secrets)
	if err != nil {
		return nil, err
	}
	w.metrics.show(a.Stats, w.local.Abandoned)
	w.metrics.registry.MustRegister(newTriggerMetrics(a.TriggerCounts))
	s := &Service{
		app: a, store: c.Store, prefix: c.RoutePrefix, base: cmp.Or(c.PublicURL, c.RoutePrefix), log: c.Log,
		ring: c.Keys, audits: c.auditLog(), origins: origins, cors: newCORS(c.CORSOrigins),
		zippers: sync.Pool{New: newZipper},
		chunks:  sync.Pool{New: func() any { chunk := make([]byte, 0, writeAtOnce); return &chunk }},
		gate:    c.gate(w),
		shared:  c.Shared != nil,
		watch:   w, metrics: w.metrics, traces: w.traces,
		health: healthJSON("ok", c.Version), draining: healthJSON("draining", c.Version),
		secrets: secrets, publicURL: c.PublicURL, maxUpload: c.MaxUpload, usual: usualHeader(), callback: strings.Split(c.RoutePrefix+callbackPath, "/"),
	}
	s.answers.New = func() any { return &answer{zippers: &s.zippers} }
	types, err := a.NodeTypes(context.Background())
	if err == nil {
		var text []byte
		text, err = appendJSON(nil, types)
		s.nodes = newFixed(text)
	}
	if err == nil {
		s.about, err = appendJSON(nil, about{c.Version, c.DataDir})
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("describe node types: %w", err), a.Close(context.Background()))
	}
	return s, nil
}

// Recover waits until the unfinished runs of an earlier process have ended; see [app.App.Recover].
func (s *Service) Recover(ctx context.Context) error { return s.app.Recover(ctx) }

// Close stops the Service. It accepts no more runs and reports that it is not ready. It waits for
// active runs until ctx ends, then interrupts the rest, which can be resumed, and closes
// Config.Runs. Other requests are still answered; event streams end with their runs. Close may be
// called again.
func (s *Service) Close(ctx context.Context) error {
	s.closing.Store(true)
	err := s.app.Close(ctx)
	s.underWay.close()
	s.uncount()
	s.secrets.refresher.Wait() // a rotated token must not be lost
	return errors.Join(err, s.ring.Close(context.WithoutCancel(ctx)), s.audits.Close(), s.watch.close(ctx))
}

// ServeHTTP implements [http.Handler].
func (s *Service) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.answer(w, r, s.serve) }

// answer lets serve answer r; it measures, logs and traces the request.
func (s *Service) answer(w http.ResponseWriter, r *http.Request, serve handler) {
	began := time.Now()
	a := s.answers.Get().(*answer)
	a.start(w, r, s.usual)
	r, span := s.traced(r)
	logged := s.log.Enabled(r.Context(), slog.LevelDebug)
	if logged {
		a.identify()
	}
	defer func() {
		cut := false
		if p := recover(); p != nil {
			cut = s.panicked(a, r, p)
		}
		took := time.Since(began)
		s.metrics.answered(a, r.Method, took)
		endSpan(span, a, r)
		s.audit(a, r)
		if logged {
			s.note(a, r, slog.LevelDebug, "request", slog.Duration("took", took))
		}
		if a.reset() {
			s.answers.Put(a)
		}
		if cut {
			panic(http.ErrAbortHandler) // the client must notice that the answer is incomplete
		}
	}()
	if err := serve(a, r); err != nil {
		s.fail(a, r, err)
	}
}

// serve authenticates r and passes it to its route.
func (s *Service) serve(a *answer, r *http.Request) error {
	if s.rebound(r) {
		return problem.New(http.StatusMisdirectedRequest, problem.CodeWrongHost,
			"without a key this service answers on this machine to localhost only; use that name, or have its operator name yours with --public-url")
	}
	escaped := r.URL.EscapedPath()
	if ok, err := s.hooked(a, r, escaped); ok || err != nil {
		return err
	}
	if s.crossed(a, r) {
		return nil
	}
	if !s.isOpen(r.Method, escaped) {
		if err := s.enter(a, r); err != nil {
			return err
		}
	}
	if s.origins.Check(r) != nil {
		return problem.New(http.StatusForbidden, problem.CodeCrossOrigin, "pages of other origins may not change anything here")
	}
	if err := a.find(s.routes, r.Method, escaped); err != nil {
		return err
	}
	if err := a.caller.may(a.route.scope); err != nil {
		return err
	}
	if err := s.checkReach(a, r); err != nil {
		return err
	}
	if err := a.readQuery(r); err != nil {
		return err
	}
	return a.route.serve(a, r)
}

// note logs a message about r. It never logs query, headers or body, which may contain secrets.
func (s *Service) note(a *answer, r *http.Request, level slog.Level, message string, more ...slog.Attr) {
	attrs := append([]slog.Attr{
		slog.String("request", a.id), slog.String("method", r.Method),
		slog.String("path", r.URL.EscapedPath()), slog.Int("status", a.status),
		traceAttr(r), slog.String("key", a.caller.name),
	}, more...)
	s.log.LogAttrs(r.Context(), level, message, attrs...)
}

// isOpen reports whether a request needs no key: the health check, at exactly one spelling of its
// path, and the callback of a login.
func (s *Service) isOpen(method, escaped string) bool {
	if method != http.MethodGet && method != http.MethodHead && method != http.MethodOptions {
		return false
	}
	segments, ok := appendSegments(make([]string, 0, usualSegments), escaped)
	if ok && method == http.MethodGet && matches(s.callback, segments) {
		return true
	}
	return s.isHome(escaped)
}

// isHome reports whether a path is that of the health check.
func (s *Service) isHome(escaped string) bool {
	rest, ok := strings.CutPrefix(escaped, s.prefix)
	return ok && (rest == "/" || rest == "" && s.prefix != "")
}

// getOptions answers OPTIONS of the health check, which HAProxy sends unless it is told
// otherwise.
func (s *Service) getOptions(a *answer, r *http.Request) error {
	a.Header().Set("Allow", "GET, HEAD, OPTIONS")
	if s.closing.Load() {
		return s.getHealth(a, r)
	}
	a.WriteHeader(http.StatusNoContent)
	return nil
}

// fail sends the answer to an error and logs details for operators.
func (s *Service) fail(a *answer, r *http.Request, err error) {
	p := problem.Of(err)
	s.metrics.problems.WithLabelValues(p.Code).Inc()
	a.code = p.Code
	failed := p.Status >= http.StatusInternalServerError
	if failed {
		a.identify()
	}
	a.problem(p)
	if failed {
		s.note(a, r, levelOf(p.Status, r), "request failed", slog.String("code", p.Code), slog.Any("error", err))
	}
}

// levelOf returns the log level for a failure of r.
func levelOf(status int, r *http.Request) slog.Level {
	switch {
	case r.Context().Err() != nil: // the caller has disconnected
		return slog.LevelDebug
	case status == http.StatusServiceUnavailable:
		return slog.LevelWarn
	}
	return slog.LevelError
}

// panicked handles a panic in the handler of r. It reports whether the answer is incomplete, so
// that the connection must be closed after the request is accounted for.
func (s *Service) panicked(a *answer, r *http.Request, p any) (cut bool) {
	if p == http.ErrAbortHandler { //nolint:errorlint // net/http compares this exact value
		return true
	}
	a.identify()
	answered := a.status != 0
	if !answered {
		a.problem(problem.New(http.StatusInternalServerError, problem.CodeInternal, problem.InternalDetail))
	}
	s.note(a, r, slog.LevelError, "request panicked", slog.Any("panic", p), slog.String("stack", string(debug.Stack())))
	return answered
}
