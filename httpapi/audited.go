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

// noAudit is the value of Config.Audit that turns the log off.
const noAudit = "none"

// auditLog returns the audit log; nil if there is no log.
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

// audit logs a request that has changed something or was refused. If the log cannot be written, the
// request still succeeds, since the change is made. The line then goes to the operators' log and is
// counted.
func (s *Service) audit(a *answer, r *http.Request) {
	outcome, worth := outcomeOf(a, r.Method)
	if !worth {
		return
	}
	if a.route == nil {
		_ = a.find(s.routes, r.Method, r.URL.EscapedPath()) // an error means that no route matches
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
	case a.code == problem.CodeWrongState: // a callback for a login that was not begun
		return audit.Refused, true
	case !changes || method == http.MethodHead:
		return "", false
	case a.status >= http.StatusInternalServerError:
		return audit.Failed, true
	}
	return audit.Done, a.status < http.StatusBadRequest
}

// changes reports whether a route changes something. Synchronous runs count, whatever their
// outcome, since a run may have sent or written anything.
func (r *route) changes() bool {
	switch r.scope {
	case keys.Run, keys.Execute:
		return !strings.HasSuffix(r.path, choicesPath)
	case "":
		return strings.HasSuffix(r.path, callbackPath)
	}
	return r.method != http.MethodGet && r.scope != keys.Read
}

// about returns the id of the object of a request.
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

// does describes a request with fixed words, without text from the caller.
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

// clipped shortens an id that may be too long for a log.
func clipped(id string) string {
	const most = 200
	if len(id) > most {
		return strings.ToValidUTF8(id[:most], "") + "…"
	}
	return id
}
