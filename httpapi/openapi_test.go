package httpapi_test

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/httpapi"
)

func TestDescriptionIsOpenAPI(t *testing.T) {
	s := newService(t, nil)
	w := s.do("GET", "/openapi.json", "")
	requireJSON(t, w, http.StatusOK)
	doc, err := openapi3.NewLoader().LoadFromData(w.Body.Bytes())
	require.NoError(t, err)
	require.NoError(t, doc.Validate(t.Context()))
	require.Equal(t, "test", doc.Info.Version)
	require.Equal(t, "/", doc.Servers[0].URL)
	require.Equal(t, http.StatusUnauthorized, s.do("GET", "/openapi.json", "", "Authorization", "").Code)
}

func TestDescriptionNamesTheAddress(t *testing.T) {
	for want, change := range map[string]func(*httpapi.Config){
		"/flow":                    func(c *httpapi.Config) { c.RoutePrefix = "flow" },
		"https://api.example.com/": func(c *httpapi.Config) { c.RoutePrefix, c.PublicURL = "flow", "https://api.example.com/flow" },
	} {
		s := newService(t, change)
		var doc openapi3.T
		require.NoError(t, json.Unmarshal(s.do("GET", "/flow/openapi.json", "").Body.Bytes(), &doc))
		require.True(t, strings.HasPrefix(doc.Servers[0].URL, want), doc.Servers[0].URL)
		require.NotNil(t, doc.Paths.Find("/execute"), "paths are relative to the server")
	}
}

// TestDescriptionHasEveryRoute checks that the document and the table have the same routes.
func TestDescriptionHasEveryRoute(t *testing.T) {
	s := newService(t, nil)
	var routes, operations []string
	for _, route := range s.Routes() {
		routes = append(routes, route[0]+" "+route[1])
	}
	for path, item := range description(t).Paths.Map() {
		if strings.HasPrefix(path, "/hooks/") { // hooks are in no table
			require.Len(t, item.Operations(), 6)
			continue
		}
		for method, operation := range item.Operations() {
			operations = append(operations, method+" "+path)
			open := path == "/" || path == "/auth/{network}/callback"
			require.NotNil(t, operation.Security, "%s %s", method, path)
			require.Equal(t, open, len(*operation.Security) == 0, "only the health check and the callback are open: %s %s", method, path)
		}
	}
	slices.Sort(routes)
	slices.Sort(operations)
	require.Equal(t, routes, operations)
}

// TestDescriptionHasEveryCode checks that the codes in the source and in the document are the same.
func TestDescriptionHasEveryCode(t *testing.T) {
	described := map[string]bool{ // for unknown paths
		"not_found": true, "method_not_allowed": true,
	}
	for _, item := range description(t).Paths.Map() {
		for _, operation := range item.Operations() {
			for _, response := range operation.Responses.Map() {
				if media := response.Value.Content["application/problem+json"]; media != nil && media.Schema.Value.AllOf != nil {
					for _, code := range media.Schema.Value.AllOf[1].Value.Properties["code"].Value.Enum {
						described[code.(string)] = true
					}
				}
			}
		}
	}
	codes := map[string]bool{"form_expired": true, "form_invalid": true, "rate_limited": true} // codes of triggers
	for _, code := range codesInSource(t) {
		codes[code] = true
	}
	require.Equal(t, codes, described)
}

// codesInSource returns the values of the constants of package problem whose names begin with Code.
func codesInSource(t *testing.T) []string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "internal/problem/problem.go", nil, 0)
	require.NoError(t, err)
	var codes []string
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if ok && strings.HasPrefix(spec.Names[0].Name, "Code") && len(spec.Values) == 1 {
			code, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
			require.NoError(t, err)
			codes = append(codes, code)
		}
		return true
	})
	require.NotEmpty(t, codes)
	return codes
}
