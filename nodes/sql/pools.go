package sqlnode

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"time"

	"modernc.org/sqlite"

	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes/service"
)

// How many connections a credential has at most, how many of them wait for work, and how
// long.
const (
	mostConnections = 10
	mostIdle        = 2
	idleFor         = time.Minute
)

// pools has the connections of a plugin, by credential. All runs share them.
type pools struct {
	config  Config
	secrets service.Resolver

	mu     sync.Mutex
	all    map[credentials.Ref]*pool
	closed bool
}

// pool has the connections of one data source.
type pool struct {
	db     *sql.DB
	digest [sha256.Size]byte // of the data source
}

// session is a connection that a node has for itself.
type session struct {
	*sql.Conn
	dialect

	ref  credentials.Ref
	kill func() // tells the server to give up
}

// with gives do a connection of a credential. What do has begun at the server ends with
// ctx.
func (p *pools) with(ctx context.Context, ref credentials.Ref, do func(*session) error) error {
	c, err := p.secrets.Resolve(ctx, ref)
	if err != nil {
		return err
	}
	db, err := p.get(ref, c)
	if err != nil {
		return err
	}
	conn, err := db.Conn(ctx)
	if err != nil {
		return wrong(ctx, ref, err)
	}
	s := &session{Conn: conn, dialect: dialects()[ref.Network()], ref: ref}
	defer conn.Close() //nolint:errcheck // it goes back to its pool, or is broken
	if err := s.prepare(ctx, db); err != nil {
		return wrong(ctx, ref, err)
	}
	if s.kill != nil {
		stop := context.AfterFunc(ctx, s.kill)
		defer stop()
	}
	return wrong(ctx, ref, do(s))
}

// prepare does what a connection needs before it is used.
func (s *session) prepare(ctx context.Context, db *sql.DB) error {
	switch s.network {
	case "sqlite": // no statement opens another file: ATTACH and VACUUM INTO would
		_, err := sqlite.Limit(s.Conn, limitAttached, 0)
		return err
	case "mysql": // the driver only leaves when its context ends, and the server goes on
		var id int64
		if err := s.QueryRowContext(ctx, "SELECT CONNECTION_ID()").Scan(&id); err != nil {
			return err
		}
		s.kill = func() {
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), connectTimeout)
			defer cancel()
			_, _ = db.ExecContext(ctx, fmt.Sprintf("KILL %d", id)) // it has ended if that fails
		}
	}
	return nil
}

// limitAttached is SQLITE_LIMIT_ATTACHED.
const limitAttached = 7

// get returns the pool of a credential. One whose data source has changed is replaced.
func (p *pools) get(ref credentials.Ref, c credentials.Credential) (*sql.DB, error) {
	digest := sha256.Sum256([]byte(c.Access.Reveal()))
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, node.Errorf(node.CodeInterrupted, "the service stops")
	}
	if old := p.all[ref]; old != nil {
		if old.digest == digest {
			return old.db, nil
		}
		_ = old.db.Close() // who has a connection of it keeps that
	}
	db, err := p.open(ref, c)
	if err != nil {
		return nil, err
	}
	if db.Stats().MaxOpenConnections == 0 {
		db.SetMaxOpenConns(mostConnections)
	}
	db.SetMaxIdleConns(mostIdle)
	db.SetConnMaxIdleTime(idleFor)
	if p.all == nil {
		p.all = map[credentials.Ref]*pool{}
	}
	p.all[ref] = &pool{db, digest}
	return db, nil
}

// close closes all connections.
func (p *pools) close() (err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	for _, one := range p.all {
		err = errors.Join(err, one.db.Close())
	}
	p.all = nil
	return err
}
