package redis

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes/service"
)

// The limits of a credential's pool: open connections, idle connections, and how long one
// may stay idle; and the timeout for connecting.
const (
	mostConnections = 10
	mostIdle        = 2
	idleFor         = time.Minute
	connectTimeout  = 10 * time.Second
)

// pools holds the connection pools of a plugin, by credential. All runs share them.
type pools struct {
	config  Config
	secrets service.Resolver

	all service.Pools[*redis.Pool]
}

// do sends a command over a connection that no other call uses until the reply is read. If
// ctx ends first, the connection is closed, which also tells the server.
func (p *pools) do(ctx context.Context, ref credentials.Ref, name string, args []any) (any, error) {
	c, err := p.secrets.Resolve(ctx, ref)
	if err != nil {
		return nil, err
	}
	pool, err := p.get(ref, c)
	if err != nil {
		return nil, err
	}
	conn, err := pool.GetContext(ctx)
	if err != nil {
		return nil, wrong(ctx, ref, err)
	}
	defer conn.Close() //nolint:errcheck // returns the connection to its pool, or discards a broken one
	answer, err := redis.DoContext(conn, ctx, name, args...)
	return answer, wrong(ctx, ref, err)
}

// get returns the pool of a credential. If the credential's data source has changed, the
// pool is replaced.
func (p *pools) get(ref credentials.Ref, c credentials.Credential) (*redis.Pool, error) {
	return p.all.Get(ref, c.Access.Reveal()+"\n"+strings.Join(c.Hosts, "\n"), func() (*redis.Pool, error) {
		s, err := sourceOf(ref, c)
		if err != nil {
			return nil, err
		}
		dial := service.DialFor(p.config.Dial, ref, c.Hosts)
		return &redis.Pool{
			MaxActive: mostConnections, MaxIdle: mostIdle, IdleTimeout: idleFor, Wait: true,
			DialContext: func(ctx context.Context) (redis.Conn, error) { return s.connect(ctx, dial) },
		}, nil
	})
}

// source is the address of a database and the login for it.
type source struct {
	host, address string
	secure        bool
	login         []any // arguments of AUTH; none without a login
	database      int
}

// sourceOf parses a credential. Its errors contain nothing of the credential's secret.
func sourceOf(ref credentials.Ref, c credentials.Credential) (source, error) {
	unusable := func(format string, args ...any) (source, error) {
		return source{}, node.Permanent(node.Errorf(node.CodeInvalidInput, "the credential %q names no database that can be used: %s", ref, fmt.Sprintf(format, args...)))
	}
	u, err := url.Parse(c.Access.Reveal())
	if err != nil || u.Scheme != "redis" && u.Scheme != "rediss" || u.Hostname() == "" || u.RawQuery != "" {
		return unusable("write it as redis://user:password@host:6379/0, or as rediss:// with TLS, without settings")
	}
	s := source{host: u.Hostname(), address: u.Host, secure: u.Scheme == "rediss"}
	if u.Port() == "" {
		s.address = net.JoinHostPort(u.Hostname(), "6379")
	}
	if path := strings.Trim(u.Path, "/"); path != "" {
		if s.database, err = strconv.Atoi(path); err != nil || s.database < 0 {
			return unusable("the number of the database, behind the last /, is none")
		}
	}
	if password, given := u.User.Password(); given {
		if user := u.User.Username(); user != "" {
			s.login = append(s.login, user)
		}
		s.login = append(s.login, password)
	}
	return s, nil
}

// connect opens a connection, logs in and selects the database.
func (s source) connect(ctx context.Context, dial service.Dial) (redis.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	raw, err := dial(ctx, "tcp", s.address)
	if err != nil {
		return nil, err
	}
	if s.secure {
		secured := tls.Client(raw, &tls.Config{ServerName: s.host, MinVersion: tls.VersionTLS12})
		if err := secured.HandshakeContext(ctx); err != nil {
			return nil, errors.Join(err, raw.Close())
		}
		raw = secured
	}
	g := &guard{Conn: raw}
	g.renew()
	c := guarded{redis.NewConn(g, 0, 0), g}
	if s.login != nil {
		_, err = c.DoContext(ctx, "AUTH", s.login...)
	}
	if err == nil && s.database != 0 {
		_, err = c.DoContext(ctx, "SELECT", s.database)
	}
	if err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// guarded is a connection that limits the size of replies.
type guarded struct {
	redis.Conn

	guard *guard
}

// DoContext implements [redis.ConnWithContext].
func (c guarded) DoContext(ctx context.Context, name string, args ...any) (any, error) {
	c.guard.renew()
	return redis.DoContext(c.Conn, ctx, name, args...)
}

// ReceiveContext implements [redis.ConnWithContext].
func (c guarded) ReceiveContext(ctx context.Context) (any, error) {
	return redis.ReceiveContext(c.Conn, ctx)
}
