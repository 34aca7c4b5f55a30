package ionode

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"syscall"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/nodes/folder"
	"github.com/svcflow/svc/nodes/service"
)

// exchange sends requests and reads the answers.
type exchange struct {
	authorizer service.Authorizer
	files      disk
	following  http.Client // follows redirects
	staying    http.Client // returns redirects as answers
}

func newExchange(env Env) *exchange {
	client := env.HTTP
	x := &exchange{
		following: *client, staying: *client, files: disk{folder.Disk{Files: env.Files}},
		authorizer: service.Authorizer{Secrets: service.Resolver{Provider: env.Credentials}, Networks: env.Networks},
	}
	x.following.CheckRedirect = func(req *http.Request, via []*http.Request) error {
		if client.CheckRedirect != nil {
			if err := client.CheckRedirect(req, via); err != nil {
				return err
			}
		}
		return redirect(req, via)
	}
	x.staying.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return x
}

// maxRedirects is the number of redirects that a request may follow.
const maxRedirects = 10

// redirect decides about the request that follows those in via. Once the chain has left
// its first host, the request carries none of the workflow's headers and no Referer, since
// any header or the URL may hold a token.
func redirect(req *http.Request, via []*http.Request) error {
	if len(via) > maxRedirects {
		return permanent(node.CodeLimitExceeded, "%s redirects more than %d times", req.URL.Hostname(), maxRedirects)
	}
	if req.URL.Scheme != "http" && req.URL.Scheme != "https" {
		return errScheme()
	}
	elsewhere := func(hop *http.Request) bool { return !sameHost(via[0].URL, hop.URL) }
	if err := keepMethod(req, via); err != nil {
		return err
	}
	if elsewhere(req) || slices.ContainsFunc(via, elsewhere) {
		req.Header = impersonal(req.Header)
	}
	return nil
}

// The values of redirectMethod: what becomes of a PUT, PATCH or DELETE that is redirected
// with 301 or 302, which browsers and net/http turn into a GET.
const (
	redirectFail = "fail"
	redirectKeep = "keep"
	redirectGet  = "get"
)

// redirectKey is the context key of the redirectMethod of a request.
type redirectKey struct{}

// keepMethod repeats the method and the body of the request that was redirected to req, or
// fails, as the request wants. A POST becomes a GET, as everywhere, and so does each method
// after 303 (RFC 9110, section 15.4.4).
func keepMethod(req *http.Request, via []*http.Request) error {
	last, status := via[len(via)-1], req.Response.StatusCode
	changes := last.Method == http.MethodPut || last.Method == http.MethodPatch || last.Method == http.MethodDelete
	if !changes || req.Method == last.Method || status != http.StatusMovedPermanently && status != http.StatusFound {
		return nil
	}
	switch way, _ := req.Context().Value(redirectKey{}).(string); way {
	case redirectGet:
		return nil
	case redirectFail:
		return permanent(codeStatus, "%s %s is redirected with %d; use the new address, or set redirectMethod", last.Method, last.URL.Hostname(), status)
	}
	req.Method = last.Method
	if last.GetBody == nil {
		return nil
	}
	body, err := last.GetBody()
	if err != nil {
		return err
	}
	req.Body, req.GetBody, req.ContentLength = body, last.GetBody, last.ContentLength
	if kind := last.Header.Values("Content-Type"); kind != nil {
		req.Header["Content-Type"] = kind
	}
	return nil
}

// sameHost reports whether headers meant for a may be sent to b: to the same host and
// port, and never from https to http.
func sameHost(a, b *url.URL) bool {
	if !strings.EqualFold(a.Hostname(), b.Hostname()) {
		return false
	}
	if a.Scheme == b.Scheme {
		return portOf(a) == portOf(b)
	}
	return portOf(a) == "80" && portOf(b) == "443" // an upgrade from http to https
}

func portOf(u *url.URL) string {
	switch {
	case u.Port() != "":
		return u.Port()
	case u.Scheme == "https":
		return "443"
	}
	return "80"
}

// impersonal returns the headers that do not identify the sender.
func impersonal(h http.Header) http.Header {
	kept := http.Header{}
	for _, name := range []string{"Accept", "Accept-Encoding", "Accept-Language", "Content-Language", "Content-Type", "User-Agent"} {
		if v, ok := h[name]; ok {
			kept[name] = v
		}
	}
	return kept
}

// authorize adds the credential of ref to m, if there is one.
func (x *exchange) authorize(ctx context.Context, m *message, ref value.Credential) error {
	if ref == "" {
		return nil
	}
	z, err := x.authorizer.Authorize(ctx, ref, m.url)
	if err != nil {
		return err
	}
	for _, name := range []string{"Authorization", z.Header()} {
		if _, given := m.header[name]; given {
			return node.Errorf(node.CodeInvalidConfig, "the request has a credential and the header %s; leave one of them out", name)
		}
	}
	m.authorization = z
	return nil
}

// send sends m and reads the answer, of at most limit bytes.
func (x *exchange) send(ctx context.Context, m *message, follow bool, limit int) (*answer, error) {
	resp, err := x.open(ctx, m, follow)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	return receive(ctx, m, resp, limit)
}

// open sends m and returns the answer, whose body is not read yet.
func (x *exchange) open(ctx context.Context, m *message, follow bool) (*http.Response, error) {
	req, err := m.build(context.WithValue(ctx, redirectKey{}, m.redirectMethod))
	if err != nil {
		return nil, err
	}
	client := &x.staying
	if follow {
		client = &x.following
	}
	if m.authorization != nil {
		client = m.authorization.Client(client)
	}
	resp, err := client.Do(req)
	if err != nil {
		return nil, unanswered(ctx, m, err)
	}
	return resp, nil
}

// receive reads the body of resp, of at most limit bytes.
func receive(ctx context.Context, m *message, resp *http.Response, limit int) (*answer, error) {
	if m.method != http.MethodHead && resp.ContentLength > int64(limit) {
		return nil, tooLarge("the answer of "+m.where(), limit)
	}
	body, longer, err := readAtMost(ctx, resp.Body, limit)
	switch {
	case longer:
		return nil, tooLarge("the answer of "+m.where(), limit)
	case err != nil:
		return nil, unanswered(ctx, m, err)
	}
	return newAnswer(resp, body), nil
}

// unanswered says why there is no answer, without the error's own text, which names
// resolved IP addresses.
func unanswered(ctx context.Context, m *message, err error) error {
	var known *node.Error
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &known):
		return known
	}
	return &node.Error{
		Code: node.CodeUnavailable, Err: err,
		Message: m.method + " " + failedPlace(m, err) + ": " + reason(err),
	}
}

// failedPlace names the host that did not answer, which may be the target of a redirect.
func failedPlace(m *message, err error) string {
	if at, ok := errors.AsType[*url.Error](err); ok {
		if u, err := url.Parse(at.URL); err == nil && u.Hostname() != "" {
			return place(u)
		}
	}
	return place(m.url)
}

// reason says what went wrong without repeating the error's own text, which
// names addresses and quotes what the peer sent.
func reason(err error) string {
	var dns *net.DNSError
	var cert *tls.CertificateVerificationError
	var timeout net.Error
	switch {
	case errors.As(err, &dns):
		return "the host name cannot be resolved; check its spelling"
	case errors.As(err, &cert):
		return "the server's certificate is not valid for this host or not trusted"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "the connection was refused; check host and port"
	case errors.Is(err, syscall.ENETUNREACH), errors.Is(err, syscall.EHOSTUNREACH):
		return "the network or host cannot be reached"
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "the server closed the connection before its answer was complete"
	case errors.As(err, &timeout) && timeout.Timeout():
		return "the server did not answer in time"
	}
	return "there was no valid HTTP answer"
}
