package httpapi

import (
	"cmp"
	"errors"
	"net"
	"net/netip"
	"os"
	"sync"
	"time"

	"github.com/svcflow/svc/engine/limit"
)

// Guard bounds what clients may hold of a server by their connections. A server whose
// listener is guarded cuts clients that take nothing of what they are sent, and needs no
// write timeout, which would cut long answers as well.
type Guard struct {
	// Connections is how many there may be at once; 0 means 10,000. What is more is closed
	// as it comes.
	Connections int
	// PerAddress is how many of them may come from one address; 0 means 1,000. Of IPv6 the
	// first half counts, which is what one site has. Behind a proxy all come from its address.
	PerAddress int
	// Stall is how long a client may take no byte of what it is sent; 0 means 30 seconds.
	Stall time.Duration
}

// Listen returns l with g before it.
func (g Guard) Listen(l net.Listener) net.Listener {
	g.Connections = cmp.Or(g.Connections, limit.Connected)
	g.PerAddress = cmp.Or(g.PerAddress, limit.ConnectedFrom)
	g.Stall = cmp.Or(g.Stall, limit.Stall)
	return &guarded{Listener: l, Guard: g, from: map[netip.Addr]int{}}
}

// guarded is a listener with a guard.
type guarded struct {
	net.Listener
	Guard

	mu   sync.Mutex
	all  int
	from map[netip.Addr]int
}

// sendBuffer bounds what the system keeps of an answer for a client that does not take it,
// in bytes. Left alone, it keeps several megabytes.
const sendBuffer = 256 << 10

// Accept implements net.Listener.
func (g *guarded) Accept() (net.Conn, error) {
	for {
		c, err := g.Listener.Accept()
		if err != nil {
			return nil, err
		}
		from := siteOf(c.RemoteAddr())
		if !g.enter(from) {
			_ = c.Close() // it is not ours
			continue
		}
		if tcp, ok := c.(*net.TCPConn); ok {
			_ = tcp.SetWriteBuffer(sendBuffer) // which is for the worse only
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

// siteOf returns what connections from an address are counted by; it is not valid for what
// comes by no network.
func siteOf(a net.Addr) netip.Addr {
	tcp, ok := a.(*net.TCPAddr)
	if !ok {
		return netip.Addr{}
	}
	addr := tcp.AddrPort().Addr().Unmap().WithZone("")
	if addr.Is6() {
		const site = 64
		prefix, _ := addr.Prefix(site) // which an IPv6 address has
		return prefix.Addr()
	}
	return addr
}

// conn is a connection that ends when its client takes no byte for a while.
type conn struct {
	net.Conn

	stall time.Duration
	leave func()
}

// Write implements net.Conn. A slow client is none that stalls: as long as some bytes go
// out, there is more time for the rest.
func (c *conn) Write(p []byte) (sent int, err error) {
	for {
		if err := c.SetWriteDeadline(time.Now().Add(c.stall)); err != nil {
			return sent, err
		}
		n, err := c.Conn.Write(p[sent:])
		if sent += n; n == 0 || !errors.Is(err, os.ErrDeadlineExceeded) {
			return sent, err
		}
	}
}

// Close implements net.Conn.
func (c *conn) Close() error {
	c.leave()
	return c.Conn.Close()
}
