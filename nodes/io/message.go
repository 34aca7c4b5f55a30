package ionode

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/url"
	"strings"
	"unicode/utf8"

	"go.opentelemetry.io/otel/propagation"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes/service"
)

// message is a request that will be sent.
type message struct {
	method string
	url    *url.URL
	header http.Header
	body   []byte

	authorization  *service.Authorization // nil without a credential
	redirectMethod string                 // "" for a request that has only one
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

// parseURL parses a URL. Its errors never quote it, since it may contain a secret.
func parseURL(address string) (*url.URL, error) {
	u, err := url.Parse(escapeURL(strings.TrimSpace(address)))
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

// escapeURL escapes what people write into the query of a URL and servers refuse: white
// space, quotes, angle brackets and what is not ASCII (the query percent-encode set of the
// WHATWG URL standard), and a percent sign that begins no escape.
func escapeURL(address string) string {
	const hex = "0123456789ABCDEF"
	isHex := func(i int) bool {
		return i < len(address) && strings.IndexByte("0123456789abcdefABCDEF", address[i]) >= 0
	}
	var b strings.Builder
	inQuery := false
	for i := range len(address) {
		c := address[i]
		inQuery = inQuery || c == '?'
		lone := c == '%' && (!isHex(i+1) || !isHex(i+2))
		if inQuery && (lone || c == ' ' || c == '"' || c == '<' || c == '>' || c >= utf8.RuneSelf) {
			b.WriteByte('%')
			b.WriteByte(hex[c>>4])
			b.WriteByte(hex[c&15])
			continue
		}
		b.WriteByte(c)
	}
	return b.String()
}

func errScheme() error {
	return node.Errorf(node.CodeForbidden, "only http and https URLs can be requested")
}

func (m *message) addQuery(query map[string]any) error {
	if len(query) == 0 && m.url.RawQuery == "" {
		return nil
	}
	add, err := valuesOf(query, "query parameter")
	if err != nil {
		return err
	}
	parts := []string{m.url.RawQuery, add.Encode()}
	m.url.RawQuery = strings.Trim(strings.Join(parts, "&"), "&")
	return nil
}

// valuesOf converts a record to query parameters or form fields; what names these in
// errors.
func valuesOf(record map[string]any, what string) (url.Values, error) {
	values := url.Values{}
	for name, v := range record {
		texts, ok := textsOf(v)
		if !ok {
			return nil, node.Errorf(node.CodeInvalidInput, "%s %q has to be a text, number or bool, or a list of them", what, name)
		}
		if len(texts) > 0 {
			values[name] = texts
		}
	}
	return values, nil
}

// passTraceOn sets the headers of the run's trace (W3C Trace Context), unless the workflow
// sets them.
func passTraceOn(ctx context.Context, h http.Header) {
	if _, given := h["Traceparent"]; !given {
		propagation.TraceContext{}.Inject(ctx, propagation.HeaderCarrier(h))
	}
}

// build creates the request for net/http without parsing the URL again.
func (m *message) build(ctx context.Context) (*http.Request, error) {
	var body io.Reader = http.NoBody
	if len(m.body) > 0 {
		body = bytes.NewReader(m.body)
	}
	req, err := http.NewRequestWithContext(ctx, m.method, "", body)
	if err != nil {
		return nil, node.Errorf(node.CodeInvalidInput, "the URL cannot be requested; write it like https://example.com/path")
	}
	*req.URL = *m.url
	req.URL.Host = strings.TrimSuffix(req.URL.Host, ":")
	req.Header = m.header
	passTraceOn(ctx, m.header)
	req.Host = m.header.Get("Host")
	return req, nil
}
