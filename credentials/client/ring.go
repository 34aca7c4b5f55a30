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

// Keyring is the secret storage of an operating system. It has the methods and errors of
// github.com/zalando/go-keyring. Calls may block until the user has unlocked the keyring.
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

// Timeouts of keyring calls: without a user, and with a user who may have to type a
// password.
const (
	quick   = 3 * time.Second
	patient = time.Minute
)

// ring is a keyring whose calls have a timeout. Only one call runs at a time, so a call
// that hangs blocks later ones, which keeps the order of calls.
type ring struct {
	keyring Keyring
	service string
	turn    *semaphore.Weighted // held by the running call
}

func newRing(keyring Keyring, service string) *ring {
	return &ring{keyring, service, semaphore.NewWeighted(1)}
}

// get returns the secret of user, or ErrNotFound.
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

// remove removes the secret of user, if there is one.
func (r *ring) remove(ctx context.Context, user string) error {
	err := r.do(ctx, patient, func() error { return r.keyring.Delete(r.service, user) })
	if errors.Is(err, credentials.ErrNotFound) {
		return nil
	}
	return err
}

// probe checks that a stored secret can be read back from the keyring.
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

// over returns why waiting, which is derived from ctx, has ended.
func over(ctx, waiting context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return context.Cause(waiting)
}

func slow(patience time.Duration) error {
	return fmt.Errorf("%w: the keyring did not answer within %s; it may be waiting to be unlocked", credentials.ErrUnavailable, patience)
}

// wrap converts an error of the library to one without secrets.
func wrap(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, keyring.ErrNotFound):
		return credentials.ErrNotFound
	}
	return fmt.Errorf("%w: the keyring: %w", credentials.ErrUnavailable, err)
}
