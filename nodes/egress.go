package nodes

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"syscall"
	"time"

	"github.com/svcflow/svc/engine/node"
)

// errRefused means that the guard does not permit an address.
var errRefused = errors.New("address refused")

// guard decides which addresses are dialled.
type guard struct {
	allow  []netip.Prefix // open whatever refuse says
	refuse []netip.Prefix
	hint   string // what could open an address; appended to the refusal
}

// idleConnections is how many idle connections are kept. Others are closed after their
// answer.
const idleConnections = 2048

// newClient returns a client that dials only what g permits. It looks at the
// address of each single connection, after the name was resolved and just before
// the connection is made: so neither a redirect, a name that changes its address,
// nor another way to write an address gets past it. It uses no proxy, which would
// dial in its place.
//
// The time that a request may take comes from its context; the limits here catch
// what a context of a day would let hang.
func newClient(g guard, resolver *net.Resolver) *http.Client {
	return &http.Client{Transport: egress{
		guard: g,
		Transport: &http.Transport{
			DialContext:            g.dialer(resolver).DialContext,
			ForceAttemptHTTP2:      true,
			TLSHandshakeTimeout:    10 * time.Second,
			ResponseHeaderTimeout:  5 * time.Minute,
			IdleConnTimeout:        30 * time.Second,
			MaxIdleConns:           idleConnections,
			MaxIdleConnsPerHost:    idleConnections, // fan-outs of many runs at once meet at one host
			MaxResponseHeaderBytes: 256 << 10,
		},
	}}
}

func (g guard) dialer(resolver *net.Resolver) *net.Dialer {
	return &net.Dialer{
		Timeout:        10 * time.Second,
		KeepAlive:      30 * time.Second,
		Resolver:       resolver,
		ControlContext: g.control,
	}
}

// dial opens connections for what is not HTTP, under the same guard.
func (g guard) dial(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := g.dialer(net.DefaultResolver).DialContext(ctx, network, address)
	if errors.Is(err, errRefused) {
		host, _, _ := net.SplitHostPort(address)
		return nil, g.refusal(host)
	}
	return conn, err
}

func (g guard) refusal(host string) error {
	return node.Errorf(node.CodeForbidden, "workflows may not reach the address of host %q%s", host, g.hint)
}

// control is called with each address that is about to be dialled.
func (g guard) control(_ context.Context, _, address string, _ syscall.RawConn) error {
	ap, err := netip.ParseAddrPort(address)
	if err != nil || !g.permits(ap.Addr()) {
		return errRefused
	}
	return nil
}

// egress makes node errors of refusals. They do not name the IP address, which would reveal
// how the operator's network resolves a name.
type egress struct {
	*http.Transport

	guard guard
}

// RoundTrip implements http.RoundTripper.
func (e egress) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := e.Transport.RoundTrip(req)
	if errors.Is(err, errRefused) {
		return nil, e.guard.refusal(req.URL.Hostname())
	}
	return resp, err
}
