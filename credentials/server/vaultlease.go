package server

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path"
	"time"

	"github.com/google/uuid"

	"github.com/svcflow/svc/credentials"
)

const (
	// lockFolder is where locks are, beside the folders of networks, of which none
	// can have such a name.
	lockFolder = ".locks"
	// leaseTerm is how long a lease holds without a heartbeat of its holder.
	leaseTerm = 15 * time.Second
	// leaseBeat is the pause between heartbeats. Two may be lost.
	leaseBeat = 4 * time.Second
	// leasePoll is how often, on average, a waiting process reads the lease.
	leasePoll = 250 * time.Millisecond
	// rewriteTime is how long a heartbeat, or releasing the lease, may take.
	rewriteTime = 5 * time.Second
)

// lease is a lock in the vault: a record with the name of its holder, written with
// check-and-set only. The holder writes its name again as a heartbeat. A record that has
// not changed for leaseTerm, by the clock of a waiting process, is taken over, so no two
// clocks have to agree.
//
// A holder that cannot reach the vault for longer than leaseTerm loses the lease without
// noticing. The vault then refuses its writes, since the version it has read is old.
type lease struct {
	session *session
	place   string
	name    string // of the holder, made for this lease alone
	version int    // of the record that says that we hold it
}

// Lock implements [credentials.Locker] with a lease. A goroutine sends its heartbeats
// until unlock is called.
func (v *Vault) Lock(ctx context.Context, ref credentials.Ref) (unlock func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	place, err := vaultPlace(ref)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", credentials.ErrUnavailable, err)
	}
	l := &lease{session: v.session, place: path.Join(lockFolder, place), name: uuid.NewString()}
	if err := l.acquire(ctx); err != nil {
		return nil, err
	}
	beating, stop := context.WithCancel(context.WithoutCancel(ctx))
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		l.keep(beating)
	}()
	return func() {
		stop()
		<-stopped
		l.rewrite(context.WithoutCancel(ctx), "") // if that fails, the lease ends by itself
	}, nil
}

// acquire waits until this process holds the lease.
func (l *lease) acquire(ctx context.Context) error {
	watched, since := -1, time.Time{} // the version of somebody else's record, and when we first saw it
	for {
		holder, version, err := l.read(ctx)
		switch {
		case err != nil:
			return err
		case holder == l.name: // the answer to our write was lost
			l.version = version
			return nil
		case version != watched:
			watched, since = version, time.Now()
		}
		if holder == "" || time.Since(since) >= leaseTerm {
			l.version = version
			if err := l.write(ctx, l.name); !errors.Is(err, credentials.ErrConflict) {
				return err
			}
			continue // somebody was faster: see who
		}
		if err := wait(ctx, leasePoll/2+rand.N(leasePoll)); err != nil {
			return err
		}
	}
}

// keep writes heartbeats until ctx is done or the lease is lost. It finishes a write
// that is under way when ctx ends, so that the version of the record is known.
func (l *lease) keep(ctx context.Context) {
	for wait(ctx, leaseBeat) == nil {
		if !l.rewrite(context.WithoutCancel(ctx), l.name) {
			return
		}
	}
}

// rewrite sets the holder of a lease that this process holds, and reports whether the
// lease may still be held.
func (l *lease) rewrite(ctx context.Context, holder string) bool {
	ctx, cancel := context.WithTimeout(ctx, rewriteTime)
	defer cancel()
	if err := l.write(ctx, holder); !errors.Is(err, credentials.ErrConflict) {
		return true
	}
	// After a lost answer, the record may be our own write.
	found, version, err := l.read(ctx)
	if err != nil || found != l.name {
		return err != nil
	}
	l.version = version
	_ = l.write(ctx, holder)
	return true
}

// read returns the holder of the lease, "" if it is free.
func (l *lease) read(ctx context.Context) (holder string, version int, err error) {
	secret, err := l.session.get(ctx, l.place)
	if err != nil || secret.VersionMetadata == nil {
		return "", 0, err
	}
	holder, _ = secret.Data["holder"].(string)
	return holder, secret.VersionMetadata.Version, nil
}

// write sets the holder of the lease, if the record has not changed since it was read.
func (l *lease) write(ctx context.Context, holder string) error {
	version, err := l.session.put(ctx, l.place, map[string]any{"holder": holder}, l.version)
	if err == nil {
		l.version = version
	}
	return err
}

// wait returns after d, or when ctx is done.
func wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
