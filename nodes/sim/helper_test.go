package sim_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/legacy"
	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/nodes/sim"
)

type record = map[string]any

// bench is a network with a client that validates its responses against the document.
type bench struct {
	*sim.Network

	t      *testing.T
	token  string
	router routers.Router
}

func newBench(t *testing.T, network string, config sim.Config) *bench {
	t.Helper()
	makers := map[string]func(sim.Config) (*sim.Network, error){"pronet": sim.NewPronet, "microblog": sim.NewMicroblog}
	n, err := makers[network](config)
	require.NoError(t, err)
	return &bench{n, t, "sim-" + network + "-main", newRouter(t, network)}
}

func newRouter(t *testing.T, network string) routers.Router {
	t.Helper()
	router, err := legacy.NewRouter(document(t, network))
	require.NoError(t, err)
	return router
}

func document(t *testing.T, network string) *openapi3.T {
	t.Helper()
	text, err := os.ReadFile("openapi/" + network + ".yaml")
	require.NoError(t, err)
	doc, err := openapi3.NewLoader().LoadFromData(text)
	require.NoError(t, err)
	return doc
}

// reply is a response.
type reply struct {
	status int
	header http.Header
	text   string
}

// value returns the part of a response at a path such as "data/id".
func (r reply) value(t *testing.T, path string) any {
	t.Helper()
	var at any
	require.NoError(t, json.Unmarshal([]byte(r.text), &at), r.text)
	for name := range strings.SplitSeq(path, "/") {
		object, ok := at.(record)
		require.True(t, ok, "%s: %s", path, r.text)
		at = object[name]
	}
	return at
}

// call sends a request as a client would, with body as JSON. header has alternating names
// and values; an empty value removes a header.
func (b *bench) call(method, target string, body any, header ...string) reply {
	b.t.Helper()
	r := b.request(method, target, body, header...)
	answer, err := b.RoundTrip(r)
	require.NoError(b.t, err)
	text, err := io.ReadAll(answer.Body)
	require.NoError(b.t, err)
	require.NoError(b.t, answer.Body.Close())
	b.validate(r, answer, text)
	return reply{answer.StatusCode, answer.Header, string(text)}
}

func (b *bench) request(method, target string, body any, header ...string) *http.Request {
	b.t.Helper()
	text, raw := body.(string)
	if body != nil && !raw {
		encoded, err := json.Marshal(body)
		require.NoError(b.t, err)
		text = string(encoded)
	}
	r, err := http.NewRequestWithContext(b.t.Context(), method, "http://network.example"+target, strings.NewReader(text))
	require.NoError(b.t, err)
	r.Header.Set("Authorization", "Bearer "+b.token)
	r.Header.Set("X-Restli-Protocol-Version", "2.0.0")
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
		if header[i+1] == "" {
			r.Header.Del(header[i])
		}
	}
	return r
}

// validate validates the response to a described call against the document.
func (b *bench) validate(r *http.Request, answer *http.Response, text []byte) {
	b.t.Helper()
	route, values, err := b.router.FindRoute(r)
	if err != nil {
		return // not JSON
	}
	input := &openapi3filter.RequestValidationInput{Request: r, PathParams: values, Route: route}
	require.NoError(b.t, openapi3filter.ValidateResponse(context.Background(), &openapi3filter.ResponseValidationInput{
		RequestValidationInput: input, Status: answer.StatusCode, Header: answer.Header,
		Body: io.NopCloser(bytes.NewReader(text)), Options: &openapi3filter.Options{IncludeResponseStatus: true},
	}), string(text))
}
