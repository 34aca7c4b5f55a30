package oauth_test

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/credentials/credentialstest"
	"github.com/svcflow/svc/credentials/oauth"
	"github.com/svcflow/svc/credentials/oauth/oauthtest"
)

const ref = credentials.Ref("pronet:main")

// source is an in-memory source with configurable failures.
type source struct {
	*credentials.Memory
	set  func() error // called before SetCredential, whose error it can replace
	read func()       // called before Credential
}

func (s *source) Credential(ctx context.Context, ref credentials.Ref) (credentials.Credential, error) {
	if s.read != nil {
		s.read()
	}
	return s.Memory.Credential(ctx, ref)
}

func (s *source) SetCredential(ctx context.Context, ref credentials.Ref, c credentials.Credential) error {
	if s.set != nil {
		if err := s.set(); err != nil {
			return err
		}
	}
	return s.Memory.SetCredential(ctx, ref, c)
}

// holding returns a source that holds c.
func holding(c credentials.Credential) *source {
	return &source{Memory: credentialstest.NewMemory(credentialstest.Holding{ref: c})}
}

// bench is a network, a source with an expired credential for it, and a refresher.
type bench struct {
	network   *oauthtest.Network
	old       credentials.Credential
	source    *source
	refresher *oauth.Refresher
	log       bytes.Buffer
}

// onBench runs test in a synctest bubble.
func onBench(t *testing.T, test func(t *testing.T, b *bench)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		b := &bench{network: &oauthtest.Network{Lifetime: time.Hour}}
		b.old = b.network.Issue(time.Now().UTC())
		b.source = holding(b.old)
		b.refresher = b.another()
		test(t, b)
		b.refresher.Wait()
		require.NotContains(t, b.log.String(), "canary")
	})
}

// another returns another refresher of the same source, like that of another process.
func (b *bench) another() *oauth.Refresher {
	return oauth.NewRefresher(b.source, clientsOf(b.network, nil), slog.New(slog.NewTextHandler(&b.log, nil)))
}

// slow delays the responses of the network.
func (b *bench) slow() {
	b.network.Answer = func(_ http.ResponseWriter, r *http.Request) bool {
		select {
		case <-time.After(2 * time.Second):
		case <-r.Context().Done():
		}
		return false
	}
}

func (b *bench) requireRefreshes(t *testing.T, want int) {
	t.Helper()
	renewed, reused := b.network.Refreshes()
	require.Equal(t, want, renewed)
	require.Zero(t, reused)
}

func (b *bench) stored(t *testing.T) credentials.Credential {
	t.Helper()
	c, err := b.source.Memory.Credential(t.Context(), ref)
	require.NoError(t, err)
	return c
}

func TestValidCredentialIsLeftAlone(t *testing.T) {
	onBench(t, func(t *testing.T, b *bench) {
		for _, expiresAt := range []time.Time{{}, time.Now().Add(time.Second)} {
			valid := b.network.Issue(expiresAt)
			require.NoError(t, b.source.Memory.SetCredential(t.Context(), ref, valid))
			c, err := b.refresher.Credential(t.Context(), ref)
			require.NoError(t, err)
			require.Equal(t, valid.Access, c.Access)
		}
		b.requireRefreshes(t, 0)
		_, err := b.refresher.Credential(t.Context(), "pronet:absent")
		require.ErrorIs(t, err, credentials.ErrNotFound)
	})
}

func TestManyShareOneRefresh(t *testing.T) {
	onBench(t, func(t *testing.T, b *bench) {
		b.slow()
		var wg sync.WaitGroup
		for _, refresher := range []*oauth.Refresher{b.refresher, b.another(), b.another()} {
			for range 33 {
				wg.Go(func() {
					c, err := refresher.Credential(t.Context(), ref)
					assert.NoError(t, err)
					assert.True(t, b.network.Alive(c.Access))
				})
			}
		}
		wg.Wait()
		b.requireRefreshes(t, 1)
		require.True(t, b.network.Alive(b.stored(t).Refresh))
		require.Equal(t, []string{"a", "b"}, b.stored(t).Scopes)
	})
}

// Credentials are renewed on use, a minute before they expire, as long as the network
// renews them.
func TestRenewedAgainAndAgain(t *testing.T) {
	onBench(t, func(t *testing.T, b *bench) {
		for day := 1; day <= 3; day++ {
			for range 24 {
				c, err := b.refresher.Credential(t.Context(), ref)
				require.NoError(t, err)
				require.True(t, c.ExpiresAt.After(time.Now()))
				require.Equal(t, b.stored(t).Access, c.Access, "it is stored before anybody has it")
				<-time.After(time.Hour - time.Minute)
			}
			b.requireRefreshes(t, 24*day)
		}
	})
}

func TestCallerLeaves(t *testing.T) {
	onBench(t, func(t *testing.T, b *bench) {
		b.slow()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := b.refresher.Credential(ctx, ref)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		b.refresher.Wait()
		require.True(t, b.network.Alive(b.stored(t).Refresh), "the rotated token is not lost")
		b.requireRefreshes(t, 1)
	})
}

func TestRejectedToken(t *testing.T) {
	onBench(t, func(t *testing.T, b *bench) {
		valid := b.network.Issue(time.Now().Add(time.Hour).UTC())
		require.NoError(t, b.source.Memory.SetCredential(t.Context(), ref, valid))
		first, err := b.refresher.Refresh(t.Context(), ref, valid.Access)
		require.NoError(t, err)
		require.NotEqual(t, valid.Access, first.Access)
		second, err := b.refresher.Refresh(t.Context(), ref, valid.Access)
		require.NoError(t, err)
		require.Equal(t, first.Access, second.Access, "somebody else has renewed it since")
		b.requireRefreshes(t, 1)
	})
}

// A caller whose new token was rejected does not get the same token from a concurrent
// renewal of the old one.
func TestRejectedTokenIsNotReturned(t *testing.T) {
	onBench(t, func(t *testing.T, b *bench) {
		current := b.network.Issue(time.Now().Add(time.Hour).UTC())
		require.NoError(t, b.source.Memory.SetCredential(t.Context(), ref, current))
		b.source.read = func() { <-time.After(time.Second) }
		var wg sync.WaitGroup
		wg.Go(func() {
			c, err := b.refresher.Refresh(t.Context(), ref, b.old.Access)
			assert.NoError(t, err)
			assert.Equal(t, current.Access, c.Access)
		})
		synctest.Wait()
		c, err := b.refresher.Refresh(t.Context(), ref, current.Access)
		require.NoError(t, err)
		require.NotEqual(t, current.Access, c.Access)
		wg.Wait()
		b.requireRefreshes(t, 1)
	})
}

func TestNothingToRenewWith(t *testing.T) {
	onBench(t, func(t *testing.T, b *bench) {
		b.old.Refresh = credentials.Secret{}
		require.NoError(t, b.source.Memory.SetCredential(t.Context(), ref, b.old))
		_, err := b.refresher.Credential(t.Context(), ref)
		require.ErrorIs(t, err, credentials.ErrReauthorize)
		require.ErrorContains(t, err, "connect the account again")
	})
}

func TestRefresherWithoutClient(t *testing.T) {
	onBench(t, func(t *testing.T, b *bench) {
		refresher := oauth.NewRefresher(b.source, oauth.NewClients(networks(), getenv(nil), nil), slog.New(slog.DiscardHandler))
		_, err := refresher.Credential(t.Context(), ref)
		require.ErrorIs(t, err, oauth.ErrNotConfigured)
		require.ErrorContains(t, err, "pronet:main has expired and cannot be renewed")
		require.ErrorContains(t, err, "PRONET_CLIENT_ID")
	})
}

func TestDeadCredential(t *testing.T) {
	onBench(t, func(t *testing.T, b *bench) {
		requests := 0
		b.network.Answer = func(http.ResponseWriter, *http.Request) bool { requests++; return false }
		require.NoError(t, clientOf(t, b.network, nil).Revoke(t.Context(), b.old))
		for range 3 {
			_, err := b.refresher.Credential(t.Context(), ref)
			require.ErrorIs(t, err, credentials.ErrReauthorize)
		}
		require.Equal(t, 1, requests, "what is dead is not asked for again")

		require.NoError(t, b.refresher.SetCredential(t.Context(), ref, b.network.Issue(time.Now().UTC())))
		_, err := b.refresher.Credential(t.Context(), ref)
		require.NoError(t, err, "a new login heals it")
	})
}

// A source without locks may still be shared. The slower process finds the credential that
// the other has stored.
func TestOvertaken(t *testing.T) {
	onBench(t, func(t *testing.T, b *bench) {
		overtaker := credentials.Credential{Access: credentials.NewSecret("theirs")}
		b.network.Answer = func(w http.ResponseWriter, r *http.Request) bool {
			assert.NoError(t, b.source.Memory.SetCredential(t.Context(), ref, overtaker))
			return says(400, `{"error":"invalid_grant"}`)(w, r)
		}
		c, err := b.refresher.Credential(t.Context(), ref)
		require.NoError(t, err)
		require.Equal(t, overtaker.Access, c.Access)
	})
}

func TestNetworkDown(t *testing.T) {
	onBench(t, func(t *testing.T, b *bench) {
		b.network.Answer = says(503, "")
		_, err := b.refresher.Credential(t.Context(), ref)
		require.ErrorIs(t, err, credentials.ErrUnavailable)
		b.network.Answer = nil
		_, err = b.refresher.Credential(t.Context(), ref)
		require.NoError(t, err)
	})
}

func TestLockNeverFree(t *testing.T) {
	onBench(t, func(t *testing.T, b *bench) {
		_, err := b.source.Lock(t.Context(), ref)
		require.NoError(t, err)
		began := time.Now()
		_, err = b.refresher.Credential(t.Context(), ref)
		require.ErrorIs(t, err, credentials.ErrUnavailable)
		require.Equal(t, 45*time.Second, time.Since(began))
		b.requireRefreshes(t, 0)
	})
}
