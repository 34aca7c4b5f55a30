package oauth_test

import (
	"context"
	"crypto/sha256"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/credentials/oauth"
	"github.com/svcflow/svc/credentials/oauth/oauthtest"
)

func TestMemoryLogins(t *testing.T) {
	oauthtest.Logins(t, func(t *testing.T, test func(*testing.T, oauthtest.Passing)) {
		synctest.Test(t, func(t *testing.T) {
			test(t, oauthtest.Passing{LoginStore: &oauth.MemoryLogins{}, Pass: func(d time.Duration) { <-time.After(d) }})
		})
	})
}

// spied is a login store that records everything passed to it.
type spied struct {
	oauth.MemoryLogins

	mu   sync.Mutex
	seen []byte
}

// BeginLogin implements [oauth.LoginStore].
func (s *spied) BeginLogin(ctx context.Context, l oauth.KeptLogin, state [sha256.Size]byte) error {
	s.mu.Lock()
	s.seen = append(append(append(s.seen, l.Sealed...), state[:]...), l.ID...)
	s.mu.Unlock()
	return s.MemoryLogins.BeginLogin(ctx, l, state)
}

// A login that one process has begun can end at another one with the same secret.
func TestLoginsOfSeveralProcesses(t *testing.T) {
	const secret = "the-same-for-all-of-them"
	kept, network, target := &spied{}, &oauthtest.Network{}, &credentials.Memory{}
	process := func(secret string) *oauth.Logins {
		l := loginsInto(target, network)
		l.KeepIn(kept, secret)
		return l
	}
	one, other, stranger := process(secret), process(secret), process("another-one")
	begun, err := one.Begin(t.Context(), "pronet:main")
	require.NoError(t, err)
	_, err = stranger.Outcome(t.Context(), "pronet", begun.LoginID)
	require.ErrorIs(t, err, oauth.ErrUnknownLogin)
	answer := consent(network, begun.AuthorizeURL)
	require.NoError(t, other.Finish(t.Context(), "pronet", answer))
	require.ErrorIs(t, one.Finish(t.Context(), "pronet", answer), oauth.ErrState, "once only")
	outcome, err := one.Outcome(t.Context(), "pronet", begun.LoginID)
	require.NoError(t, err)
	require.Equal(t, credentials.LoginComplete, outcome.State)
	c, err := target.Credential(t.Context(), "pronet:main")
	require.NoError(t, err)
	require.True(t, network.Alive(c.Access))
	require.NotContains(t, string(kept.seen), answer.Get("state"))
	require.NotContains(t, string(kept.seen), "verifier")
	require.NotContains(t, string(kept.seen), "pronet:main")

	begun, err = one.Begin(t.Context(), "pronet:main")
	require.NoError(t, err)
	require.ErrorIs(t, stranger.Finish(t.Context(), "pronet", consent(network, begun.AuthorizeURL)), oauth.ErrState)
}
