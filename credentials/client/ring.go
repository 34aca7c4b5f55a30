package client

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/zalando/go-keyring"
	"golang.org/x/sync/semaphore"

	"github.com/svcflow/svc/credentials"
)

// Keyring is the secret storage of an operating system. Its methods are those of
// github.com/zalando/go-keyring, with its errors. They may block for as long as a
// user takes to unlock it.
type Keyring interface {
	Get(service, user string) (string, error)
	Set(service, user, secret string) error
	Delete(service, user string) error
}

// system is the keyring of this operating system.
type system struct{}

func (system) Get(service, user string) (string, error) { return keyring.Get(service, user) }
func (system) Set(service, user, secret string) error   { return keyring.Set(service, user, secret) }
func (system) Delete(service, user string) error        { return keyring.Delete(service, user) }

// How long a call of the keyring may take: without a user, and with a user who may have
// to type a password.
const (
	quick   = 3 * time.Second
	patient = time.Minute
)

// ring is a keyring whose calls end in time. A call that hangs keeps the only
// turn, so that calls take effect in order and do not pile up behind it.
type ring struct {
	keyring Keyring
	service string
	turn    *semaphore.Weighted // of one: the call
}

func newRing(keyring Keyring, service string) *ring {
	return &ring{keyring, service, semaphore.NewWeighted(1)}
}

// get returns what is stored for user. Nothing is ErrNotFound.
func (r *ring) get(ctx context.Context, user string) (secret string, err error) {
	answer := make(chan string, 1)
	err = r.do(ctx, quick, func() error {
		secret, err := r.keyring.Get(r.service, user)
		answer <- secret
		return err
	})
	if err != nil {
		return "", err
	}
	return <-answer, nil
}

func (r *ring) set(ctx context.Context, user, secret string) error {
	return r.do(ctx, patient, func() error { return r.keyring.Set(r.service, user, secret) })
}

// remove removes what is stored for user, if anything is.
func (r *ring) remove(ctx context.Context, user string) error {
	err := r.do(ctx, patient, func() error { return r.keyring.Delete(r.service, user) })
	if errors.Is(err, credentials.ErrNotFound) {
		return nil
	}
	return err
}

// probe finds out whether secrets come back out of the keyring.
func (r *ring) probe(ctx context.Context, patience time.Duration) error {
	user, secret := "probe-"+rand.Text(), rand.Text()
	return r.do(ctx, patience, func() error {
		if err := r.keyring.Set(r.service, user, secret); err != nil {
			return err
		}
		back, err := r.keyring.Get(r.service, user)
		if err == nil && back != secret {
			err = errors.New("it does not keep what is put into it")
		}
		return errors.Join(err, r.keyring.Delete(r.service, user))
	})
}

// do runs call, but waits for it no longer than patience. A call that hangs keeps
// running in the background, since nothing can stop it.
func (r *ring) do(ctx context.Context, patience time.Duration, call func() error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	waiting, cancel := context.WithTimeoutCause(ctx, patience, slow(patience))
	defer cancel()
	if r.turn.Acquire(waiting, 1) != nil {
		return over(ctx, waiting)
	}
	ended := make(chan error, 1)
	go func() {
		defer r.turn.Release(1)
		ended <- call()
	}()
	select {
	case err := <-ended:
		return wrap(err)
	case <-waiting.Done():
		return over(ctx, waiting)
	}
}

// over says why waiting, which is part of ctx, has ended.
func over(ctx, waiting context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return context.Cause(waiting)
}

func slow(patience time.Duration) error {
	return fmt.Errorf("%w: the keyring did not answer within %s; it may be waiting to be unlocked", credentials.ErrUnavailable, patience)
}

// wrap words an error of the library, which holds no secret.
func wrap(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, keyring.ErrNotFound):
		return credentials.ErrNotFound
	}
	return fmt.Errorf("%w: the keyring: %w", credentials.ErrUnavailable, err)
}
