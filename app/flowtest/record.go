package flowtest

import (
	"bytes"
	"encoding/base64"
	"io"
	"net/http"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

// Recorder makes requests and keeps them with their answers, without the secrets of the
// run: no credential is kept, be it in a header, the address or a body. It is safe for
// concurrent use.
type Recorder struct {
	// Transport makes the requests.
	Transport http.RoundTripper

	mu      sync.Mutex
	kept    []Exchange
	callers map[string]bool
}

// RoundTrip implements http.RoundTripper. The whole answer is read first.
func (r *Recorder) RoundTrip(req *http.Request) (*http.Response, error) {
	var sent []byte
	if req.Body != nil {
		var err error
		sent, err = io.ReadAll(io.LimitReader(req.Body, maxBody))
		_ = req.Body.Close() // it has been read
		if err != nil {
			return nil, err
		}
		req = req.Clone(req.Context())
		req.Body = io.NopCloser(bytes.NewReader(sent))
	}
	resp, err := r.Transport.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxBody))
	_ = resp.Body.Close() // it has been read
	if err != nil {
		return nil, err
	}
	resp.Body = io.NopCloser(bytes.NewReader(body))
	r.keep(req, sent, resp, body)
	return resp, nil
}

func (r *Recorder) keep(req *http.Request, sent []byte, resp *http.Response, body []byte) {
	redact := func(text string) string { return node.Redact(req.Context(), text) }
	x := Exchange{
		Request:  Request{Method: req.Method, URL: address(req)},
		Response: Response{Status: resp.StatusCode, Headers: map[string]string{}},
	}
	if len(sent) > 0 && utf8.Valid(sent) {
		x.Request.Body = bodyValue([]byte(redact(string(sent))), req.Header.Get("Content-Type"))
	}
	for _, name := range []string{"Content-Type", "Link", "Location", "Retry-After", "ETag"} {
		if v := resp.Header.Get(name); v != "" {
			x.Response.Headers[name] = redact(v)
		}
	}
	if utf8.Valid(body) {
		x.Response.Body = bodyValue([]byte(redact(string(body))), resp.Header.Get("Content-Type"))
	} else {
		x.Response.Base64 = base64.StdEncoding.EncodeToString(body)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.kept = append(r.kept, x)
	if r.callers == nil {
		r.callers = map[string]bool{}
	}
	r.callers[node.Key(req.Context())] = true
}

// bodyValue returns a body as a file of tests has it: as JSON if it is, else as text.
func bodyValue(body []byte, kind string) any {
	if strings.Contains(kind, "json") {
		v, err := value.Decode(body)
		if _, text := v.(string); err == nil && !text && v != nil {
			return v
		}
	}
	return string(body)
}

// Exchanges returns what was kept, in the order of the answers.
func (r *Recorder) Exchanges() []Exchange {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]Exchange(nil), r.kept...)
}

// Asked reports whether the node with that key (see [node.Key]) has made a request.
func (r *Recorder) Asked(key string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.callers[key]
}
