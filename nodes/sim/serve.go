package sim

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"time"
)

// maxRequest is the largest request body, in bytes: more than the largest image.
const maxRequest = 32 << 20

// call is one request whose body was read.
type call struct {
	request *http.Request
	body    []byte
	base    string     // URL of the network
	login   *login     // of the request's token; nil before authentication
	op      *operation // nil for OAuth endpoints
}

func (c *call) account() *Account { return c.login.account }
func (c *call) query() url.Values { return c.request.URL.Query() }

// decode reads the body into a value.
func (c *call) decode(into any) {
	_ = json.Unmarshal(c.body, into) // the body was validated before
}

// answer is a response of a network.
type answer struct {
	status int
	header map[string]string
	body   any // encoded as JSON; nil: no body
}

func (a answer) write(w http.ResponseWriter) {
	for name, value := range a.header {
		w.Header().Set(name, value)
	}
	if a.body == nil {
		w.WriteHeader(a.status)
		return
	}
	if w.Header().Get("Content-Type") == "" {
		w.Header().Set("Content-Type", "application/json")
	}
	w.WriteHeader(a.status)
	_ = json.NewEncoder(w).Encode(a.body) // an error means that the client has disconnected
}

// with returns a copy of the answer with additional headers; existing ones have precedence.
func (a answer) with(header map[string]string) answer {
	all := maps.Clone(header)
	maps.Copy(all, a.header)
	a.header = all
	return a
}

// ServeHTTP implements [http.Handler].
func (n *Network) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	watched := &watch{ResponseWriter: w}
	entry := Request{
		At: time.Now(), Method: r.Method, Path: r.URL.Path, Query: r.URL.Query(), Header: r.Header.Clone(),
	}
	defer func() {
		entry.Route, entry.Body, entry.Status = watched.route, watched.body, watched.status
		n.record(entry)
	}()
	if handler, pattern := n.mux.Handler(r); pattern == "" {
		n.astray(handler, r).write(watched)
		return
	}
	n.mux.ServeHTTP(watched, r)
}

// astray returns the response for a request without a route, given the mux's own: 404, or
// 405 with an Allow header.
func (n *Network) astray(says http.Handler, r *http.Request) answer {
	said := httptest.NewRecorder()
	says.ServeHTTP(said, r)
	refusal := n.face.refuse(said.Code, "no call is "+r.Method+" "+r.URL.Path)
	if methods := said.Header().Get("Allow"); methods != "" {
		return refusal.with(map[string]string{"Allow": methods})
	}
	return refusal
}

// serve handles a request of a route, and applies the fault that the script has for it.
func (n *Network) serve(w http.ResponseWriter, r *http.Request, route string, do func(*call) answer) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxRequest))
	if watched, ok := w.(*watch); ok {
		watched.route, watched.body = route, body
	}
	if err != nil {
		status := http.StatusBadRequest
		if errors.As(err, new(*http.MaxBytesError)) {
			status = http.StatusRequestEntityTooLarge
		}
		n.face.refuse(status, "the body cannot be read").write(w)
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	c := &call{request: r, body: body, base: n.base(r)}
	n.follow(r.Context(), n.nextFault(route), w, c, do)
}

// follow handles a call and applies a fault to its response.
func (n *Network) follow(ctx context.Context, fault Fault, w http.ResponseWriter, c *call, do func(*call) answer) {
	var a answer
	if fault.After {
		a = n.locked(c, do)
	}
	if !fault.pause(ctx) {
		panic(http.ErrAbortHandler) // the client has disconnected
	}
	if fault.spoils() {
		fault.write(w, n.face)
		return
	}
	if !fault.After {
		a = n.locked(c, do)
	}
	a.write(w)
}

func (n *Network) locked(c *call, do func(*call) answer) answer {
	n.mu.Lock()
	defer n.mu.Unlock()
	return do(c)
}

// admit authenticates and validates a call and lets do handle it, or returns an error
// response.
func (n *Network) admit(c *call, op *operation, do func(*call) answer) answer {
	c.op = op
	token, found := strings.CutPrefix(c.request.Header.Get("Authorization"), "Bearer ")
	c.login = n.logins.of(token, time.Now())
	if !found || c.login == nil {
		return n.face.refuse(http.StatusUnauthorized, "")
	}
	header, within := n.count(c.login, time.Now())
	if !within {
		return n.face.refuse(http.StatusTooManyRequests, "").with(header)
	}
	if scope := op.missing(c.login.scopes); scope != "" {
		return n.face.refuse(http.StatusForbidden, "the token lacks the scope "+scope).with(header)
	}
	if status, detail := op.check(c.request, c.body); status != 0 {
		return n.face.refuse(status, detail).with(header)
	}
	return do(c).with(header)
}

// watch records the response for the journal.
type watch struct {
	http.ResponseWriter

	route  string
	body   []byte
	status int
}

// WriteHeader implements [http.ResponseWriter].
func (w *watch) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

// Unwrap gives [http.ResponseController] the underlying writer.
func (w *watch) Unwrap() http.ResponseWriter { return w.ResponseWriter }
