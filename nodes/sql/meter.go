package sqlnode

import (
	"context"
	"database/sql/driver"
	"net"
	"sync/atomic"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes/service"
)

const (
	// largestMessage bounds the bytes that a database may send for one row or one answer. The
	// drivers hold a message in memory before they return any of it.
	largestMessage = 64 << 20
	// largeMessage is a message whose buffer a driver must not keep with an idle connection.
	largeMessage = 1 << 20
)

// meter is a connection that ends when a message is too large. It counts what it reads since
// the last row or statement, so that it works with every protocol, encrypted or not.
type meter struct {
	net.Conn

	since, peak atomic.Int64
	exceeded    atomic.Bool
	closed      func()
}

// Read implements [net.Conn].
func (m *meter) Read(p []byte) (int, error) {
	n, err := m.Conn.Read(p)
	since := m.since.Add(int64(n))
	m.peak.Store(max(m.peak.Load(), since))
	if since > largestMessage {
		m.exceeded.Store(true)
		return 0, errTooLarge()
	}
	return n, err
}

// Close implements [net.Conn].
func (m *meter) Close() error {
	m.closed()
	return m.Conn.Close()
}

// next begins a new message. m may be nil: SQLite has no connection in the network.
func (m *meter) next() {
	if m != nil {
		m.since.Store(0)
	}
}

func errTooLarge() error {
	return node.Permanent(node.Errorf(node.CodeLimitExceeded, "the database sent more than %d MiB for one row; ask for less of it, such as substr(column, 1, 1000000)", largestMessage>>20))
}

// metering makes the connections of a driver with meters, and remembers them until they close.
type metering struct {
	driver.Connector

	pools *pools
}

type meterKey struct{}

// Connect implements [driver.Connector].
func (m metering) Connect(ctx context.Context) (driver.Conn, error) {
	var last *meter // drivers may dial more than once
	c, err := m.Connector.Connect(context.WithValue(ctx, meterKey{}, &last))
	if err != nil || last == nil {
		return c, err
	}
	m.pools.meters.Store(c, last)
	forget := func() { m.pools.meters.Delete(c) }
	last.closed = forget
	return c, nil
}

// metered returns dial with meters for the connections of [metering.Connect].
func metered(dial service.Dial) service.Dial {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		c, err := dial(ctx, network, address)
		last, wanted := ctx.Value(meterKey{}).(**meter)
		if err != nil || !wanted {
			return c, err
		}
		*last = &meter{Conn: c, closed: func() {}}
		return *last, nil
	}
}

// meterOf finds the meter of the session's connection.
func (s *session) meterOf(p *pools) (m *meter) {
	_ = s.Raw(func(c any) error {
		if found, ok := p.meters.Load(c); ok {
			m, _ = found.(*meter)
		}
		return nil
	})
	return m
}
