package ionode

import (
	"bytes"
	"context"
	"net/http"
	"net/url"
	"strings"

	"go.opentelemetry.io/otel/propagation"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

type requestIn struct {
	URL             string         `port:"url" doc:"Where to, for example https://api.example.com/v1/items."`
	Method          string         `port:"method" enum:"GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS" default:"GET" doc:"HTTP method."`
	Headers         map[string]any `port:"headers,optional" widget:"json" doc:"Headers by name; each a text, number or bool, or a list of them. Null leaves one out."`
	Query           map[string]any `port:"query,optional" widget:"json" doc:"Parameters to add to the URL's query, like headers. They are escaped for you."`
	Body            any            `port:"body,optional" widget:"json" doc:"What to send: a text as it is, anything else as JSON. Null sends nothing."`
	FollowRedirects bool           `port:"followRedirects" default:"true" doc:"Go where the server points to, up to 10 times. Headers stay behind when that is another host."`
	FailOnStatus    bool           `port:"failOnStatus" default:"false" doc:"Fail when the status is 400 or more, so that the node's retry setting and $error take care of it."`
	Encoding        string         `port:"encoding" enum:"utf8|base64" default:"utf8" doc:"How body holds the answer: utf8 for text, base64 for images and other files."`
	MaxBytes        int            `port:"maxBytes" default:"10485760" doc:"Largest answer to take, unpacked, in bytes; at most 104857600."`
}

type requestOut struct {
	Body       string         `port:"body" doc:"The answer as text, or in base64."`
	JSON       any            `port:"json" doc:"The answer read as JSON if its content type says so, else null."`
	StatusCode int            `port:"statusCode" doc:"HTTP status, such as 200."`
	Headers    map[string]any `port:"headers" doc:"Headers of the answer by lower-case name, several of one name joined by a comma; set-cookie is a list."`
	OK         bool           `port:"ok" doc:"Whether the status is 200 to 299."`
}

// requestNode is io.http_request.
func (x *exchange) requestNode() node.Node {
	return node.Func("io.http_request", "HTTP request", x.request).
		OnceIf(changes).
		Aliases("api, rest, fetch, get, post, curl, url", "api, abfrage, webdienst, adresse aufrufen").
		Example(map[string]any{"url": "https://example.com"}).Doc(
		"Makes an HTTP request. An answer with an error status is no failure: `ok` is false. No answer at all fails with " +
			"`unavailable`, an address that workflows may not reach with `forbidden`, and an answer over `maxBytes` with " +
			"`limit_exceeded`.\n\n" +
			"With `failOnStatus` an error status is a failure, too: " + statusHelp +
			"The answer is turned into UTF-8 from the charset it names; bytes that are no text become `\uFFFD`, so take files with " +
			"`encoding` = `base64`. A body is sent with any method; its content type is JSON, or plain text for a text, unless " +
			"`headers` says otherwise.\n\n" +
			"Example: `url` = `https://api.example.com/items`, `query` = `{\"limit\":10}`, then read `json`.")
}

// changes reports whether a request may change something at the other side: unless its
// method is known, and known not to (RFC 9110, section 9.2.1), it may.
func changes(b node.Binding) bool {
	method, given := b.Config["method"]
	if b.Wired("method") {
		return true
	}
	return given && method != http.MethodGet && method != http.MethodHead && method != http.MethodOptions
}

func (x *exchange) request(ctx context.Context, in requestIn) (requestOut, error) {
	if err := checkMaxBytes(in.MaxBytes); err != nil {
		return requestOut{}, err
	}
	m, err := newMessage(in.Method, in.URL, in.Headers)
	if err != nil {
		return requestOut{}, err
	}
	if err := m.addQuery(in.Query); err != nil {
		return requestOut{}, err
	}
	m.setBody(in.Body)
	a, err := x.send(ctx, m, in.FollowRedirects, in.MaxBytes)
	if err == nil && in.FailOnStatus {
		err = a.failure(m)
	}
	if err != nil {
		return requestOut{}, err
	}
	return requestOut{
		Body: a.text(in.Encoding), JSON: a.json(), StatusCode: a.status, Headers: a.headers(), OK: a.ok(),
	}, nil
}

// message is a request to be sent.
type message struct {
	method string
	url    *url.URL
	header http.Header
	body   []byte
}

func newMessage(method, address string, headers map[string]any) (*message, error) {
	u, err := parseURL(address)
	if err != nil {
		return nil, err
	}
	h, err := headerOf(headers)
	if err != nil {
		return nil, err
	}
	return &message{method: method, url: u, header: h}, nil
}

// parseURL reads an address. Its errors never repeat it: there may be a secret
// in it.
func parseURL(address string) (*url.URL, error) {
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil {
		return nil, node.Errorf(node.CodeInvalidInput, "the URL is malformed; write it like https://example.com/path")
	}
	switch u.Scheme {
	case "http", "https":
	case "":
		return nil, node.Errorf(node.CodeInvalidInput, "the URL has no scheme; begin it with https:// or http://")
	default:
		return nil, errScheme()
	}
	if u.Hostname() == "" {
		return nil, node.Errorf(node.CodeInvalidInput, "the URL has no host; write it like https://example.com/path")
	}
	return u, nil
}

func errScheme() error {
	return node.Errorf(node.CodeForbidden, "only http and https URLs can be requested")
}

func (m *message) addQuery(query map[string]any) error {
	if len(query) == 0 {
		return nil
	}
	add := url.Values{}
	for name, v := range query {
		texts, ok := textsOf(v)
		if !ok {
			return node.Errorf(node.CodeInvalidInput, "query parameter %q has to be a text, number or bool, or a list of them", name)
		}
		for _, text := range texts {
			add.Add(name, text)
		}
	}
	parts := []string{m.url.RawQuery, add.Encode()}
	m.url.RawQuery = strings.Trim(strings.Join(parts, "&"), "&")
	return nil
}

func (m *message) setBody(v any) {
	if v == nil {
		return
	}
	contentType := "application/json"
	if text, ok := v.(string); ok {
		contentType = "text/plain; charset=utf-8"
		m.body = []byte(text)
	} else {
		m.body = value.Append(nil, v)
	}
	if _, given := m.header["Content-Type"]; !given {
		m.header.Set("Content-Type", contentType)
	}
}

// passTraceOn makes a request part of the trace that its run is part of (W3C Trace
// Context), unless the workflow says otherwise.
func passTraceOn(ctx context.Context, h http.Header) {
	if _, given := h["Traceparent"]; !given {
		propagation.TraceContext{}.Inject(ctx, propagation.HeaderCarrier(h))
	}
}

// build makes the request to hand to net/http.
func (m *message) build(ctx context.Context) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, m.method, m.url.String(), bytes.NewReader(m.body))
	if err != nil {
		return nil, node.Errorf(node.CodeInvalidInput, "the URL cannot be requested; write it like https://example.com/path")
	}
	if len(m.body) == 0 {
		req.Body, req.GetBody = http.NoBody, nil
	}
	req.Header = m.header
	passTraceOn(ctx, m.header)
	req.Host = m.header.Get("Host")
	return req, nil
}
