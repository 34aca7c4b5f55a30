package httpapi

import (
	"cmp"
	"errors"
	"net"
	"net/netip"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/svcflow/svc/engine/limit"
)

// Guard limits the resources that clients use by their connections. A server with a guarded
// listener cuts off clients that do not read their answers. It needs no write timeout, which would
// also cut off long answers.
type Guard struct {
	// Connections is the largest number of connections; 0 means 10,000. Further connections are
	// closed at once.
	Connections int
	// PerAddress is the largest number of connections from one address; 0 means 1,000. IPv6
	// addresses count by their /64 prefix. Behind a proxy, all connections have the address of the
	// proxy.
	PerAddress int
	// Stall is how long a client may read nothing of an answer; 0 means 30 seconds.
	Stall time.Duration
}

// Listen returns l with the limits of g.
func (g Guard) Listen(l net.Listener) net.Listener {
	g.Connections = cmp.Or(g.Connections, limit.Connected)
	g.PerAddress = cmp.Or(g.PerAddress, limit.ConnectedFrom)
	g.Stall = cmp.Or(g.Stall, limit.Stall)
	return &guarded{Listener: l, Guard: g, from: map[netip.Addr]int{}}
}

// guarded is a listener with the limits of a guard.
type guarded struct {
	net.Listener
	Guard

	mu   sync.Mutex
	all  int
	from map[netip.Addr]int
}

// sendBuffer limits how much of an unread answer the system buffers, in bytes. The default is
// several megabytes.
const sendBuffer = 256 << 10

// Accept implements [net.Listener].
func (g *guarded) Accept() (net.Conn, error) {
	for {
		c, err := g.Listener.Accept()
		if err != nil {
			return nil, err
		}
		from := siteOf(c.RemoteAddr())
		if !g.enter(from) {
			_ = c.Close() // never used, so the error does not matter
			continue
		}
		if tcp, ok := c.(*net.TCPConn); ok {
			_ = tcp.SetWriteBuffer(sendBuffer) // optional
		}
		return &conn{Conn: c, stall: g.Stall, leave: sync.OnceFunc(func() { g.leave(from) })}, nil
	}
}

func (g *guarded) enter(from netip.Addr) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.all == g.Connections || from.IsValid() && g.from[from] == g.PerAddress {
		return false
	}
	g.all++
	g.from[from]++
	return true
}

func (g *guarded) leave(from netip.Addr) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.all--
	if g.from[from]--; g.from[from] == 0 {
		delete(g.from, from)
	}
}

// siteOf returns the address or prefix by which a connection is counted; invalid for connections
// without an IP address.
func siteOf(a net.Addr) netip.Addr {
	tcp, ok := a.(*net.TCPAddr)
	if !ok {
		return netip.Addr{}
	}
	addr := tcp.AddrPort().Addr().Unmap().WithZone("")
	if addr.Is6() {
		const site = 64
		prefix, _ := addr.Prefix(site) // valid for every IPv6 address
		return prefix.Addr()
	}
	return addr
}

// conn is a connection that fails when its client reads nothing for a while.
type conn struct {
	net.Conn

	stall   time.Duration
	stalled atomic.Bool // the client was cut off; later writes must not wait again
	leave   func()
}

// stallSteps is how often a write looks whether the client has read something, per stall. With one
// look per stall, a client that fills the buffers at first and then reads nothing would count as
// slow until the second look.
const stallSteps = 30

// Write implements [net.Conn]. It continues as long as the client reads something, so that slow
// clients are not cut off.
func (c *conn) Write(p []byte) (sent int, err error) {
	if c.stalled.Load() {
		return 0, os.ErrDeadlineExceeded
	}
	for last := time.Now(); ; {
		if err := c.SetWriteDeadline(time.Now().Add(c.stall / stallSteps)); err != nil {
			return sent, err
		}
		n, err := c.Conn.Write(p[sent:])
		sent += n
		if !errors.Is(err, os.ErrDeadlineExceeded) {
			return sent, err
		}
		switch {
		case n > 0:
			last = time.Now()
		case time.Since(last) >= c.stall:
			c.stalled.Store(true)
			return sent, err
		}
	}
}

// Close implements [net.Conn].
func (c *conn) Close() error {
	c.leave()
	return c.Conn.Close()
}
