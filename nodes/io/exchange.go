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
)

// exchange sends requests and takes their answers.
type exchange struct {
	following http.Client // goes where a redirect points to
	staying   http.Client // hands redirects back as answers
}

func newExchange(client *http.Client) *exchange {
	x := &exchange{following: *client, staying: *client}
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

// maxRedirects bounds how often one request is sent on.
const maxRedirects = 10

// redirect decides about the request that follows those in via. Once the chain
// has left the host it began with, it carries nothing by which the workflow
// may have shown who it is: a token can be in any header, and the URL that
// Referer repeats.
func redirect(req *http.Request, via []*http.Request) error {
	if len(via) > maxRedirects {
		return permanent(node.CodeLimitExceeded, "%s redirects more than %d times", req.URL.Hostname(), maxRedirects)
	}
	if req.URL.Scheme != "http" && req.URL.Scheme != "https" {
		return errScheme()
	}
	elsewhere := func(hop *http.Request) bool { return !sameHost(via[0].URL, hop.URL) }
	if elsewhere(req) || slices.ContainsFunc(via, elsewhere) {
		req.Header = impersonal(req.Header)
	}
	return nil
}

// sameHost reports whether what was meant for a may go to b: the same host and
// port, and never from https to http.
func sameHost(a, b *url.URL) bool {
	if !strings.EqualFold(a.Hostname(), b.Hostname()) {
		return false
	}
	if a.Scheme == b.Scheme {
		return portOf(a) == portOf(b)
	}
	return portOf(a) == "80" && portOf(b) == "443" // http to https
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

// impersonal returns the headers that say nothing about the sender.
func impersonal(h http.Header) http.Header {
	kept := http.Header{}
	for _, name := range []string{"Accept", "Accept-Encoding", "Accept-Language", "Content-Language", "Content-Type", "User-Agent"} {
		if v, ok := h[name]; ok {
			kept[name] = v
		}
	}
	return kept
}

// send sends m and reads the answer, of at most limit bytes.
func (x *exchange) send(ctx context.Context, m *message, follow bool, limit int) (*answer, error) {
	req, err := m.build(ctx)
	if err != nil {
		return nil, err
	}
	client := &x.staying
	if follow {
		client = &x.following
	}
	resp, err := client.Do(req)
	if err != nil {
		return nil, unanswered(ctx, m, err)
	}
	defer resp.Body.Close()
	if req.Method != http.MethodHead && resp.ContentLength > int64(limit) {
		return nil, tooLarge("the answer of "+m.url.Hostname(), limit)
	}
	body, err := readAtMost(resp.Body, limit, "the answer of "+m.url.Hostname())
	if err != nil {
		return nil, unanswered(ctx, m, err)
	}
	return &answer{status: resp.StatusCode, header: resp.Header, body: body}, nil
}

// unanswered words why there is no answer. It tells the method and the host and
// nothing else of the request: a path, a query and an address that a name
// resolves to may all be secret.
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
		Message: m.method + " " + failedHost(m, err) + ": " + reason(err),
	}
}

// failedHost returns the host that did not answer, to which a redirect may have
// led.
func failedHost(m *message, err error) string {
	if at, ok := errors.AsType[*url.Error](err); ok {
		if u, err := url.Parse(at.URL); err == nil && u.Hostname() != "" {
			return u.Hostname()
		}
	}
	return m.url.Hostname()
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
