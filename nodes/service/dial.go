package service

import (
	"context"
	"net"
	"slices"
	"strings"

	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/engine/node"
)

// Dial opens connections for protocols other than HTTP.
type Dial func(ctx context.Context, network, address string) (net.Conn, error)

// DialFor returns a Dial for a credential with an address, such as one of a database. It
// allows the credential's hosts only; without hosts it allows all that dial allows. If dial
// is nil, every connection is refused.
func DialFor(dial Dial, ref credentials.Ref, hosts []string) Dial {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		host, port, err := net.SplitHostPort(address)
		switch {
		case dial == nil || network != "tcp" || err != nil:
			return nil, node.Errorf(node.CodeForbidden, "workflows may not reach the database of %q here", ref)
		case len(hosts) > 0 && !slices.ContainsFunc(hosts, func(h string) bool { return isHost(h, host, port) }):
			return nil, node.Errorf(node.CodeForbidden, "the credential %q may not be sent to %s: its hosts are %s", ref, address, strings.Join(hosts, ", "))
		}
		return dial(ctx, network, address)
	}
}

// isHost reports whether a host of a credential, with or without a port, matches an
// address.
func isHost(pattern, host, port string) bool {
	pattern = strings.TrimPrefix(pattern, "http://")
	if h, wanted, err := net.SplitHostPort(pattern); err == nil {
		if wanted != port {
			return false
		}
		pattern = h
	}
	if below, ok := strings.CutPrefix(pattern, "*"); ok {
		return strings.HasSuffix(host, below) && len(host) > len(below)
	}
	return strings.EqualFold(pattern, host)
}
