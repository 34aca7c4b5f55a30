package service

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/cenkalti/backoff/v5"

	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/engine/node"
)

// message is one request, which may be sent more than once.
type message struct {
	call   Call
	method string
	url    *url.URL
	header http.Header
	body   []byte
	once   bool
	scope  string
	client *http.Client
}

// answer is a network's response.
type answer struct {
	status int
	header http.Header
	body   []byte
}

func (a *answer) ok() bool { return a.status >= 200 && a.status <= 299 }

// maxAnswer is the largest answer, in bytes. It is ten times the largest page of the
// networks.
const maxAnswer = 8 << 20

// userAgent is the User-Agent header.
const userAgent = "svc (+https://github.com/svcflow/svc)"

// exchange sends m with the account's token until an attempt succeeds. It renews a
// refused token once.
func (a *API) exchange(ctx context.Context, m *message) (*answer, error) {
	c, err := a.secrets.Resolve(ctx, m.call.Ref)
	if err != nil {
		return nil, credentialError{err}
	}
	answer, err := a.persist(ctx, m, c)
	if err != nil || answer.status != http.StatusUnauthorized {
		return answer, err
	}
	if c, err = a.secrets.Renew(ctx, m.call.Ref, c.Access); err != nil {
		return nil, credentialError{err}
	}
	answer, err = a.persist(ctx, m, c)
	if err == nil && answer.status == http.StatusUnauthorized {
		err = a.refused(m, c, answer)
	}
	return answer, err
}

// Retries: attempts per request, and the first and longest pause between them.
const (
	maxTries   = 4
	firstPause = 500 * time.Millisecond
	maxPause   = 8 * time.Second
)

// persist sends m, and again after growing pauses while a retry may help and ctx lasts.
// It returns an answer of status 401 as it is; other refusals are errors.
func (a *API) persist(ctx context.Context, m *message, c credentials.Credential) (*answer, error) {
	pauses := backoff.NewExponentialBackOff()
	pauses.InitialInterval, pauses.MaxInterval, pauses.Multiplier = firstPause, maxPause, 2
	options := []backoff.RetryOption{backoff.WithBackOff(pauses), backoff.WithMaxTries(maxTries), backoff.WithMaxElapsedTime(0)}
	if deadline, ok := ctx.Deadline(); ok {
		options = append(options, backoff.WithMaxElapsedTime(time.Until(deadline)))
	}
	answer, err := backoff.Retry(ctx, func() (*answer, error) { return a.attempt(ctx, m, c) }, options...)
	if final, ok := errors.AsType[*backoff.PermanentError](err); ok { // Retry does not unwrap a permanent error of the last try
		err = final.Unwrap()
	}
	return answer, err
}

// attempt sends m once. Its error is marked permanent if m must not be sent again.
func (a *API) attempt(ctx context.Context, m *message, c credentials.Credential) (*answer, error) {
	account := a.limits.account(m.call.Ref)
	place, err := account.enter(ctx, m.call.Name)
	if err != nil {
		return nil, backoff.Permanent(a.named(m, err))
	}
	var sent atomic.Bool
	answer, err := a.send(ctx, m, c, &sent)
	account.leave(m.call.Name, place, announced(answer, time.Now()))
	switch {
	case err != nil:
		return nil, a.unanswered(ctx, m, err, sent.Load())
	case answer.ok(), answer.status == http.StatusUnauthorized:
		return answer, nil
	}
	err = a.refused(m, c, answer)
	if !again(m, err) {
		err = backoff.Permanent(err)
	}
	return nil, err
}

// again reports whether m may be sent anew after a refusal. After an error of the
// network's own, the request may have had its effect, so it is not repeated if m.once.
func again(m *message, err error) bool {
	code := node.CodeOf(err)
	return code == node.CodeRateLimited || code == node.CodeUnavailable && !m.once
}

// named prefixes the limiter's message with network and call.
func (a *API) named(m *message, err error) error {
	if limited, ok := errors.AsType[*node.Error](err); ok {
		limited.Message = a.network.Name + " " + m.call.Name + ": " + limited.Message
	}
	return err
}

// send sends m and reads the answer. sent is set when the network may have got all
// of m.
func (a *API) send(ctx context.Context, m *message, c credentials.Credential, sent *atomic.Bool) (*answer, error) {
	req, err := http.NewRequestWithContext(ctx, m.method, m.url.String(), nil)
	if err != nil {
		return nil, err
	}
	if len(m.body) == 0 {
		sent.Store(true) // without a body nothing shows whether it was sent
	} else {
		req.Body, req.ContentLength = io.NopCloser(&watched{Reader: bytes.NewReader(m.body), read: sent}), int64(len(m.body))
	}
	a.address(req, m, c)
	resp, err := m.client.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	if err != nil {
		return nil, err
	}
	return &answer{status: resp.StatusCode, header: resp.Header, body: body}, nil
}

// address sets the headers, and the token if the host may have it.
func (a *API) address(req *http.Request, m *message, c credentials.Credential) {
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", userAgent)
	for name, text := range a.network.Header {
		req.Header.Set(name, text)
	}
	for name := range m.header {
		req.Header.Set(name, m.header.Get(name))
	}
	if a.mayHaveToken(m.url) {
		req.Header.Set("Authorization", "Bearer "+c.Access.Reveal())
	}
}

func (a *API) mayHaveToken(u *url.URL) bool {
	return (u.Scheme == a.base.Scheme || u.Scheme == "https") && slices.Contains(a.hosts, strings.ToLower(u.Host))
}

// watched records that its reader was read: a body that was never read was not sent.
type watched struct {
	io.Reader

	read *atomic.Bool
}

// Read implements io.Reader.
func (w *watched) Read(p []byte) (int, error) {
	w.read.Store(true)
	return w.Reader.Read(p)
}

// unanswered is the failure of a request without an answer.
func (a *API) unanswered(ctx context.Context, m *message, err error, sent bool) error {
	late := errors.Is(context.Cause(ctx), context.DeadlineExceeded)
	switch {
	case m.once && sent && (ctx.Err() == nil || late):
		return backoff.Permanent(a.outcomeUnknown(m, "the network did not answer"))
	case ctx.Err() != nil:
		return backoff.Permanent(ctx.Err())
	}
	return &node.Error{Code: node.CodeUnavailable, Err: err, Message: a.network.Name + " " + m.call.Name + ": " + reason(err)}
}

// reason says why there is no answer without repeating the error's own text, which
// names addresses and may quote what the peer sent.
func reason(err error) string {
	var dns *net.DNSError
	var op *net.OpError
	switch {
	case errors.As(err, &dns):
		return "the name of the network's host cannot be resolved"
	case errors.As(err, &op) && op.Op == "dial":
		return "the network cannot be reached"
	}
	return "the connection to the network broke before its answer was complete"
}
