package oauth

import (
	"context"
	"crypto/rand"
	"errors"
	"net/url"
	"sync"
	"time"

	"github.com/svcflow/svc/credentials"
)

// How long a login may take, how long its outcome can be asked for, and how many
// may be under way at once.
const (
	LoginLife   = 10 * time.Minute
	outcomeLife = 10 * time.Minute
	maxLogins   = 1000
)

// ErrTooManyLogins says that as many logins as may be are under way.
var ErrTooManyLogins = errors.New("too many logins are under way; try again in some minutes")

// ErrUnknownLogin says that there is no login of this id, or that it was long ago.
var ErrUnknownLogin = errors.New("there is no such login; it may be over for long")

// Logins are the logins of a server: they begin with a request of somebody who
// may, end with a browser that comes back from the network, and can be asked
// about in between. They are kept in memory, so both have to reach the same
// process. Make them with [NewLogins]. They are safe for concurrent use.
type Logins struct {
	target   credentials.Provider
	clients  Clients
	redirect func(network string) string

	mu      sync.Mutex
	byState map[string]*serverLogin
	byID    map[string]*serverLogin
}

// serverLogin is one login. Its login is used up once, by whoever takes it out of
// byState.
type serverLogin struct {
	*Login
	id      string
	ref     credentials.Ref
	expires time.Time

	done bool // guarded by Logins.mu, as err is
	err  error
}

// NewLogins returns logins whose credentials go to target, at once and before the
// browser is told. redirect returns where the browser comes back to from a network,
// which has to be registered there.
func NewLogins(target credentials.Provider, clients Clients, redirect func(network string) string) *Logins {
	return &Logins{
		target: target, clients: clients, redirect: redirect,
		byState: map[string]*serverLogin{}, byID: map[string]*serverLogin{},
	}
}

// Begin begins to connect the account of ref. Its errors are those of
// [Clients.Client], [ErrTooManyLogins], and [credentials.ErrReadOnly] where the
// target could not keep what comes of it.
func (l *Logins) Begin(ctx context.Context, ref credentials.Ref) (credentials.Login, error) {
	client, err := l.clients.Client(ref.Network())
	if err != nil {
		return credentials.Login{}, err
	}
	if err := l.checkWritable(ctx, ref); err != nil {
		return credentials.Login{}, err
	}
	s := &serverLogin{
		Login: client.Begin(l.redirect(ref.Network())), id: rand.Text(), ref: ref, expires: time.Now().Add(LoginLife).UTC(),
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.forgetOld()
	if len(l.byState) >= maxLogins {
		return credentials.Login{}, ErrTooManyLogins
	}
	l.byState[s.State()], l.byID[s.id] = s, s
	return credentials.Login{AuthorizeURL: s.AuthorizeURL(), LoginID: s.id, ExpiresAt: s.expires}, nil
}

// checkWritable asks a target that can tell whether it would take a credential.
func (l *Logins) checkWritable(ctx context.Context, ref credentials.Ref) error {
	target, ok := l.target.(interface {
		CheckWritable(context.Context, credentials.Ref) error
	})
	if !ok {
		return nil
	}
	return target.CheckWritable(ctx, ref)
}

// Finish ends the login that a browser comes back from, with the query it brings,
// and stores the credential. A query that answers no login of the network changes
// nothing and is [ErrState]; the first one that answers a login uses it up. Other
// errors are those of [Login.Finish] and of the target.
func (l *Logins) Finish(ctx context.Context, network string, query url.Values) error {
	s := l.take(network, query)
	if s == nil {
		return ErrState
	}
	err := l.finish(ctx, s, query)
	l.mu.Lock()
	defer l.mu.Unlock()
	s.done, s.err = true, err
	s.expires = time.Now().Add(outcomeLife)
	return err
}

func (l *Logins) finish(ctx context.Context, s *serverLogin, query url.Values) error {
	// A browser that is closed too early must not take the only code with it.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), renewal)
	defer cancel()
	c, err := s.Finish(ctx, query)
	if err != nil {
		return err
	}
	if locker, ok := l.target.(credentials.Locker); ok { // a renewal of the old one must not come behind it
		unlock, err := locker.Lock(ctx, s.ref)
		if err != nil {
			return err
		}
		defer unlock()
	}
	return l.target.SetCredential(ctx, s.ref, c)
}

// take returns the login that a query answers, for the one who asks first.
func (l *Logins) take(network string, query url.Values) *serverLogin {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.forgetOld()
	state, ok := single(query, "state")
	s := l.byState[state]
	if !ok || s == nil || s.ref.Network() != network {
		return nil
	}
	delete(l.byState, state)
	return s
}

// Outcome tells what became of a login at a network, which is known for some
// minutes. Its error is [ErrUnknownLogin].
func (l *Logins) Outcome(network, id string) (credentials.LoginOutcome, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.forgetOld()
	s := l.byID[id]
	switch {
	case s == nil || s.ref.Network() != network:
		return credentials.LoginOutcome{}, ErrUnknownLogin
	case !s.done:
		return credentials.LoginOutcome{State: credentials.LoginPending, Ref: s.ref}, nil
	case s.err == nil:
		return credentials.LoginOutcome{State: credentials.LoginComplete, Ref: s.ref}, nil
	}
	return credentials.LoginOutcome{State: credentials.LoginFailed, Ref: s.ref, Code: Code(s.err), Detail: s.err.Error()}, nil
}

// forgetOld ends logins that nobody has come back from in time, and forgets the
// outcomes of others.
func (l *Logins) forgetOld() {
	now := time.Now()
	for id, s := range l.byID {
		if now.Before(s.expires) {
			continue
		}
		if _, waits := l.byState[s.State()]; waits {
			delete(l.byState, s.State())
			s.done, s.err, s.expires = true, ErrTimeout, now.Add(outcomeLife)
			continue
		}
		if s.done {
			delete(l.byID, id)
		}
	}
}
