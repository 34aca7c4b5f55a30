package oauth

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/svcflow/svc/credentials"
)

// replacement is a renewed credential that could not be stored. It is used instead of the
// stored one as long as that is the credential it replaced.
type replacement struct {
	old     credentials.Secret // access token
	renewed credentials.Credential
}

// read returns the stored credential, or its replacement.
func (r *Refresher) read(ctx context.Context, ref credentials.Ref) (credentials.Credential, error) {
	c, err := r.source.Credential(ctx, ref)
	if err != nil {
		return credentials.Credential{}, err
	}
	if c.Kind == credentials.KindClientCredentials {
		return r.withToken(ref, c), nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if kept, ok := r.kept[ref]; ok && kept.old == c.Access {
		return kept.renewed, nil
	}
	return c, nil
}

// renew replaces the credential of ref if its access token is rejected or has
// expired.
func (r *Refresher) renew(ctx context.Context, ref credentials.Ref, rejected credentials.Secret) (credentials.Credential, error) {
	unlock, err := r.lock(ctx, ref)
	if err != nil {
		return credentials.Credential{}, late(ctx, err)
	}
	defer unlock()
	c, err := r.read(ctx, ref)
	if err != nil || c.Access != rejected && usable(c) {
		return c, late(ctx, err)
	}
	if c.Kind == credentials.KindClientCredentials {
		c, err = r.fetch(ctx, ref, c)
		return c, late(ctx, err)
	}
	if c.Refresh.IsZero() || r.isDead(ref, c) {
		return credentials.Credential{}, reauthorize(ref.Network())
	}
	client, err := r.clients.Client(ref.Network())
	if err != nil {
		return credentials.Credential{}, fmt.Errorf("%s has expired and cannot be renewed: %w", ref, err)
	}
	renewed, err := client.Refresh(ctx, c)
	if err != nil {
		return r.refused(ctx, ref, c, err)
	}
	return r.store(ctx, ref, c, renewed)
}

// lock prevents other processes from renewing ref, if the source is a [credentials.Locker].
func (r *Refresher) lock(ctx context.Context, ref credentials.Ref) (unlock func(), err error) {
	if locker, ok := r.source.(credentials.Locker); ok {
		return locker.Lock(ctx, ref)
	}
	return func() {}, nil
}

// late converts the renewal's timeout to an error of the source.
func late(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("%w: it took too long to renew a credential", credentials.ErrUnavailable)
	}
	return err
}

// refused handles a renewal that failed. In a source without locks, another process may
// have stored a new credential in the meantime.
func (r *Refresher) refused(ctx context.Context, ref credentials.Ref, old credentials.Credential, cause error) (credentials.Credential, error) {
	if !errors.Is(cause, credentials.ErrReauthorize) {
		return credentials.Credential{}, late(ctx, cause)
	}
	if c, err := r.read(ctx, ref); err == nil && c.Access != old.Access {
		return c, nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.dead[ref] = old.Refresh
	return credentials.Credential{}, cause
}

// isDead reports whether the network has rejected c before, so that it is not asked again.
func (r *Refresher) isDead(ref credentials.Ref, c credentials.Credential) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	dead, ok := r.dead[ref]
	return ok && dead == c.Refresh
}

// store puts the renewed credential into the source. The old one is worthless now, so a
// credential that cannot be stored is kept in memory.
func (r *Refresher) store(ctx context.Context, ref credentials.Ref, old, renewed credentials.Credential) (credentials.Credential, error) {
	err := r.persist(ctx, ref, renewed)
	switch {
	case err == nil:
		r.forget(ref)
		return renewed, nil
	case errors.Is(err, credentials.ErrConflict):
		// A user logged in or out meanwhile: that takes precedence.
		return r.read(ctx, ref)
	}
	r.keep(ctx, ref, old, renewed, err)
	return renewed, nil
}

// persist stores c. It retries while the source is not available.
func (r *Refresher) persist(ctx context.Context, ref credentials.Ref, c credentials.Credential) error {
	pause := time.NewTicker(time.Second)
	defer pause.Stop()
	for attempt := 1; ; attempt++ {
		err := r.source.SetCredential(ctx, ref, c)
		if !errors.Is(err, credentials.ErrUnavailable) || attempt == 5 {
			return err
		}
		select {
		case <-pause.C:
		case <-ctx.Done():
			return err
		}
	}
}

// keep holds a credential in memory that could not be stored, and logs a warning: once for
// a read-only source, each time for another.
func (r *Refresher) keep(ctx context.Context, ref credentials.Ref, old, renewed credentials.Credential, cause error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	before, again := r.kept[ref]
	stands := old.Access // access token of the stored credential
	if again && before.renewed.Access == old.Access {
		stands = before.old
	}
	r.kept[ref] = replacement{stands, renewed}
	switch {
	case !errors.Is(cause, credentials.ErrReadOnly):
		r.log.ErrorContext(ctx, "a renewed credential could not be stored; connect the account again after a restart", "ref", ref, "error", cause)
	case !again:
		r.log.WarnContext(ctx, "a renewed credential is kept in memory only, since its source cannot be written; the network may refuse the old one after a restart", "ref", ref, "error", cause)
	}
}

// forget drops the replacement of ref.
func (r *Refresher) forget(ref credentials.Ref) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.kept, ref)
	delete(r.fetched, ref)
}
