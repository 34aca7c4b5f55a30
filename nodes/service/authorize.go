package service

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/credentials/network"
	"github.com/svcflow/svc/engine/node"
)

// Authorizer adds credentials to the requests of nodes, in the way that their kinds require
// and only for hosts that may receive them. It is safe for concurrent use.
type Authorizer struct {
	Secrets  Resolver
	Networks network.Table
}

// Authorize resolves the credential of ref for requests to u and to wherever its hosts
// let it go, and conceals it in the run of ctx. Nothing has been sent when it fails: its
// error is one of [Resolver.Resolve], or a permanent [node.Error] with the code
//
//	forbidden      this credential may not be sent to u
//	invalid_input  it is none that a request can carry
func (a Authorizer) Authorize(ctx context.Context, ref credentials.Ref, u *url.URL) (*Authorization, error) {
	c, err := a.Secrets.Resolve(ctx, ref)
	if err != nil {
		return nil, err
	}
	n, _ := a.Networks.Lookup(ref.Network())
	z := &Authorization{ref: ref, secrets: a.Secrets, hosts: n.Hosts, credential: c}
	if len(c.Hosts) > 0 {
		z.hosts = c.Hosts
	}
	if !c.Kind.Sent() || n.Kind == network.KindSecret && c.Kind == "" {
		return nil, permanentf(node.CodeInvalidInput, "the credential %q is none that goes with a request", ref)
	}
	if err := c.CheckFor(n); err != nil {
		return nil, permanentf(node.CodeInvalidInput, "the credential %q: %w", ref, err)
	}
	return z, z.allows(u)
}

func permanentf(code, format string, args ...any) error {
	err := node.Errorf(code, format, args...)
	err.Permanent = true
	return err
}

// Authorization is a credential that requests may carry. It is safe for concurrent use.
type Authorization struct {
	ref     credentials.Ref
	secrets Resolver
	hosts   []string

	mu         sync.Mutex
	credential credentials.Credential
	renewed    bool // a credential is renewed once per node
}

// Header returns the name of the header with the credential, or "" if the credential is
// sent elsewhere in the request.
func (z *Authorization) Header() string {
	c := z.current()
	switch c.Kind {
	case credentials.KindHeader:
		return http.CanonicalHeaderKey(c.Name)
	case credentials.KindQuery:
		return ""
	}
	return "Authorization"
}

// Client returns a client like base whose requests carry the credential. It is put on
// just before a request is sent, so it is in no request, URL or error that callers see.
// A request to a host that may not have it fails with the code forbidden, unless a
// redirect led there: from the first host that is another one on, redirects are followed
// without it. An answer of 401 is asked for once more with a token that was renewed, if
// it can be and the body can be sent again.
func (z *Authorization) Client(base *http.Client) *http.Client {
	client := *base
	transport := base.Transport
	if transport == nil {
		transport = http.DefaultTransport
	}
	client.Transport = authorized{z, transport}
	return &client
}

func (z *Authorization) current() credentials.Credential {
	z.mu.Lock()
	defer z.mu.Unlock()
	return z.credential
}

// allows returns an error if the credential must not be sent to u. The error names only the
// host of u.
func (z *Authorization) allows(u *url.URL) error {
	if network.MayGet(z.hosts, u) {
		return nil
	}
	may := "it may be sent to " + strings.Join(z.hosts, ", ")
	if len(z.hosts) == 0 {
		may = "it names no hosts that it may be sent to"
	}
	return permanentf(node.CodeForbidden, "the credential %q may not be sent to %s://%s: %s", z.ref, u.Scheme, u.Host, may)
}

// apply adds c to a request. The request must be a copy, which callers never see.
func (z *Authorization) apply(r *http.Request, c credentials.Credential) error {
	if name := z.Header(); name != "" && len(r.Header.Values(name)) > 0 {
		return permanentf(node.CodeInvalidInput, "the credential %q is sent as the header %s, which the request has already; leave that out", z.ref, name)
	}
	secret := c.Access.Reveal()
	switch c.Kind {
	case credentials.KindBasic:
		r.SetBasicAuth(c.User, secret)
	case credentials.KindHeader:
		r.Header.Set(c.Name, secret)
	case credentials.KindQuery:
		u, parameter := *r.URL, url.QueryEscape(c.Name)+"="+url.QueryEscape(secret)
		u.RawQuery = strings.TrimPrefix(without(u.RawQuery, c.Name)+"&"+parameter, "&")
		r.URL = &u
	default:
		r.Header.Set("Authorization", "Bearer "+secret)
	}
	return nil
}

// without returns a query without the parameter called name, which would be sent beside the
// credential. The others stay as they are written.
func without(query, name string) string {
	parts := strings.Split(query, "&")
	return strings.Join(slices.DeleteFunc(parts, func(part string) bool {
		key, _, _ := strings.Cut(part, "=")
		key, err := url.QueryUnescape(key)
		return err == nil && key == name
	}), "&")
}

// renew replaces the credential after the status 401. It reports whether there is another
// one to try.
func (z *Authorization) renew(ctx context.Context, rejected credentials.Credential) (bool, error) {
	z.mu.Lock()
	defer z.mu.Unlock()
	if z.credential.Access != rejected.Access {
		return true, nil // another request has renewed it
	}
	renewable := !rejected.Refresh.IsZero() || rejected.Kind == credentials.KindClientCredentials
	if !renewable || z.renewed {
		return false, nil
	}
	z.renewed = true
	c, err := z.secrets.Renew(ctx, z.ref, rejected.Access)
	if err != nil {
		return false, err
	}
	z.credential = c
	return true, nil
}

// authorized is a transport that adds a credential to requests.
type authorized struct {
	*Authorization

	base http.RoundTripper
}

// RoundTrip implements [http.RoundTripper].
func (t authorized) RoundTrip(r *http.Request) (*http.Response, error) {
	if strayed(r) {
		return of(r)(t.base.RoundTrip(r))
	}
	if err := t.allows(r.URL); err != nil {
		return nil, errors.Join(err, closeBody(r))
	}
	c := t.current()
	answer, err := t.send(r, r.Body, c)
	if err != nil || answer.StatusCode != http.StatusUnauthorized {
		return answer, err
	}
	body, ok := replay(r)
	if !ok {
		return answer, nil
	}
	another, err := t.renew(r.Context(), c)
	if err != nil || !another {
		_ = body.Close() // it was not read
		if node.CodeOf(err) == node.CodeReauthorize {
			return nil, errors.Join(err, answer.Body.Close())
		}
		return answer, nil
	}
	_, _ = io.CopyN(io.Discard, answer.Body, maxDrain) // so that the connection can be reused
	_ = answer.Body.Close()
	return t.send(r, body, t.current())
}

// maxDrain is how many bytes of an answer with the status 401 are read to reuse its
// connection.
const maxDrain = 64 << 10

// send sends a copy of r with c.
func (t authorized) send(r *http.Request, body io.ReadCloser, c credentials.Credential) (*http.Response, error) {
	copied := r.Clone(r.Context())
	copied.Body = body
	if err := t.apply(copied, c); err != nil {
		return nil, errors.Join(err, closeBody(copied))
	}
	return of(r)(t.base.RoundTrip(copied))
}

// of sets the request of an answer to r, which has no credential, so that callers see their
// own request and its chain of redirects.
func of(r *http.Request) func(*http.Response, error) (*http.Response, error) {
	return func(answer *http.Response, err error) (*http.Response, error) {
		if answer != nil {
			answer.Request = r
		}
		return answer, err
	}
}

// strayed reports whether r was redirected away from its first host, even if it was
// redirected back later.
func strayed(r *http.Request) bool {
	for at := r; at.Response != nil && at.Response.Request != nil; {
		before := at.Response.Request
		if before.URL.Scheme != r.URL.Scheme || !strings.EqualFold(before.URL.Host, r.URL.Host) {
			return true
		}
		at = before
	}
	return false
}

// replay returns the body of r for a second attempt.
func replay(r *http.Request) (io.ReadCloser, bool) {
	switch {
	case r.Body == nil || r.Body == http.NoBody:
		return http.NoBody, true
	case r.GetBody == nil:
		return nil, false
	}
	body, err := r.GetBody()
	return body, err == nil
}

func closeBody(r *http.Request) error {
	if r.Body == nil {
		return nil
	}
	return r.Body.Close()
}
