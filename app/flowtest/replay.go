package flowtest

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

// Replay answers requests from recordings, and makes none. It is safe for concurrent use.
type Replay struct {
	mu    sync.Mutex
	left  []int // by exchange: how often it may still be made
	known []Exchange
}

// NewReplay returns what answers with exchanges, of those that fit the first that is left.
func NewReplay(exchanges []Exchange) *Replay {
	r := &Replay{known: exchanges, left: make([]int, len(exchanges))}
	for i := range exchanges {
		r.left[i] = max(exchanges[i].Times, 1)
	}
	return r
}

// RoundTrip implements http.RoundTripper. A request that nothing fits fails, with a
// sentence that says what was asked.
func (r *Replay) RoundTrip(req *http.Request) (*http.Response, error) {
	asked, err := requestOf(req)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	used := false
	for i := range r.known {
		if !r.known[i].Request.fits(asked) {
			continue
		}
		if used = true; r.left[i] > 0 {
			r.left[i]--
			return r.known[i].Response.to(req)
		}
	}
	if used {
		return nil, unanswered(asked, "was made more often than it is recorded; raise its times")
	}
	return nil, unanswered(asked, `is not recorded; add it to "http" of the case`)
}

func unanswered(asked *request, why string) error {
	text := asked.method + " " + asked.url
	if len(asked.body) > 0 {
		text += " with the body " + shown(asked.body)
	}
	return node.Permanent(node.Errorf(node.CodeForbidden, "a test makes no requests, and %s %s, or pin the node", text, why))
}

// Unused words the requests that were expected and not made.
func (r *Replay) Unused() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var unused []string
	for i, left := range r.left {
		if left > 0 {
			q := &r.known[i].Request
			unused = append(unused, fmt.Sprintf("%s %s was to be made, and was not (%d times left)", q.verb(), q.URL, left))
		}
	}
	return unused
}

// request is a request as recordings are compared with it: without the run's secrets.
type request struct {
	method, url string
	header      http.Header
	body        []byte
}

// maxBody bounds how much of a body is read, in bytes.
const maxBody = 64 << 20

// requestOf takes a request apart.
func requestOf(req *http.Request) (*request, error) {
	asked := &request{method: req.Method, header: req.Header}
	if asked.method == "" {
		asked.method = http.MethodGet
	}
	if req.Body != nil {
		body, err := io.ReadAll(io.LimitReader(req.Body, maxBody))
		_ = req.Body.Close() // it has been read
		if err != nil {
			return nil, err
		}
		asked.body = []byte(node.Redact(req.Context(), string(body)))
	}
	asked.url = address(req)
	return asked, nil
}

// redacted stands where a secret of the run was.
const redacted = "[redacted]"

// address returns the URL of a request, without the parameters that carry a secret: a
// credential in a recording goes as another one in the test.
func address(req *http.Request) string {
	before, query, found := strings.Cut(node.Redact(req.Context(), req.URL.String()), "?")
	if !found {
		return before
	}
	kept := slices.DeleteFunc(strings.Split(query, "&"), func(parameter string) bool { return strings.Contains(parameter, redacted) })
	if len(kept) == 0 {
		return before
	}
	return before + "?" + strings.Join(kept, "&")
}

func (q *Request) verb() string {
	if q.Method == "" {
		return http.MethodGet
	}
	return strings.ToUpper(q.Method)
}

// fits reports whether asked is the request that q means.
func (q *Request) fits(asked *request) bool {
	wanted, err := pattern(q.URL)
	if err != nil || q.verb() != asked.method || !wanted.MatchString(sorted(asked.url)) {
		return false
	}
	for name, v := range q.Headers {
		if asked.header.Get(name) != v {
			return false
		}
	}
	switch body := q.Body.(type) {
	case nil:
		return true
	case string:
		return body == string(asked.body)
	}
	got, err := value.Decode(asked.body)
	return err == nil && string(value.Encode(got)) == string(value.Encode(q.Body))
}

// pattern makes a URL in which * stands for any text an expression.
func pattern(text string) (*regexp.Regexp, error) {
	return regexp.Compile("^" + strings.ReplaceAll(regexp.QuoteMeta(sorted(text)), `\*`, ".*") + "$")
}

// sorted returns a URL with the parameters of its query in the order of their names.
func sorted(text string) string {
	before, query, found := strings.Cut(text, "?")
	if !found || strings.Contains(query, "*") {
		return text
	}
	parameters, err := url.ParseQuery(query)
	if err != nil {
		return text
	}
	return before + "?" + parameters.Encode()
}

// to makes the answer to a request.
func (a *Response) to(req *http.Request) (*http.Response, error) {
	header, body, kind := http.Header{}, []byte(nil), "text/plain; charset=utf-8"
	switch v := a.Body.(type) {
	case nil:
		body, _ = base64.StdEncoding.DecodeString(a.Base64) // looked at when it was read
		kind = "application/octet-stream"
	case string:
		body = []byte(v)
	default:
		body, kind = value.Encode(v), "application/json"
	}
	header.Set("Content-Type", kind)
	for name, v := range a.Headers {
		header.Set(name, v)
	}
	status := a.Status
	if status == 0 {
		status = http.StatusOK
	}
	return &http.Response{
		Status: fmt.Sprintf("%d %s", status, http.StatusText(status)), StatusCode: status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: header, Body: io.NopCloser(bytes.NewReader(body)), ContentLength: int64(len(body)), Request: req,
	}, nil
}

// shown cuts a body for messages.
func shown(body []byte) string {
	const most = 200
	if !utf8.Valid(body) {
		return fmt.Sprintf("of %d bytes", len(body))
	}
	if len(body) > most {
		return strings.ToValidUTF8(string(body[:most]), "") + "…"
	}
	return string(body)
}
