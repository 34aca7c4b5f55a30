package server_test

import (
	"context"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/openbao/openbao/api/v2"

	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/credentials/credentialstest"
	"github.com/svcflow/svc/credentials/server"
)

// near returns a source that talks to f without a network.
func near(t *testing.T, f http.Handler, login api.AuthMethod) *server.Vault {
	t.Helper()
	return server.NewVault(vaultClient(t, "http://vault", inMemory{f}), "secret/svc", login, nil)
}

func rootToken() api.AuthMethod { return server.Token(always("root")) }

func TestVaultThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hangs := transportFunc(func(r *http.Request) (*http.Response, error) {
			<-r.Context().Done()
			return nil, r.Context().Err()
		})
		v := server.NewVault(vaultClient(t, "http://vault", hangs), "secret/svc", server.Token(always("canary")), nil)
		begun := time.Now()
		_, err := v.Credential(t.Context(), "pronet:main")
		requireUnavailable(t, err, "does not answer in time")
		require.Equal(t, 5*time.Second, time.Since(begun))

		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err = v.Credential(ctx, "pronet:main")
		require.ErrorIs(t, err, context.DeadlineExceeded, "that was the caller's own limit")
		require.NotErrorIs(t, err, credentials.ErrUnavailable)
	})
}

type transportFunc func(*http.Request) (*http.Response, error)

// RoundTrip implements [http.RoundTripper].
func (f transportFunc) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestVaultLogsInAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := newFakeVault()
		v := near(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			<-time.After(time.Second) // all send the old token before one has a new one
			fake.ServeHTTP(w, r)
		}), server.AppRole("approle", fakeRole, always(fakeSecretID)))
		fill(t, v, credentialstest.Holding{"pronet:main": secret("x")})

		<-time.After(time.Minute)
		fake.set(func() { clear(fake.tokens) }) // all tokens have been revoked
		var wg sync.WaitGroup
		for range 20 {
			wg.Go(func() {
				_, err := v.Credential(t.Context(), "pronet:main")
				assert.NoError(t, err)
			})
		}
		wg.Wait()
		require.Equal(t, 2, fake.logins)
	})
}

// A policy that forbids something is not answered with one login after another.
func TestVaultDoesNotLogInForever(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := newFakeVault()
		v := near(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/v1/auth/approle/login" {
				r.Header.Set("X-Vault-Token", "of another policy")
			}
			fake.ServeHTTP(w, r)
		}), server.AppRole("approle", fakeRole, always(fakeSecretID)))
		for range 60 {
			_, err := v.Credential(t.Context(), "pronet:main")
			requireUnavailable(t, err, "forbids it")
			<-time.After(time.Second)
		}
		require.LessOrEqual(t, fake.logins, 7)
	})
}

// Another program renews the token in a file.
func TestVaultTokenIsReadAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := newFakeVault()
		token := "root"
		v := near(t, fake, server.Token(func() (credentials.Secret, error) { return credentials.NewSecret(token), nil }))
		fill(t, v, credentialstest.Holding{"pronet:main": secret("x")})
		<-time.After(time.Hour)
		token = "renewed"
		fake.set(func() { fake.tokens = map[string]bool{"renewed": true} })
		requireSecret(t, v, "pronet:main", "x")
	})
}

// A holder keeps its lease as long as it needs, and releases it at once.
func TestLeaseIsKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := newFakeVault()
		holder, other := near(t, fake, rootToken()), near(t, fake, rootToken())
		unlock, err := holder.Lock(t.Context(), "pronet:main")
		require.NoError(t, err)

		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
		defer cancel()
		_, err = other.Lock(ctx, "pronet:main")
		require.ErrorIs(t, err, context.DeadlineExceeded)

		begun := time.Now()
		unlock()
		unlock, err = other.Lock(t.Context(), "pronet:main")
		require.NoError(t, err)
		require.Zero(t, time.Since(begun))
		unlock()
		writes := fake.writes
		<-time.After(time.Hour)
		require.Equal(t, writes, fake.writes, "nobody gives signs of life any more")
	})
}

// A holder that was killed, or cannot reach the vault, is waited for no longer
// than 30 seconds.
func TestLeaseOfTheDeadIsTakenOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := newFakeVault()
		dead := &cut{handler: fake}
		unlock, err := near(t, dead, rootToken()).Lock(t.Context(), "pronet:main")
		require.NoError(t, err)
		dead.set()

		begun := time.Now()
		survivors := near(t, fake, rootToken())
		var wg sync.WaitGroup
		var mu sync.Mutex
		inside, entered := 0, 0
		for range 3 {
			wg.Go(func() {
				unlock, err := survivors.Lock(t.Context(), "pronet:main")
				if !assert.NoError(t, err) {
					return
				}
				mu.Lock()
				inside, entered = inside+1, entered+1
				assert.Equal(t, 1, inside)
				mu.Unlock()
				<-time.After(time.Minute)
				mu.Lock()
				inside--
				mu.Unlock()
				unlock()
			})
			if entered == 0 {
				<-time.After(time.Second)
			}
		}
		<-time.After(27 * time.Second)
		mu.Lock()
		require.Equal(t, 1, entered, "after %s", time.Since(begun))
		mu.Unlock()
		wg.Wait()
		unlock() // harms nobody
	})
}

// cut is a vault that stops answering.
type cut struct {
	mu      sync.Mutex
	is      bool
	handler http.Handler
}

func (c *cut) set() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.is = true
}

// ServeHTTP implements [http.Handler].
func (c *cut) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	is := c.is
	c.mu.Unlock()
	if is {
		refuse(w, http.StatusServiceUnavailable, "cut")
		return
	}
	c.handler.ServeHTTP(w, r)
}

// One that comes back from a cut finds its lease taken, and does not take it back.
func TestLeaseThatWasLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := newFakeVault()
		slow := &cut{handler: fake}
		unlockLost, err := near(t, slow, rootToken()).Lock(t.Context(), "pronet:main")
		require.NoError(t, err)
		slow.set()
		unlock, err := near(t, fake, rootToken()).Lock(t.Context(), "pronet:main")
		require.NoError(t, err)
		slow.mu.Lock()
		slow.is = false
		slow.mu.Unlock()
		<-time.After(time.Minute)
		unlockLost()

		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		_, err = near(t, fake, rootToken()).Lock(ctx, "pronet:main")
		require.ErrorIs(t, err, context.DeadlineExceeded, "the second holder still has it")
		unlock()
	})
}

// Lost answers cost nobody the lease, nor the time until it would end by itself.
func TestLeaseSurvivesLostAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := newFakeVault()
		v, other := near(t, fake, rootToken()), near(t, fake, rootToken())
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		fake.set(func() { fake.lose = 1 })
		unlock, err := v.Lock(ctx, "pronet:main")
		require.NoError(t, err)
		fake.set(func() { fake.lose = 1 })
		unlock()
		unlock, err = other.Lock(ctx, "pronet:main")
		require.NoError(t, err)
		unlock()
	})
}

// Nor does the lost answer to a sign of life.
func TestLeaseSurvivesLostBeats(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := newFakeVault()
		unlock, err := near(t, fake, rootToken()).Lock(t.Context(), "pronet:main")
		require.NoError(t, err)
		fake.set(func() { fake.lose = 1 })
		<-time.After(time.Minute)
		require.Zero(t, fake.lose)
		unlock()
		begun := time.Now()
		unlock, err = near(t, fake, rootToken()).Lock(t.Context(), "pronet:main")
		require.NoError(t, err)
		require.Zero(t, time.Since(begun))
		unlock()
	})
}
