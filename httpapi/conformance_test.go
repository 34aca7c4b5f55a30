package httpapi_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/httpapi"
)

// ServeHTTP serves a request and checks the answer against the OpenAPI document, so that every test
// checks that.
func (s service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if _, test := s.t.(*testing.T); !test { // skip benchmarks and fuzz targets
		s.Service.ServeHTTP(w, r)
		return
	}
	answer := &heard{ResponseWriter: w}
	s.Service.ServeHTTP(answer, r)
	if err := description(s.t).conforms(s.RouteOf(r), r, answer); err != nil {
		s.t.Errorf("%s %s answers what GET /openapi.json does not describe: %v\n%.2000s", r.Method, r.URL, err, answer.body.Bytes())
	}
}

// heard is an answer whose body is recorded up to a limit.
type heard struct {
	http.ResponseWriter

	status int
	body   bytes.Buffer
	cut    bool
}

const heardBytes = 1 << 20

func (h *heard) WriteHeader(status int) {
	if h.status == 0 {
		h.status = status
	}
	h.ResponseWriter.WriteHeader(status)
}

func (h *heard) Write(p []byte) (int, error) {
	if h.status == 0 {
		h.status = http.StatusOK
	}
	if h.cut = h.cut || h.body.Len()+len(p) > heardBytes; !h.cut {
		h.body.Write(p)
	}
	return h.ResponseWriter.Write(p)
}

// unzip decompresses the recorded body.
func (h *heard) unzip() error {
	if h.cut || h.Header().Get("Content-Encoding") != "gzip" {
		return nil
	}
	r, err := gzip.NewReader(bytes.NewReader(bytes.Clone(h.body.Bytes())))
	if err != nil {
		return err
	}
	h.body.Reset()
	_, err = h.body.ReadFrom(r)
	return err
}

func (h *heard) Unwrap() http.ResponseWriter { return h.ResponseWriter }

// contract is the OpenAPI document of a service.
type contract struct {
	*openapi3.T

	mu       sync.Mutex
	compiler *jsonschema.Compiler // compiles each schema once; not safe for concurrent use
	checked  sync.Map             // valid answers, since many tests get equal ones
}

// description returns the contract. Its schemas allow no unknown fields, although clients should.
func description(t testing.TB) *contract {
	t.Helper()
	c, err := loadContract()
	require.NoError(t, err)
	return c
}

//nolint:gochecknoglobals // compiled once for all tests
var loadContract = sync.OnceValues(func() (*contract, error) {
	text, err := httpapi.Describe("", "test")
	if err != nil {
		return nil, err
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	closeObjects(doc.(map[string]any)["components"].(map[string]any)["schemas"])
	if text, err = json.Marshal(doc); err != nil {
		return nil, err
	}
	c := &contract{compiler: jsonschema.NewCompiler()}
	if c.T, err = openapi3.NewLoader().LoadFromData(text); err != nil {
		return nil, err
	}
	c.compiler.DefaultDraft(jsonschema.Draft2020)
	c.compiler.AssertFormat()
	return c, c.compiler.AddResource("openapi.json", doc)
})

func closeObjects(schema any) {
	switch schema := schema.(type) {
	case map[string]any:
		_, fields := schema["properties"].(map[string]any)
		if _, said := schema["additionalProperties"]; fields && !said {
			schema["additionalProperties"] = false
		}
		for _, v := range schema {
			closeObjects(v)
		}
	case []any:
		for _, v := range schema {
			closeObjects(v)
		}
	}
}

// conforms returns how an answer of a route differs from its description.
func (c *contract) conforms(route string, r *http.Request, h *heard) error {
	if err := h.unzip(); err != nil {
		return err
	}
	key := fmt.Sprint(route, r.Method, h.status, h.Header(), h.body.String())
	if _, ok := c.checked.Load(key); ok || h.cut {
		return nil
	}
	method, path, found := strings.Cut(route, " ")
	if !found {
		return c.conformsTo("#/components/schemas/Problem", h.body.Bytes())
	}
	item := c.Paths.Value(path)
	if item == nil || item.GetOperation(method) == nil {
		return errors.New("there is no such operation")
	}
	operation := item.GetOperation(method)
	response := operation.Responses.Status(h.status)
	if response == nil && h.status < http.StatusBadRequest {
		response = operation.Responses.Default()
	}
	if response == nil {
		return fmt.Errorf("no response has status %d", h.status)
	}
	// Not the body: kin-openapi would compile its schema for each answer.
	err := openapi3filter.ValidateResponse(r.Context(), &openapi3filter.ResponseValidationInput{
		RequestValidationInput: &openapi3filter.RequestValidationInput{
			Request: r, Route: &routers.Route{Spec: c.T, Path: path, PathItem: item, Method: method, Operation: operation},
		},
		Status: h.status, Header: h.Header(), Options: &openapi3filter.Options{ExcludeResponseBody: true},
	})
	if err != nil {
		return err
	}
	pointer := response.Ref
	if pointer == "" {
		pointer = fmt.Sprintf("#/paths/%s/%s/responses/%d", escapePointer(path), strings.ToLower(method), h.status)
	}
	if err := c.conformsBody(response.Value, pointer, r, h); err != nil {
		return err
	}
	c.checked.Store(key, true)
	return nil
}

func escapePointer(text string) string {
	return url.PathEscape(strings.NewReplacer("~", "~0", "/", "~1").Replace(text))
}

// conformsBody checks a body against the schema of the response at pointer.
func (c *contract) conformsBody(response *openapi3.Response, pointer string, r *http.Request, h *heard) error {
	given := h.Header().Get("Content-Type")
	media, _, _ := strings.Cut(given, ";")
	switch {
	case r.Method == http.MethodHead:
		return nil
	case len(response.Content) == 0 && h.body.Len() == 0:
		return nil
	case response.Content[media] == nil && response.Content["*/*"] != nil:
		return nil
	case response.Content[media] == nil:
		return fmt.Errorf("no content has type %q", given)
	case media == "text/event-stream":
		return c.conformFrames(h.body.String())
	case strings.HasPrefix(media, "text/"):
		return nil
	}
	return c.conformsTo(pointer+"/content/"+escapePointer(media)+"/schema", h.body.Bytes())
}

// conformFrames checks the complete events of a stream.
func (c *contract) conformFrames(stream string) error {
	schemas := map[string]string{
		"event": "NodeEvent", "started": "StartedEvent", "progress": "ProgressEvent", "completed": "CompletedEvent", "failed": "FailedEvent",
	}
	for frame := range strings.SplitSeq(stream, "\n\n") {
		_, name, _ := strings.Cut(frame, "\nevent: ")
		name, data, whole := strings.Cut(name, "\ndata: ")
		if !whole || !json.Valid([]byte(data)) {
			continue
		}
		if err := c.conformsTo("#/components/schemas/"+schemas[name], []byte(data)); err != nil {
			return fmt.Errorf("event %q: %w", name, err)
		}
	}
	return nil
}

// conformsTo checks a JSON text against the schema at pointer.
func (c *contract) conformsTo(pointer string, text []byte) error {
	c.mu.Lock()
	schema, err := c.compiler.Compile("openapi.json" + pointer)
	c.mu.Unlock()
	if err != nil {
		return err
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return err
	}
	return schema.Validate(v)
}
