package oauth_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/credentials/oauth"
)

// A credential from the environment is renewed in memory, with one warning.
func TestReadOnlySource(t *testing.T) {
	onBench(t, func(t *testing.T, b *bench) {
		b.source.set = func() error { return credentials.ErrReadOnly }
		seen := map[credentials.Secret]bool{b.old.Access: true}
		for range 3 {
			c, err := b.refresher.Credential(t.Context(), ref)
			require.NoError(t, err)
			require.True(t, b.network.Alive(c.Access))
			require.False(t, seen[c.Access])
			seen[c.Access] = true
			again, err := b.refresher.Credential(t.Context(), ref)
			require.NoError(t, err)
			require.Equal(t, c, again)
			<-time.After(time.Hour)
		}
		b.requireRefreshes(t, 3)
		require.Equal(t, 1, strings.Count(b.log.String(), "level=WARN"))
		require.Contains(t, b.log.String(), "pronet:main")

		login := credentials.Credential{Access: credentials.NewSecret("login")}
		require.NoError(t, b.source.Memory.SetCredential(t.Context(), ref, login))
		c, err := b.refresher.Credential(t.Context(), ref)
		require.NoError(t, err)
		require.Equal(t, login.Access, c.Access, "what stood for the old one does not stand for another")
	})
}

func TestSourceIsDownForAMoment(t *testing.T) {
	onBench(t, func(t *testing.T, b *bench) {
		failures := 3
		b.source.set = func() error {
			if failures--; failures >= 0 {
				return credentials.ErrUnavailable
			}
			return nil
		}
		c, err := b.refresher.Credential(t.Context(), ref)
		require.NoError(t, err)
		require.Equal(t, b.stored(t).Access, c.Access)
		require.Empty(t, b.log.String())
	})
}

func TestSourceStaysDown(t *testing.T) {
	onBench(t, func(t *testing.T, b *bench) {
		b.source.set = func() error { return credentials.ErrUnavailable }
		c, err := b.refresher.Credential(t.Context(), ref)
		require.NoError(t, err)
		require.True(t, b.network.Alive(c.Access), "what cannot be stored can be used")
		require.Contains(t, b.log.String(), "level=ERROR")

		b.source.set = nil
		<-time.After(time.Hour)
		_, err = b.refresher.Credential(t.Context(), ref)
		require.NoError(t, err)
		require.True(t, b.network.Alive(b.stored(t).Refresh), "the next one is stored again")
		b.requireRefreshes(t, 2)
	})
}

func TestLoginDuringRenewal(t *testing.T) {
	onBench(t, func(t *testing.T, b *bench) {
		login := credentials.Credential{Access: credentials.NewSecret("login")}
		b.source.set = func() error {
			assert.NoError(t, b.source.Memory.SetCredential(t.Context(), ref, login))
			return nil
		}
		c, err := b.refresher.Credential(t.Context(), ref)
		require.NoError(t, err)
		require.Equal(t, login.Access, c.Access)
		require.Equal(t, login.Access, b.stored(t).Access)
	})
}

func TestLogoutDuringRenewal(t *testing.T) {
	onBench(t, func(t *testing.T, b *bench) {
		b.source.set = func() error {
			assert.NoError(t, b.source.Delete(t.Context(), ref))
			return nil
		}
		_, err := b.refresher.Credential(t.Context(), ref)
		require.ErrorIs(t, err, credentials.ErrNotFound)
	})
}

func TestLogout(t *testing.T) {
	onBench(t, func(t *testing.T, b *bench) {
		c, err := b.refresher.Credential(t.Context(), ref)
		require.NoError(t, err)
		require.NoError(t, b.refresher.Logout(t.Context(), ref))
		require.False(t, b.network.Alive(c.Access))
		require.False(t, b.network.Alive(c.Refresh))
		_, err = b.refresher.Credential(t.Context(), ref)
		require.ErrorIs(t, err, credentials.ErrNotFound)
		require.NoError(t, b.refresher.Logout(t.Context(), ref), "there is nothing to do")

		require.NoError(t, b.source.SetCredential(t.Context(), "email:main", credentials.Credential{Access: c.Access}))
		require.NoError(t, b.refresher.Logout(t.Context(), "email:main"), "a password is only deleted")
	})
}

// A logout deletes the credential even if the network refuses or cannot be reached.
func TestLogoutOffline(t *testing.T) {
	onBench(t, func(t *testing.T, b *bench) {
		refresher := oauth.NewRefresher(b.source, clientsOf(b.network, map[string]string{"PRONET_REVOKE_URL": base + "/nothing"}), nil)
		require.ErrorIs(t, refresher.Logout(t.Context(), ref), oauth.ErrNotRevoked)
		_, err := b.source.Credential(t.Context(), ref)
		require.ErrorIs(t, err, credentials.ErrNotFound)
	})
}

// A logout waits for a running renewal, and revokes the new tokens.
func TestLogoutAfterRenewal(t *testing.T) {
	onBench(t, func(t *testing.T, b *bench) {
		b.slow()
		renewed := make(chan credentials.Credential, 1)
		go func() {
			c, err := b.refresher.Credential(t.Context(), ref)
			assert.NoError(t, err)
			renewed <- c
		}()
		<-time.After(time.Second)
		require.NoError(t, b.refresher.Logout(t.Context(), ref))
		c := <-renewed
		require.False(t, b.network.Alive(c.Refresh))
	})
}
