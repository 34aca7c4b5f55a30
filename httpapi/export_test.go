package httpapi

import (
	"cmp"
	"net/http"
	"slices"
	"strings"

	"github.com/svcflow/svc/app/trigger"
	"github.com/svcflow/svc/httpapi/keys"
)

// Routes returns the method and path of every route, for tests of all routes.
func (s *Service) Routes() [][2]string {
	var list [][2]string
	for _, r := range s.routes {
		list = append(list, [2]string{r.method, r.path})
	}
	return list
}

// Route is a row of the table of routes, without the prefix.
type Route struct {
	Method, Path string
	Scope        keys.Scope
	Query        []string
	Changes      bool // true if it changes something on success
}

// RouteTable returns the table of routes.
func (s *Service) RouteTable() []Route {
	var list []Route
	for _, r := range s.routes {
		list = append(list, Route{r.method, cmp.Or(strings.TrimPrefix(r.path, s.prefix), "/"), r.scope, r.query, r.changes()})
	}
	return list
}

// RouteOf returns the route of a request without the prefix, such as "GET /workflows/{id}"; "" if
// no route matches.
func (s *Service) RouteOf(r *http.Request) string {
	a := new(answer)
	if rest, below := strings.CutPrefix(r.URL.EscapedPath(), s.prefix+hooksPath); below {
		hooks, _ := s.app.Hooks(r.Context(), rest)
		asked := func(h *trigger.Hook) bool { return r.Method == http.MethodOptions || takes(h.Methods, r.Method) }
		if !slices.ContainsFunc(hooks, asked) {
			return ""
		}
		return strings.Replace(r.Method, http.MethodHead, http.MethodGet, 1) + " " + hooksPath + "{path}"
	}
	if err := a.find(s.routes, r.Method, r.URL.EscapedPath()); err != nil {
		return ""
	}
	path := strings.TrimPrefix(a.route.path, s.prefix)
	return a.route.method + " " + cmp.Or(path, "/")
}

// Describe returns the OpenAPI document of a service.
func Describe(base, version string) ([]byte, error) { return describe(base, version) }
