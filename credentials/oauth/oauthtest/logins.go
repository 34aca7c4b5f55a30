package oauthtest

import (
	"crypto/sha256"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/credentials/oauth"
)

// Passing is a login store whose clock a test can advance.
type Passing struct {
	oauth.LoginStore

	Pass func(d time.Duration)
}

// Logins is the test suite for implementations of [oauth.LoginStore]. on runs a test with a
// store that no other test uses.
func Logins(t *testing.T, on func(t *testing.T, test func(t *testing.T, p Passing))) {
	t.Helper()
	for name, test := range map[string]func(*testing.T, Passing){
		"once": testOnce, "late": testLate, "many": testMany, "at once": testAtOnce,
	} {
		t.Run(name, func(t *testing.T) { on(t, test) })
	}
}

func stateOf(n int) [sha256.Size]byte { return sha256.Sum256([]byte(fmt.Sprint("state", n))) }

func begin(t *testing.T, p Passing, n int) oauth.KeptLogin {
	t.Helper()
	l := oauth.KeptLogin{ID: fmt.Sprint("id", n), Network: "pronet", Sealed: []byte{0, 1, byte(n)}}
	require.NoError(t, p.BeginLogin(t.Context(), l, stateOf(n)))
	return l
}

func testOnce(t *testing.T, p Passing) {
	l := begin(t, p, 1)
	begin(t, p, 2)
	_, err := p.TakeLogin(t.Context(), "microblog", stateOf(1))
	require.ErrorIs(t, err, oauth.ErrUnknownLogin, "of another network")
	_, err = p.TakeLogin(t.Context(), "pronet", stateOf(3))
	require.ErrorIs(t, err, oauth.ErrUnknownLogin)
	pending, err := p.Login(t.Context(), "pronet", "id1")
	require.NoError(t, err)
	require.Equal(t, l, pending)
	taken, err := p.TakeLogin(t.Context(), "pronet", stateOf(1))
	require.NoError(t, err)
	require.Equal(t, l, taken)
	_, err = p.TakeLogin(t.Context(), "pronet", stateOf(1))
	require.ErrorIs(t, err, oauth.ErrUnknownLogin, "a second time")
	p.Pass(oauth.OutcomeLife / 2)
	pending, err = p.Login(t.Context(), "pronet", "id1")
	require.NoError(t, err)
	require.Equal(t, l, pending)
	require.NoError(t, p.EndLogin(t.Context(), "id1", []byte(`{"state":"complete"}`)))
	p.Pass(oauth.OutcomeLife / 4 * 3)
	ended, err := p.Login(t.Context(), "pronet", "id1")
	require.NoError(t, err)
	require.Equal(t, `{"state":"complete"}`, string(ended.Outcome))
	_, err = p.Login(t.Context(), "microblog", "id1")
	require.ErrorIs(t, err, oauth.ErrUnknownLogin)
	p.Pass(oauth.OutcomeLife)
	_, err = p.Login(t.Context(), "pronet", "id1")
	require.ErrorIs(t, err, oauth.ErrUnknownLogin)
}

func testLate(t *testing.T, p Passing) {
	begin(t, p, 1)
	p.Pass(oauth.LoginLife)
	_, err := p.TakeLogin(t.Context(), "pronet", stateOf(1))
	require.ErrorIs(t, err, oauth.ErrUnknownLogin)
	late, err := p.Login(t.Context(), "pronet", "id1")
	require.NoError(t, err)
	require.True(t, late.Late)
	p.Pass(oauth.OutcomeLife)
	_, err = p.Login(t.Context(), "pronet", "id1")
	require.ErrorIs(t, err, oauth.ErrUnknownLogin)
}

func testMany(t *testing.T, p Passing) {
	for n := range oauth.MaxLogins {
		begin(t, p, n)
	}
	l := oauth.KeptLogin{ID: "more", Network: "pronet", Sealed: []byte{1}}
	require.ErrorIs(t, p.BeginLogin(t.Context(), l, stateOf(-1)), oauth.ErrTooManyLogins)
	_, err := p.TakeLogin(t.Context(), "pronet", stateOf(7))
	require.NoError(t, err)
	require.NoError(t, p.BeginLogin(t.Context(), l, stateOf(-1)))
	p.Pass(oauth.LoginLife)
	begin(t, p, -2)
}

// Of many concurrent callers with the same state, only one gets the login.
func testAtOnce(t *testing.T, p Passing) {
	begin(t, p, 1)
	var mu sync.Mutex
	var taking sync.WaitGroup
	taken := 0
	for range 16 {
		taking.Go(func() {
			if _, err := p.TakeLogin(t.Context(), "pronet", stateOf(1)); err == nil {
				mu.Lock()
				taken++
				mu.Unlock()
			}
		})
	}
	taking.Wait()
	require.Equal(t, 1, taken)
}
