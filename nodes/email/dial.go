package email

import (
	"context"
	"crypto/tls"
	"net"
	"sync/atomic"

	"github.com/svcflow/svc/engine/node"
)

// maxReceived bounds the bytes received over one connection, since they are held in memory.
const maxReceived = 2*maxMessage + 14<<20

// guarded is a connection that is closed when its context ends, and that fails after
// maxReceived bytes.
type guarded struct {
	net.Conn

	left    atomic.Int64
	release func() bool
}

// Read implements [net.Conn].
func (g *guarded) Read(p []byte) (int, error) {
	n, err := g.Conn.Read(p)
	if g.left.Add(-int64(n)) < 0 {
		return 0, permanent(node.CodeLimitExceeded, "the mail server sent more than %d MiB", maxReceived>>20)
	}
	return n, err
}

// Close implements [net.Conn].
func (g *guarded) Close() error {
	g.release()
	return g.Conn.Close()
}

// dial connects to srv, with TLS unless it uses STARTTLS. The connection is closed when ctx
// ends.
func (m mailer) dial(ctx context.Context, srv server) (net.Conn, error) {
	var d net.Dialer
	plain, err := d.DialContext(ctx, "tcp", srv.address())
	if err != nil {
		return nil, unreachable(srv, err)
	}
	conn := &guarded{Conn: plain}
	conn.left.Store(maxReceived)
	conn.release = context.AfterFunc(ctx, func() { _ = plain.Close() }) // reads and writes then fail, so the error is not needed here
	if srv.security != implicitTLS {
		return conn, nil
	}
	secured := tls.Client(conn, m.tlsFor(srv))
	if err := secured.HandshakeContext(ctx); err != nil {
		_ = conn.Close() // the first error is the one to tell
		return nil, unreachable(srv, err)
	}
	return secured, nil
}

// tlsFor returns the TLS configuration for srv.
func (m mailer) tlsFor(srv server) *tls.Config {
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if m.tls != nil {
		config = m.tls.Clone()
	}
	config.ServerName = srv.host
	return config
}
