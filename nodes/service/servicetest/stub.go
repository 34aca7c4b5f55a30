// Package servicetest holds the shared parts of the tests of network plugins: an in-memory
// network, and a suite of faults that every node of such a plugin must pass.
package servicetest

import (
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/svcflow/svc/credentials"
)

// Request is a request that the network received.
type Request struct {
	Line   string // method, escaped path and query
	Header http.Header
	Body   string
	At     time.Time
}

// Answer responds to a request. It need not read the request's body.
type Answer func(r *http.Request) (*http.Response, error)

// Stub is an in-memory network that is used as a transport. Set its fields before the first
// request. It is safe for concurrent use.
type Stub struct {
	// Answers are JSON bodies by method and path, such as "GET /me". Other requests get the
	// status 404.
	Answers map[string]string
	// Script has precedence over Answers: each entry responds to one request for Main.
	Script []Answer
	Main   string // empty: all requests

	mu       sync.Mutex
	requests []Request
}

// RoundTrip implements http.RoundTripper.
func (s *Stub) RoundTrip(r *http.Request) (*http.Response, error) {
	name := r.Method + " " + r.URL.EscapedPath()
	i := s.record(name, r)
	s.mu.Lock()
	var answer Answer
	if len(s.Script) > 0 && (s.Main == "" || s.Main == name) {
		answer, s.Script = s.Script[0], s.Script[1:]
	}
	s.mu.Unlock()
	switch body, ok := s.Answers[name]; {
	case answer != nil:
	case ok:
		answer = JSON(http.StatusOK, body)
	default:
		answer = JSON(http.StatusNotFound, `{"title":"no such call"}`)
	}
	if r.Body != nil {
		r.Body = &recorded{r.Body, s, i}
		defer r.Body.Close()
	}
	return answer(r)
}

func (s *Stub) record(name string, r *http.Request) int {
	if r.URL.RawQuery != "" {
		name += "?" + r.URL.RawQuery
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, Request{Line: name, Header: r.Header.Clone(), At: time.Now()})
	return len(s.requests) - 1
}

// Requests returns the requests so far, in order.
func (s *Stub) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.requests...)
}

// Count returns the number of requests whose Line begins with prefix.
func (s *Stub) Count(prefix string) int {
	n := 0
	for _, r := range s.Requests() {
		if strings.HasPrefix(r.Line, prefix) {
			n++
		}
	}
	return n
}

// recorded is a request body that records what is read from it.
type recorded struct {
	io.ReadCloser

	stub  *Stub
	index int
}

// Read implements io.Reader.
func (b *recorded) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.stub.mu.Lock()
	defer b.stub.mu.Unlock()
	b.stub.requests[b.index].Body += string(p[:n])
	return n, err
}

// take reads the body of r completely, as a real network does.
func take(r *http.Request) {
	if r.Body != nil {
		_, _ = io.Copy(io.Discard, r.Body) // reads from memory and cannot fail
	}
}

// Reply returns a response; header has alternating names and values.
func Reply(status int, body string, header ...string) Answer {
	return func(r *http.Request) (*http.Response, error) {
		take(r)
		h := http.Header{"Date": {time.Now().UTC().Format(http.TimeFormat)}}
		for i := 0; i+1 < len(header); i += 2 {
			h.Set(header[i], header[i+1])
		}
		return &http.Response{
			StatusCode: status, Header: h, Request: r, ContentLength: int64(len(body)),
			Body: io.NopCloser(strings.NewReader(body)),
		}, nil
	}
}

// JSON returns a response with a JSON body.
func JSON(status int, body string) Answer {
	return Reply(status, body, "Content-Type", "application/json")
}

// Cut is a connection that is closed after the request was sent.
func Cut(r *http.Request) (*http.Response, error) {
	take(r)
	return nil, io.ErrUnexpectedEOF
}

// Silent is a network that receives the request and never responds.
func Silent(r *http.Request) (*http.Response, error) {
	take(r)
	<-r.Context().Done()
	return nil, r.Context().Err()
}

// Unreachable is a network that refuses connections.
func Unreachable(*http.Request) (*http.Response, error) {
	return nil, &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
}

// Times repeats an answer n times.
func Times(n int, a Answer) []Answer {
	answers := make([]Answer, n)
	for i := range answers {
		answers[i] = a
	}
	return answers
}

// Renewing is a [service.Renewer] that replaces the access token [Token] with [Renewed].
type Renewing struct{ credentials.Memory }

// The tokens of tests. They are unusual words, so that a leak is easy to find.
const (
	Token   = "t0ken-old-canary"
	Renewed = "t0ken-new-canary"
)

// Hold returns a provider that holds [Token] for ref, with the given scopes.
func Hold(ctx context.Context, ref credentials.Ref, scopes ...string) *Renewing {
	var r Renewing
	_ = r.SetCredential(ctx, ref, credentials.Credential{Access: credentials.NewSecret(Token), Scopes: scopes}) // storing in memory cannot fail
	return &r
}

// Refresh implements [service.Renewer].
func (r *Renewing) Refresh(ctx context.Context, ref credentials.Ref, rejected credentials.Secret) (credentials.Credential, error) {
	c, err := r.Credential(ctx, ref)
	if err != nil || c.Access != rejected {
		return c, err
	}
	if rejected.Reveal() == Renewed {
		return c, credentials.ErrReauthorize
	}
	c.Access = credentials.NewSecret(Renewed)
	return c, r.SetCredential(ctx, ref, c)
}
