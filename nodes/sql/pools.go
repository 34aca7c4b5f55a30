package sqlnode

import (
	"context"
	"database/sql"
	"fmt"
	"sync"
	"time"

	"modernc.org/sqlite"

	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/nodes/service"
)

// The largest number of connections for a credential, of idle ones, and how long they stay
// idle.
const (
	mostConnections = 10
	mostIdle        = 2
	idleFor         = time.Minute
)

// pools has the connections of a plugin, by credential. All runs share them.
type pools struct {
	config  Config
	secrets service.Resolver

	all    service.Pools[*sql.DB]
	meters sync.Map // driver.Conn → *meter
}

// session is a connection that one node uses.
type session struct {
	*sql.Conn
	dialect

	ref   credentials.Ref
	kill  func() // tells the server to give up
	meter *meter // nil for SQLite
}

// with calls do with a connection of a credential. When ctx ends, the statement that runs at
// the server is cancelled.
func (p *pools) with(ctx context.Context, ref credentials.Ref, do func(*session) error) (err error) {
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
	s.meter = s.meterOf(p)
	s.meter.next()
	grown := func() {}
	defer func() { grown() }()
	defer func() {
		if s.meter != nil && s.meter.exceeded.Load() {
			err = errTooLarge()
		}
		if open := s.release(ctx); open != nil && err == nil {
			err = open
		}
	}()
	if err := s.prepare(ctx, db); err != nil {
		return wrong(ctx, ref, err)
	}
	if files, limited := p.config.Files.(Bounded); limited && s.network == "sqlite" {
		if grown, err = s.bound(ctx, files); err != nil {
			grown = func() {}
			return wrong(ctx, ref, err)
		}
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
	case "mysql": // when its context ends, the driver only disconnects, and the server continues
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
	return p.all.Get(ref, c.Access.Reveal(), func() (*sql.DB, error) {
		db, err := p.open(ref, c)
		if err != nil {
			return nil, err
		}
		if db.Stats().MaxOpenConnections == 0 {
			db.SetMaxOpenConns(mostConnections)
		}
		db.SetMaxIdleConns(mostIdle)
		db.SetConnMaxIdleTime(idleFor)
		return db, nil
	})
}
