package httpapi

import (
	"cmp"
	"embed"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/svcflow/svc/httpapi/internal/problem"
)

// openapiParts are the parts of the OpenAPI document of the service. In the source, each operation
// lists the codes of its problems in x-problems, and their meanings are defined once. Tests compare
// the document with the routes, the codes and every answer.
//
//go:embed openapi/*.json
var openapiParts embed.FS

// object is a JSON object.
type object = map[string]any

// getDescription answers GET /openapi.json.
func (s *Service) getDescription(a *answer, _ *http.Request) error {
	text, err := s.description()
	if err != nil {
		return err
	}
	a.fixed(jsonType, text)
	return nil
}

// newDescription makes the answer of GET /openapi.json.
func (s *Service) newDescription(version string) (fixed, error) {
	text, err := describe(s.base, version)
	return newFixed(text), err
}

// describe returns the OpenAPI document of a service at base.
func describe(base, version string) ([]byte, error) {
	doc, err := joinParts()
	if err != nil {
		return nil, err
	}
	doc["info"].(object)["version"] = version
	doc["servers"] = []any{object{"url": cmp.Or(base, "/")}}
	addProblems(doc)
	addScopes(doc)
	return appendJSON(nil, doc)
}

// joinParts merges all parts into one document.
func joinParts() (object, error) {
	files, err := openapiParts.ReadDir("openapi")
	if err != nil {
		return nil, err
	}
	doc := object{}
	for _, file := range files {
		text, err := openapiParts.ReadFile("openapi/" + file.Name())
		if err != nil {
			return nil, err
		}
		part := object{}
		if err := json.Unmarshal(text, &part); err != nil {
			return nil, fmt.Errorf("openapi/%s: %w", file.Name(), err)
		}
		join(doc, part)
	}
	return doc, nil
}

// join merges src into dst, recursively.
func join(dst, src object) {
	for name, v := range src {
		into, ok := dst[name].(object)
		if from, isObject := v.(object); ok && isObject {
			join(into, from)
			continue
		}
		dst[name] = v
	}
}

// addProblems turns the codes of each operation into responses. With x-page, the responses may also
// be HTML.
func addProblems(doc object) {
	meanings := doc["x-problems"].(object)
	delete(doc, "x-problems")
	shared := doc["components"].(object)["responses"].(object)
	for _, item := range doc["paths"].(object) {
		for method, v := range item.(object) {
			operation, ok := v.(object)
			if !ok {
				continue // the shared parameters of the path
			}
			responses := operation["responses"].(object)
			for status, codes := range byStatus(meanings, problemsOf(method, operation)) {
				if _, own := responses[status]; own {
					continue // it may have any code
				}
				name, response := strings.Join(codes, "."), problemResponse(meanings, status, codes)
				if _, page := operation["x-page"]; page {
					name += ".page"
					response["content"].(object)["text/html"] = object{"schema": object{"type": "string"}}
				}
				shared[name] = response
				responses[status] = object{"$ref": "#/components/responses/" + name}
			}
			delete(operation, "x-problems")
			delete(operation, "x-page")
		}
	}
}

// addScopes adds the required scope to each operation, from the table of routes.
func addScopes(doc object) {
	for _, r := range new(Service).newRoutes() {
		if r.scope == "" {
			continue
		}
		item, _ := doc["paths"].(object)[r.path].(object)
		if operation, ok := item[strings.ToLower(r.method)].(object); ok {
			operation["security"] = []any{object{"key": []any{string(r.scope)}}}
		}
	}
}

// problemsOf returns the sorted codes of an operation: its own, and those of all operations that
// need a key, change something or have a body.
func problemsOf(method string, operation object) []string {
	var codes []string
	own, _ := operation["x-problems"].([]any)
	for _, code := range own {
		codes = append(codes, code.(string))
	}
	codes = append(codes, problem.CodeInternal, problem.CodeWrongHost)
	if _, open := operation["security"]; !open {
		codes = append(codes, problem.CodeUnauthorized, problem.CodeForbidden, problem.CodeBudget, problem.CodeInvalidParameter, problem.CodeUnavailable)
	}
	if method != "get" {
		codes = append(codes, problem.CodeCrossOrigin)
	}
	if _, body := operation["requestBody"]; body {
		codes = append(codes, problem.CodeMalformed, problem.CodeRequestTimeout, problem.CodeTooLarge, problem.CodeUnsupportedMedia, problem.CodeTooMuch)
	}
	slices.Sort(codes)
	return slices.Compact(codes)
}

// byStatus groups codes by the HTTP status of the problem.
func byStatus(meanings object, codes []string) map[string][]string {
	sorted := map[string][]string{}
	for _, code := range codes {
		status := strconv.Itoa(int(meanings[code].(object)["status"].(float64)))
		sorted[status] = append(sorted[status], code)
	}
	return sorted
}

// problemResponse describes the response for some codes with the same status.
func problemResponse(meanings object, status string, codes []string) object {
	var text strings.Builder
	for _, code := range codes {
		fmt.Fprintf(&text, "- `%s`: %s\n", code, meanings[code].(object)["text"])
	}
	response := object{
		"description": text.String(),
		"content": object{"application/problem+json": object{"schema": object{"allOf": []object{
			{"$ref": "#/components/schemas/Problem"},
			{"type": "object", "required": []string{"code"}, "properties": object{"code": object{"enum": codes}}},
		}}}},
	}
	if headers := maps.Clone(problemHeaders()[status]); headers != nil {
		response["headers"] = headers
	}
	return response
}

// problemHeaders returns the headers of problems, by status.
func problemHeaders() map[string]object {
	header := func(name, component string) object {
		return object{name: object{"$ref": "#/components/headers/" + component}}
	}
	return map[string]object{
		"401": header("WWW-Authenticate", "wwwAuthenticate"),
		"429": header("Retry-After", "retryAfter"),
		"503": header("Retry-After", "retryAfter"),
	}
}
