package oauth

import (
	"context"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/svcflow/svc/credentials"
)

// Refresher is a source of valid credentials. It renews those of another source before they
// expire, and stores them there before they are used. One goroutine renews a credential at
// a time; if the source is a [credentials.Locker], one of all processes that share it. Make
// one with [NewRefresher], pass it to nodes as their provider, and end it with
// [Refresher.Wait]. It is safe for concurrent use.
type Refresher struct {
	// Transport sends requests to the token addresses in credentials. These come from
	// anybody who may store a credential. Nil is http.DefaultTransport. Set it before the
	// first use.
	Transport http.RoundTripper

	source  credentials.Provider
	clients Clients
	log     *slog.Logger

	underWay sync.WaitGroup // the flights
	mu       sync.Mutex     // guards the fields below
	flights  map[credentials.Ref]*flight
	kept     map[credentials.Ref]replacement        // renewed credentials that could not be stored
	dead     map[credentials.Ref]credentials.Secret // refresh tokens that the network has rejected
	fetched  map[credentials.Ref]fetched            // tokens of clients
}

// flight is one renewal that callers wait for. Its results are valid after it has landed.
type flight struct {
	landed     chan struct{}
	credential credentials.Credential
	err        error
}

// renewal is the timeout of one renewal, including the wait for the lock of a process that
// may have died.
const renewal = 45 * time.Second

// NewRefresher returns the refresher of source. log gets warnings, never secrets.
func NewRefresher(source credentials.Provider, clients Clients, log *slog.Logger) *Refresher {
	return &Refresher{
		source: source, clients: clients, log: log,
		flights: map[credentials.Ref]*flight{},
		kept:    map[credentials.Ref]replacement{},
		dead:    map[credentials.Ref]credentials.Secret{},
		fetched: map[credentials.Ref]fetched{},
	}
}

// Credential implements [credentials.Provider]. The credential has not expired. Errors are
// the source's, [credentials.ErrReauthorize] if it has expired and cannot be renewed,
// [credentials.ErrUnavailable] if the network or the source does not respond,
// [ErrNotConfigured], [ErrUnknownNetwork] and [ErrRefused]. The renewal continues if ctx
// ends.
func (r *Refresher) Credential(ctx context.Context, ref credentials.Ref) (credentials.Credential, error) {
	c, err := r.read(ctx, ref)
	if err != nil || usable(c) {
		return c, err
	}
	return r.Refresh(ctx, ref, c.Access)
}

// Refresh returns a credential with another access token than rejected, for a caller whose
// request the network answered with 401. It renews the stored credential unless that was
// renewed since. Errors are those of [Refresher.Credential]. Call it once for a request: if
// the network refuses the new credential too, renewing again does not help.
func (r *Refresher) Refresh(ctx context.Context, ref credentials.Ref, rejected credentials.Secret) (credentials.Credential, error) {
	for {
		f, joined := r.fly(ctx, ref, rejected)
		select {
		case <-f.landed:
		case <-ctx.Done():
			return credentials.Credential{}, ctx.Err()
		}
		// The flight may have begun for an older token than ours.
		if f.err != nil || !joined || f.credential.Access != rejected {
			return f.credential, f.err
		}
	}
}

// fly returns the flight that renews ref. It joins one that is under way.
func (r *Refresher) fly(ctx context.Context, ref credentials.Ref, rejected credentials.Secret) (f *flight, joined bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if f, joined = r.flights[ref]; joined {
		return f, true
	}
	f = &flight{landed: make(chan struct{})}
	r.flights[ref] = f
	r.underWay.Go(func() {
		// Not ctx: a cancelled node must not lose a token that the network has already rotated.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), renewal)
		defer cancel()
		f.credential, f.err = r.renew(ctx, ref, rejected)
		r.mu.Lock()
		delete(r.flights, ref)
		r.mu.Unlock()
		close(f.landed)
	})
	return f, false
}

// Wait returns when no renewal is under way, which takes less than a minute. Call
// it before the process ends, when nobody uses the refresher any more.
func (r *Refresher) Wait() { r.underWay.Wait() }

// SetCredential implements [credentials.Provider] with the source.
func (r *Refresher) SetCredential(ctx context.Context, ref credentials.Ref, c credentials.Credential) error {
	return r.source.SetCredential(ctx, ref, c)
}

// Delete implements [credentials.Provider] with the source. It revokes nothing at the
// network; see [Refresher.Logout].
func (r *Refresher) Delete(ctx context.Context, ref credentials.Ref) error {
	return r.source.Delete(ctx, ref)
}

// List implements [credentials.Provider] with the source. It renews nothing.
func (r *Refresher) List(ctx context.Context) ([]credentials.Info, error) {
	return r.source.List(ctx)
}

// usable reports whether c can be used without a renewal: it has not expired, and it has a
// token if its kind needs one.
func usable(c credentials.Credential) bool {
	return !expired(c) && (c.Kind != credentials.KindClientCredentials || !c.Access.IsZero())
}

// expired reports whether c may not be used any more.
func expired(c credentials.Credential) bool {
	return !c.ExpiresAt.IsZero() && !time.Now().Before(c.ExpiresAt)
}
