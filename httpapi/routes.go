package httpapi

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/svcflow/svc/httpapi/internal/problem"
	"github.com/svcflow/svc/httpapi/keys"
)

// route is a route of the service.
type route struct {
	method string     // GET includes HEAD
	path   string     // with the prefix; a segment in braces matches any non-empty segment
	scope  keys.Scope // required scope; "" for public routes
	reach  reach      // what it has for keys that are limited to workflows
	query  []string   // known query parameters
	serve  handler
}

// handler answers a request. If it returns an error, it must not have written anything.
type handler func(*answer, *http.Request) error

// table is the table of routes, with paths split in advance.
type table []tabled

type tabled struct {
	route

	segments []string // of the path
}

func newTable(routes []route) table {
	t := make(table, len(routes))
	for i, r := range routes {
		t[i] = tabled{r, strings.Split(r.path, "/")}
	}
	return t
}

// newRoutes returns the table of all routes (docs/design.md, HTTP).
func (s *Service) newRoutes() table {
	routes := []route{
		{http.MethodGet, "/", "", open, nil, s.getHome},
		{http.MethodOptions, "/", "", open, nil, s.getOptions},
		{http.MethodGet, "/healthz", keys.Read, open, nil, s.getLiveness},
		{http.MethodGet, "/readyz", keys.Read, open, nil, s.getReadiness},
		{http.MethodGet, "/metrics", keys.Read, closed, nil, s.getMetrics},
		{http.MethodGet, "/service", keys.Read, open, nil, s.getService},
		{http.MethodGet, "/openapi.json", keys.Read, open, nil, s.getDescription},

		{http.MethodPost, "/validate", keys.Read, open, nil, s.validate},
		{http.MethodPost, "/hints", keys.Read, open, nil, s.hints},
		{http.MethodPost, "/layout", keys.Read, open, []string{"keep"}, s.layout},
		{http.MethodPost, "/execute", keys.Execute, closed, []string{"full", "record"}, s.withRunSlot(s.execute)},

		{http.MethodPost, "/executions", keys.Execute, closed, nil, s.withRunSlot(s.startRun)},
		{http.MethodGet, "/executions", keys.Read, filtered, []string{"workflowId", "status", "limit", "cursor"}, s.listRuns},
		{http.MethodGet, "/executions/{id}", keys.Read, ofRun, []string{"full"}, s.getRun},
		{http.MethodDelete, "/executions/{id}", keys.Write, closed, nil, s.deleteRun},
		{http.MethodGet, "/executions/{id}/events", keys.Read, ofRun, nil, s.followRun},
		{http.MethodGet, "/executions/{id}/workflow", keys.Read, ofRun, nil, s.getRunWorkflow},
		{http.MethodGet, "/executions/{id}/inputs", keys.Read, ofRun, nil, s.getRunInputs},
		{http.MethodGet, "/executions/{id}/files", keys.Read, ofRun, nil, s.getRunFiles},
		{http.MethodPost, "/executions/{id}/cancel", keys.Run, ofRun, nil, s.cancelRun},
		{http.MethodPost, "/executions/{id}/resume", keys.Run, ofRun, nil, s.withRunSlot(s.resumeRun)},

		{http.MethodGet, "/workflows", keys.Read, filtered, []string{"limit", "cursor"}, s.listWorkflows},
		{http.MethodPost, "/workflows", keys.Write, closed, nil, s.saveWorkflow},
		{http.MethodGet, "/workflows/{id}", keys.Read, ofWorkflow, nil, s.getWorkflow},
		{http.MethodDelete, "/workflows/{id}", keys.Write, closed, nil, s.deleteWorkflow},
		{http.MethodGet, "/workflows/{id}/revisions", keys.Read, ofWorkflow, nil, s.listRevisions},
		{http.MethodGet, "/workflows/{id}/revisions/{n}", keys.Read, ofWorkflow, nil, s.getRevision},
		{http.MethodPost, "/workflows/{id}/run", keys.Run, ofWorkflow, []string{"full"}, s.withRunSlot(s.runWorkflow)},
		{http.MethodPost, "/workflows/{id}/activation", keys.Hooks, closed, nil, s.activate},
		{http.MethodGet, "/workflows/{id}/activation", keys.Read, ofWorkflow, nil, s.getActivation},
		{http.MethodDelete, "/workflows/{id}/activation", keys.Hooks, closed, nil, s.deactivate},
		{http.MethodGet, "/activations", keys.Read, filtered, nil, s.listActivations},
		{http.MethodGet, "/triggers", keys.Read, filtered, nil, s.listTriggers},
		{http.MethodGet, "/triggers/{workflowId}/{nodeId}/last", keys.Read, ofWorkflow, nil, s.getLastFiring},

		{http.MethodGet, "/state/shared", keys.Read, closed, []string{"cursor"}, s.listSharedState},
		{http.MethodGet, "/state/workflow/{id}", keys.Read, closed, []string{"cursor"}, s.listState},
		{http.MethodGet, "/state/shared/{key}", keys.Read, closed, nil, sharedState(s.getState)},
		{http.MethodPut, "/state/shared/{key}", keys.Write, closed, nil, sharedState(s.putState)},
		{http.MethodDelete, "/state/shared/{key}", keys.Write, closed, nil, sharedState(s.deleteState)},
		{http.MethodGet, "/state/workflow/{id}/{key}", keys.Read, closed, nil, workflowState(s.getState)},
		{http.MethodPut, "/state/workflow/{id}/{key}", keys.Write, closed, nil, workflowState(s.putState)},
		{http.MethodDelete, "/state/workflow/{id}/{key}", keys.Write, closed, nil, workflowState(s.deleteState)},

		{http.MethodGet, "/files", keys.Read, closed, []string{"dir", "limit", "cursor"}, s.listFiles},
		{http.MethodGet, "/files/{path}", keys.Read, closed, nil, s.getFile},
		{http.MethodPut, "/files/{path}", keys.Write, closed, nil, s.putFile},
		{http.MethodDelete, "/files/{path}", keys.Write, closed, nil, s.deleteFile},

		{http.MethodPost, "/auth/{network}/login", keys.Credentials, closed, nil, s.beginLogin},
		{http.MethodGet, "/auth/{network}/logins/{loginId}", keys.Credentials, closed, nil, s.getLogin},
		{http.MethodGet, callbackPath, "", open, nil, s.finishLogin},
		{http.MethodGet, "/credentials", keys.Credentials, closed, nil, s.listCredentials},
		{http.MethodGet, "/credentials/networks", keys.Credentials, closed, nil, s.listNetworks},
		{http.MethodPut, "/credentials/{ref}", keys.Credentials, closed, nil, s.putCredential},
		{http.MethodDelete, "/credentials/{ref}", keys.Credentials, closed, nil, s.deleteCredential},
		{http.MethodPost, "/credentials/{ref}/test", keys.Credentials, closed, nil, s.testCredential},

		{http.MethodGet, "/keys", keys.Admin, closed, nil, s.listKeys},
		{http.MethodPost, "/keys", keys.Admin, closed, nil, s.makeKey},
		{http.MethodDelete, "/keys/{name}", keys.Admin, closed, nil, s.revokeKey},

		{http.MethodGet, "/nodes", keys.Read, open, nil, s.listNodes},
		{http.MethodGet, "/nodes/{type}", keys.Read, open, nil, s.getNode},
		{http.MethodPost, choicesPath, keys.Execute, closed, nil, s.tellChoices},
	}
	for i := range routes {
		routes[i].path = s.prefix + routes[i].path
	}
	if s.prefix != "" {
		routes = append(routes, route{http.MethodGet, s.prefix, "", open, nil, s.getHome}, route{http.MethodOptions, s.prefix, "", open, nil, s.getOptions})
	}
	return newTable(routes)
}

// find sets the route of a request and the values of its wildcards. If no route matches, the error
// is a problem: not found, or the list of allowed methods.
//
// It replaces [http.ServeMux], which redirects unclean paths and takes the segment %2F, a valid id,
// for a separator.
func (a *answer) find(routes table, method, escaped string) error {
	if method == http.MethodHead {
		method = http.MethodGet
	}
	var allowed []string
	segments, _ := appendSegments(make([]string, 0, usualSegments), escaped) // an invalid path matches no route
	for i := range routes {
		t := &routes[i]
		if !matches(t.segments, segments) {
			continue
		}
		if t.method == method {
			a.route = &t.route
			a.fill(t.segments, segments)
			return nil
		}
		allowed = append(allowed, t.method)
	}
	if len(allowed) == 0 {
		return problem.New(http.StatusNotFound, problem.CodeNotFound, "there is nothing at this address")
	}
	return notAllowed(allowed)
}

func notAllowed(allowed []string) error {
	if slices.Contains(allowed, http.MethodGet) {
		allowed = append(allowed, http.MethodHead)
	}
	slices.Sort(allowed)
	allow := strings.Join(allowed, ", ")
	return problem.New(http.StatusMethodNotAllowed, problem.CodeMethodNotAllowed, "this address takes "+allow).With("Allow", allow)
}

// appendSegments splits an escaped path. It returns false if the escaping is invalid.
func appendSegments(dst []string, escaped string) ([]string, bool) {
	for more := true; more; {
		var segment string
		segment, escaped, more = strings.Cut(escaped, "/")
		segment, err := url.PathUnescape(segment)
		if err != nil {
			return nil, false
		}
		dst = append(dst, segment)
	}
	return dst, true
}

// usualSegments is the largest number of segments of a route. Up to that number, the segments of a
// request fit on the stack.
const usualSegments = 8

// matches compares the segments of a path with those of a route.
func matches(pattern, segments []string) bool {
	return slices.EqualFunc(pattern, segments, func(want, have string) bool {
		return want == have || isWildcard(want) && have != ""
	})
}

// fill sets the values of the wildcards of a route.
func (a *answer) fill(pattern, segments []string) {
	n := 0
	for i, want := range pattern {
		if isWildcard(want) {
			a.wildcards[n] = segments[i]
			n++
		}
	}
}

func isWildcard(segment string) bool { return strings.HasPrefix(segment, "{") }
