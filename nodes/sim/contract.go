package sim

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
)

// contract is an OpenAPI document against which requests are validated.
type contract struct {
	operations []*operation
	scopes     []string // all that the document defines
}

// operation is one method of one path.
type operation struct {
	name    string  // the node that makes the call, or a name such as userinfo for other calls
	profile Profile // the profile that has it; empty: both
	route   *routers.Route
}

// loadContract reads an OpenAPI document and leaves out the operations of the other
// profile.
func loadContract(text []byte, wanted Profile) (*contract, error) {
	doc, err := openapi3.NewLoader().LoadFromData(text)
	if err != nil {
		return nil, err
	}
	known := doc.Components.SecuritySchemes["oauth"].Value.Flows.AuthorizationCode.Scopes
	c := &contract{scopes: slices.Sorted(maps.Keys(known))}
	for path, item := range doc.Paths.Map() {
		for method, o := range item.Operations() {
			profile, name, found := strings.Cut(o.OperationID, ".")
			if !found {
				profile, name = "", o.OperationID
			}
			if found && wanted != "" && wanted != Profile(profile) {
				continue
			}
			route := &routers.Route{Spec: doc, Path: path, PathItem: item, Method: method, Operation: o}
			c.operations = append(c.operations, &operation{name, Profile(profile), route})
		}
	}
	return c, nil
}

// pattern is the operation's pattern for a ServeMux. OpenAPI's path parameters have the
// same syntax as its wildcards.
func (o *operation) pattern() string { return o.route.Method + " " + o.route.Path }

// missing returns a scope that the operation requires and scopes lack, or "" if they
// suffice. Of the operation's alternative requirements, one is enough.
func (o *operation) missing(scopes []string) string {
	security := o.route.Operation.Security
	if security == nil {
		security = &o.route.Spec.Security
	}
	lacking := ""
	for _, alternative := range *security {
		i := slices.IndexFunc(alternative["oauth"], func(s string) bool { return !slices.Contains(scopes, s) })
		if i < 0 {
			return ""
		}
		if lacking == "" {
			lacking = alternative["oauth"][i]
		}
	}
	return lacking
}

// check validates a request against the document. A status of 0 means that it is valid;
// otherwise detail says what is wrong.
func (o *operation) check(r *http.Request, body []byte) (status int, detail string) {
	if err := o.checkQuery(r); err != nil {
		return http.StatusBadRequest, err.Error()
	}
	if o.route.Operation.RequestBody != nil {
		if media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || media != "application/json" {
			return http.StatusUnsupportedMediaType, "the Content-Type has to be application/json"
		}
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	input := &openapi3filter.RequestValidationInput{
		Request: r, PathParams: o.pathValues(r), Route: o.route,
		Options: &openapi3filter.Options{AuthenticationFunc: openapi3filter.NoopAuthenticationFunc, SkipSettingDefaults: true},
	}
	input.Options.WithCustomSchemaErrorFunc(func(e *openapi3.SchemaError) string {
		return "/" + strings.Join(e.JSONPointer(), "/") + ": " + e.Reason
	})
	if err := openapi3filter.ValidateRequest(r.Context(), input); err != nil {
		return http.StatusBadRequest, err.Error()
	}
	return 0, ""
}

// checkQuery refuses parameters that the operation does not have, and repeated ones.
func (o *operation) checkQuery(r *http.Request) error {
	for name, values := range r.URL.Query() {
		switch {
		case o.route.Operation.Parameters.GetByInAndName(openapi3.ParameterInQuery, name) == nil:
			return fmt.Errorf("the query parameter [%s] is not one of this call's", name)
		case len(values) > 1:
			return fmt.Errorf("the query parameter [%s] comes more than once", name)
		}
	}
	if r.URL.Query().Has("tweet.fields") && r.URL.Query().Has("post.fields") {
		return errors.New("tweet.fields and post.fields are two names of one parameter")
	}
	return nil
}

func (o *operation) pathValues(r *http.Request) map[string]string {
	values := map[string]string{}
	for _, p := range o.route.Operation.Parameters {
		if p.Value.In == openapi3.ParameterInPath {
			values[p.Value.Name] = r.PathValue(p.Value.Name)
		}
	}
	return values
}
