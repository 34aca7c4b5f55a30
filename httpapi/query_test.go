package httpapi_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/httpapi"
)

// TestUnknownQueryParameters sends an unknown query parameter to every route.
func TestUnknownQueryParameters(t *testing.T) {
	s := newService(t, func(c *httpapi.Config) { c.RoutePrefix = "flow" })
	for _, route := range s.Routes() {
		open := route[1] == "/flow/" || route[1] == "/flow" || strings.HasSuffix(route[1], "/callback")
		w := s.do(route[0], filled(route[1])+"?fll=true", "")
		if open {
			require.NotContains(t, w.Body.String(), "query parameter", route)
			continue
		}
		p := requireProblem(t, w, http.StatusBadRequest, "invalid_parameter")
		require.Contains(t, p.Detail, `no query parameter "fll" here; this address takes `, route)
	}
	for target, want := range map[string]string{
		"/executions?state=failed":               "takes workflowId, status, limit, cursor",
		"/workflows?page=1":                      "takes limit, cursor",
		"/executions?status=failed&status=x":     "comes once",
		"/executions/x?full=1;x=2":               "as URLs have it",
		"/executions/x?full=%zz":                 "as URLs have it",
		"/executions?%3Cscript%3E=1":             `"<script>"`,
		"/executions?status=running&%20status=x": `" status"`,
	} {
		require.Contains(t, requireProblem(t, s.do("GET", "/flow"+target, ""), http.StatusBadRequest, "invalid_parameter").Detail, want, target)
	}
	require.Equal(t, http.StatusUnauthorized, s.do("GET", "/flow/workflows?x=1", "", "Authorization", "").Code, "first things first")
}

// TestAsyncIsInTheBody checks that async in the query is refused, and not ignored.
func TestAsyncIsInTheBody(t *testing.T) {
	s := newService(t, nil)
	require.Equal(t, http.StatusCreated, s.do("POST", "/workflows", greet).Code)
	requireProblem(t, s.do("POST", "/workflows/greet/run?async=true", ""), http.StatusBadRequest, "invalid_parameter")
	require.Equal(t, http.StatusOK, s.do("POST", "/workflows/greet/run", `{"async":false}`).Code)
	require.Equal(t, http.StatusAccepted, s.do("POST", "/workflows/greet/run", `{"async":true}`).Code)
	for _, body := range []string{`{"async":"true"}`, `{"async":1}`, `{"async":null}`} {
		requireProblem(t, s.do("POST", "/workflows/greet/run", body), http.StatusBadRequest, "malformed")
	}
}

// TestDescriptionHasEveryParameter checks that the table of routes and the document have the same
// query parameters and scopes.
func TestDescriptionHasEveryParameter(t *testing.T) {
	s := newService(t, nil)
	for _, route := range s.RouteTable() {
		operation := description(t).Paths.Value(route.Path).GetOperation(route.Method)
		if route.Scope == "" {
			require.Empty(t, *operation.Security, route.Path)
			continue
		}
		require.Equal(t, []string{string(route.Scope)}, (*operation.Security)[0]["key"], route.Path)
		var described []string
		for _, parameter := range operation.Parameters {
			if parameter.Value.In == "query" {
				described = append(described, parameter.Value.Name)
			}
		}
		slices.Sort(described)
		require.Equal(t, slices.Sorted(slices.Values(route.Query)), described, "%s %s", route.Method, route.Path)
	}
}

// TestBodiesHaveNoDefaults checks that members of bodies have no defaults: client generators treat
// members with a default as required.
func TestBodiesHaveNoDefaults(t *testing.T) {
	for path, item := range description(t).Paths.Map() {
		for method, operation := range item.Operations() {
			if operation.RequestBody == nil {
				continue
			}
			for _, media := range operation.RequestBody.Value.Content {
				for name, property := range media.Schema.Value.Properties {
					require.Nil(t, property.Value.Default, "%s %s: %s", method, path, name)
				}
			}
		}
	}
}

// filled replaces the wildcards of a path.
func filled(path string) string {
	return strings.NewReplacer("{", "", "}", "", "{n}", "1").Replace(path)
}
