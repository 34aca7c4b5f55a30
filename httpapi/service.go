// Package httpapi is the HTTP face of Svc: a [Service] checks, runs and keeps
// workflows for callers that hold its key, on a server of its own or, through
// [Install], on that of a host.
//
// It turns requests into calls of package app, and what comes back into answers.
// What a workflow may do, and how it is run and kept, is decided there. Listening,
// TLS and stopping gracefully are up to the program that serves a Service.
//
// Every error is answered as RFC 9457 problem JSON with a stable code.
package httpapi

import (
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/svcflow/svc/app"
	"github.com/svcflow/svc/store"
)

// Service answers HTTP requests. It is safe for concurrent use. It has neither
// goroutines nor open files of its own, so there is nothing to close: once its
// requests have ended, all it did has ended.
type Service struct {
	app     *app.App
	store   store.WorkflowStore
	key     *apiKey
	origins *http.CrossOriginProtection
	routes  []route
	prefix  string // "" or "/flow"
	log     *slog.Logger
	answers sync.Pool // of *answer

	health []byte // the answer of the health check
	nodes  []byte // the answer of GET /nodes
}

// New makes a Service. It does not touch the network, nor the disk unless
// c.Store does. Its error says what to change in c.
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
	a, err := c.app()
	if err != nil {
		return nil, err
	}
	s := &Service{
		app: a, store: c.Store, key: key, prefix: c.RoutePrefix, log: c.Log,
		origins: http.NewCrossOriginProtection(),
		answers: sync.Pool{New: func() any { return new(answer) }},
		health:  healthJSON(c.Version),
	}
	if s.nodes, err = appendJSON(nil, a.NodeTypes()); err != nil {
		return nil, fmt.Errorf("describe node types: %w", err)
	}
	s.routes = s.newRoutes()
	return s, nil
}

// ServeHTTP implements http.Handler.
func (s *Service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	began := time.Now()
	a := s.answers.Get().(*answer)
	a.start(w, r)
	logged := s.log.Enabled(r.Context(), slog.LevelDebug)
	if logged {
		a.identify()
	}
	defer func() {
		if p := recover(); p != nil {
			s.panicked(a, r, p)
		}
		if logged {
			s.note(a, r, slog.LevelDebug, "request", slog.Duration("took", time.Since(began)))
		}
		if a.reset() {
			s.answers.Put(a)
		}
	}()
	if err := s.serve(a, r); err != nil {
		s.fail(a, r, err)
	}
}

// serve lets r in, or not, and hands it to its route.
func (s *Service) serve(a *answer, r *http.Request) error {
	escaped := r.URL.EscapedPath()
	switch {
	case !s.isOpen(r.Method, escaped) && !s.key.admits(r):
		return refuse(a, r)
	case s.origins.Check(r) != nil:
		return newProblem(http.StatusForbidden, codeCrossOrigin, "pages of other origins may not change anything here")
	}
	serve, err := s.find(a, r.Method, escaped)
	if err != nil {
		return err
	}
	return serve(a, r)
}

// note logs something about r. It never shows query, headers and body, where
// secrets might be.
func (s *Service) note(a *answer, r *http.Request, level slog.Level, message string, more ...slog.Attr) {
	attrs := append([]slog.Attr{
		slog.String("request", a.id), slog.String("method", r.Method),
		slog.String("path", r.URL.EscapedPath()), slog.Int("status", a.status),
	}, more...)
	s.log.LogAttrs(r.Context(), level, message, attrs...)
}

// isOpen reports whether a request needs no key: it is the health check, which
// is at exactly one address, however else that could be written.
func (s *Service) isOpen(method, escaped string) bool {
	if method != http.MethodGet && method != http.MethodHead {
		return false
	}
	rest, ok := strings.CutPrefix(escaped, s.prefix)
	return ok && (rest == "/" || rest == "" && s.prefix != "")
}

// fail answers with what err means to callers. What only operators may see goes
// to the log.
func (s *Service) fail(a *answer, r *http.Request, err error) {
	p := problemOf(err)
	failed := p.Status >= http.StatusInternalServerError
	if failed {
		a.identify()
	}
	a.problem(p)
	if failed {
		s.note(a, r, levelOf(p.Status, r), "request failed", slog.String("code", p.Code), slog.Any("error", err))
	}
}

// levelOf returns how urgent it is that an operator sees how r failed.
func levelOf(status int, r *http.Request) slog.Level {
	switch {
	case status == http.StatusNotImplemented, r.Context().Err() != nil: // the caller asked for it, or has gone
		return slog.LevelDebug
	case status == http.StatusServiceUnavailable:
		return slog.LevelWarn
	}
	return slog.LevelError
}

// panicked answers a request whose handler has panicked with p.
func (s *Service) panicked(a *answer, r *http.Request, p any) {
	if p == http.ErrAbortHandler { //nolint:errorlint // this very value, as net/http compares it
		panic(p)
	}
	a.identify()
	answered := a.status != 0
	if !answered {
		a.problem(newProblem(http.StatusInternalServerError, codeInternal, internalDetail))
	}
	s.note(a, r, slog.LevelError, "request panicked", slog.Any("panic", p), slog.String("stack", string(debug.Stack())))
	if answered {
		panic(http.ErrAbortHandler) // half an answer must not pass for a whole one
	}
}
