// Package servicetest holds what tests of the networks' plugins share: a network in
// memory, and the suite of faults that every node of such a plugin has to pass.
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

// Request is a request as the network got it.
type Request struct {
	Line   string // method, path with its escapes, and query
	Header http.Header
	Body   string
	At     time.Time
}

// Answer answers a request. It gets the request's body, which it need not read.
type Answer func(r *http.Request) (*http.Response, error)

// Stub is a network in memory, to be used as a transport. Set its fields before the
// first request. It is safe for concurrent use.
type Stub struct {
	// Answers are bodies of JSON by method and path, "GET /me". A request for none of
	// them is answered with 404.
	Answers map[string]string
	// Script comes first: its entries answer the requests for Main, one each.
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

// Requests returns what came so far, in order.
func (s *Stub) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.requests...)
}

// Count returns how many requests came whose line begins with prefix.
func (s *Stub) Count(prefix string) int {
	n := 0
	for _, r := range s.Requests() {
		if strings.HasPrefix(r.Line, prefix) {
			n++
		}
	}
	return n
}

// recorded notes what is read of a body.
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

// take reads the body of r, as a network does that gets all of it.
func take(r *http.Request) {
	if r.Body != nil {
		_, _ = io.Copy(io.Discard, r.Body) // from memory
	}
}

// Reply answers with what is given; header holds names and values in turn.
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

// JSON answers with a body of JSON.
func JSON(status int, body string) Answer {
	return Reply(status, body, "Content-Type", "application/json")
}

// Cut is a connection that breaks after the request was sent.
func Cut(r *http.Request) (*http.Response, error) {
	take(r)
	return nil, io.ErrUnexpectedEOF
}

// Silent is a network that takes the request and never answers.
func Silent(r *http.Request) (*http.Response, error) {
	take(r)
	<-r.Context().Done()
	return nil, r.Context().Err()
}

// Unreachable is a network that takes no connection.
func Unreachable(*http.Request) (*http.Response, error) {
	return nil, &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
}

// Times repeats an answer.
func Times(n int, a Answer) []Answer {
	answers := make([]Answer, n)
	for i := range answers {
		answers[i] = a
	}
	return answers
}

// Renewing is a source of credentials that renews them: the access token "old" of
// Ref becomes "new", once.
type Renewing struct{ credentials.Memory }

// The tokens of tests. They are odd enough to be found wherever they leak.
const (
	Token   = "t0ken-old-canary"
	Renewed = "t0ken-new-canary"
)

// Hold returns a source that holds Token for ref, with the scopes.
func Hold(ctx context.Context, ref credentials.Ref, scopes ...string) *Renewing {
	var r Renewing
	_ = r.SetCredential(ctx, ref, credentials.Credential{Access: credentials.NewSecret(Token), Scopes: scopes}) // into memory
	return &r
}

// Refresh renews what is held, if it is rejected.
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
