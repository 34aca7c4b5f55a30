package httpapi

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// route is an address of the service and what answers there.
type route struct {
	method string // GET includes HEAD
	path   string // with the prefix; a segment in braces stands for any but the empty one
	serve  handler
}

// handler answers a request. An error means that it has not written anything.
type handler func(*answer, *http.Request) error

// newRoutes returns the table of all routes (docs/design.md, HTTP).
func (s *Service) newRoutes() []route {
	routes := []route{
		{http.MethodGet, "/", s.getHome},
		{http.MethodGet, "/healthz", s.getLiveness},
		{http.MethodGet, "/readyz", s.getReadiness},
		{http.MethodGet, "/metrics", s.getMetrics},
		{http.MethodGet, "/service", s.getService},
		{http.MethodGet, "/openapi.json", s.getDescription},

		{http.MethodPost, "/validate", s.validate},
		{http.MethodPost, "/hints", s.hints},
		{http.MethodPost, "/layout", s.layout},
		{http.MethodPost, "/execute", s.execute},

		{http.MethodPost, "/executions", s.startRun},
		{http.MethodGet, "/executions", s.listRuns},
		{http.MethodGet, "/executions/{id}", s.getRun},
		{http.MethodDelete, "/executions/{id}", s.deleteRun},
		{http.MethodGet, "/executions/{id}/events", s.followRun},
		{http.MethodGet, "/executions/{id}/workflow", s.getRunWorkflow},
		{http.MethodGet, "/executions/{id}/inputs", s.getRunInputs},
		{http.MethodPost, "/executions/{id}/cancel", s.cancelRun},
		{http.MethodPost, "/executions/{id}/resume", s.resumeRun},

		{http.MethodGet, "/workflows", s.listWorkflows},
		{http.MethodPost, "/workflows", s.saveWorkflow},
		{http.MethodGet, "/workflows/{id}", s.getWorkflow},
		{http.MethodDelete, "/workflows/{id}", s.deleteWorkflow},
		{http.MethodGet, "/workflows/{id}/revisions", s.listRevisions},
		{http.MethodGet, "/workflows/{id}/revisions/{n}", s.getRevision},
		{http.MethodPost, "/workflows/{id}/run", s.runWorkflow},

		{http.MethodPost, "/auth/{network}/login", s.beginLogin},
		{http.MethodGet, "/auth/{network}/logins/{loginId}", s.getLogin},
		{http.MethodGet, callbackPath, s.finishLogin},
		{http.MethodGet, "/credentials", s.listCredentials},
		{http.MethodGet, "/credentials/networks", s.listNetworks},
		{http.MethodPut, "/credentials/{ref}", s.putCredential},
		{http.MethodDelete, "/credentials/{ref}", s.deleteCredential},
		{http.MethodPost, "/credentials/{ref}/test", s.testCredential},

		{http.MethodGet, "/nodes", s.listNodes},
		{http.MethodGet, "/nodes/{type}", s.getNode},
		{http.MethodPost, "/nodes/{type}/choices", s.tellChoices},
	}
	for i := range routes {
		routes[i].path = s.prefix + routes[i].path
	}
	if s.prefix != "" {
		routes = append(routes, route{http.MethodGet, s.prefix, s.getHome})
	}
	return routes
}

// find leaves in a the route for a request, and what stands for the wildcards in its
// address. Without a route the error says so, or which other methods have one.
//
// http.ServeMux would not do: it redirects addresses that it finds unclean, and
// takes the segment %2F, which is a legal id, for the end of the path.
func (a *answer) find(routes []route, method, escaped string) error {
	if method == http.MethodHead {
		method = http.MethodGet
	}
	var allowed []string
	for i := range routes {
		route := &routes[i]
		if !a.match(route.path, escaped) {
			continue
		}
		if route.method == method {
			a.route = route
			return nil
		}
		allowed = append(allowed, route.method)
	}
	if len(allowed) == 0 {
		return newProblem(http.StatusNotFound, codeNotFound, "there is nothing at this address")
	}
	return notAllowed(allowed)
}

func notAllowed(allowed []string) error {
	if slices.Contains(allowed, http.MethodGet) {
		allowed = append(allowed, http.MethodHead)
	}
	slices.Sort(allowed)
	allow := strings.Join(allowed, ", ")
	return newProblem(http.StatusMethodNotAllowed, codeMethodNotAllowed, "this address takes "+allow).with("Allow", allow)
}

// match compares an escaped path with that of a route, segment by segment, and
// keeps what stands for wildcards.
func (a *answer) match(pattern, escaped string) bool {
	wildcards := 0
	for more := true; more; {
		var want, have string
		var moreHave bool
		want, pattern, more = strings.Cut(pattern, "/")
		have, escaped, moreHave = strings.Cut(escaped, "/")
		have, err := url.PathUnescape(have)
		if err != nil || more != moreHave {
			return false
		}
		switch {
		case strings.HasPrefix(want, "{") && have != "":
			a.wildcards[wildcards] = have
			wildcards++
		case want != have:
			return false
		}
	}
	return true
}
