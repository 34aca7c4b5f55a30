package httpapi

import (
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/svcflow/svc/httpapi/audit"
	"github.com/svcflow/svc/httpapi/internal/problem"
	"github.com/svcflow/svc/httpapi/keys"
)

// noAudit is the Config.Audit of a service that keeps no log of changes.
const noAudit = "none"

// auditLog returns where changes and refusals are written down; nil is nowhere.
func (c *Config) auditLog() *audit.Log {
	switch c.Audit {
	case noAudit:
		return nil
	case "":
		if c.AuditTo != nil {
			return audit.To(c.AuditTo)
		}
		return audit.Open(filepath.Join(c.DataDir, audit.File))
	}
	return audit.Open(c.Audit)
}

// audit writes down a request that has changed something, or was refused. A log that
// cannot be written holds nothing up, since the change is made: the line is then in the
// log for operators, and counted.
func (s *Service) audit(a *answer, r *http.Request) {
	outcome, worth := outcomeOf(a, r.Method)
	if !worth {
		return
	}
	if a.route == nil {
		_ = a.find(s.routes, r.Method, r.URL.EscapedPath()) // or it is at no route
	}
	e := audit.Entry{
		Time: time.Now().UTC(), Who: a.caller.name, From: hostOf(r.RemoteAddr), Does: does(a.route, s.prefix, r.Method),
		ID: clipped(a.about()), Outcome: outcome, Status: a.status, Code: a.code, Request: a.id,
		Waited: a.waited,
	}
	if err := s.audits.Write(e); err != nil {
		s.metrics.audit.Inc()
		s.log.LogAttrs(r.Context(), slog.LevelError, "a line of the audit log is here instead", slog.Any("error", err), slog.Any("line", e))
	}
}

// outcomeOf returns the outcome of a request, and whether to log it: changes and refusals are
// logged, mistakes of the caller are not.
func outcomeOf(a *answer, method string) (audit.Outcome, bool) {
	changes := a.route != nil && a.route.changes()
	switch {
	case a.status == http.StatusUnauthorized, a.status == http.StatusForbidden, a.status == http.StatusTooManyRequests:
		return audit.Refused, true
	case a.code == problem.CodeWrongState: // a login that nobody has begun
		return audit.Refused, true
	case !changes || method == http.MethodHead:
		return "", false
	case a.status >= http.StatusInternalServerError:
		return audit.Failed, true
	}
	return audit.Done, a.status < http.StatusBadRequest
}

// changes reports whether a route changes something. A run that somebody waits for is one,
// however it ends: it may have posted, sent or written anything.
func (r *route) changes() bool {
	switch r.scope {
	case keys.Run:
		return !strings.HasSuffix(r.path, choicesPath)
	case "":
		return strings.HasSuffix(r.path, callbackPath)
	}
	return r.method != http.MethodGet && r.scope != keys.Read
}

// about names what a request is about.
func (a *answer) about() string {
	switch {
	case a.subject != "":
		return a.subject
	case a.started != "":
		return a.started
	case a.route != nil && strings.Contains(a.route.path, "{"):
		return a.wildcards[0]
	}
	return ""
}

// does names what a request asks for, by words of the program.
func does(route *route, prefix, method string) string {
	if !slices.Contains(methods(), method) && method != http.MethodHead {
		method = "other"
	}
	if route == nil {
		return method
	}
	return method + " " + strings.TrimPrefix(route.path, prefix)
}

// hostOf returns the address of a connection without its port.
func hostOf(addr string) string {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return addr
	}
	return host
}

// clipped shortens what a caller may have made too long for a log.
func clipped(id string) string {
	const most = 200
	if len(id) > most {
		return strings.ToValidUTF8(id[:most], "") + "…"
	}
	return id
}
