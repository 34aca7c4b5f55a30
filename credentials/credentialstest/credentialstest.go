// Package credentialstest is the suite that every source of credentials passes.
package credentialstest

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/credentials"
)

// Options says what is special about a source.
type Options struct {
	// ReadOnly sources answer every change with credentials.ErrReadOnly.
	ReadOnly bool
	// Unversioned sources do not count revisions, and so never see a conflict.
	Unversioned bool
}

// Holding is what newProvider is asked for: a source with these credentials, and
// no others.
type Holding map[credentials.Ref]credentials.Credential

// Run tests the sources that newProvider returns; one that is a
// [credentials.Locker] is tested as such too. References are of the networks
// pronet and microblog; times are in whole seconds.
func Run(t *testing.T, newProvider func(t *testing.T, held Holding) credentials.Provider, options Options) {
	t.Helper()
	tests := map[string]func(*testing.T, credentials.Provider){
		"absent": testAbsent, "held": testHeld, "list": testList, "cancelled": testCancelled, "concurrent reads": testReads,
	}
	switch {
	case options.ReadOnly:
		tests["read only"] = testReadOnly
	case options.Unversioned:
		tests["write"], tests["kinds"] = testWrite, testKinds
	default:
		tests["write"], tests["kinds"] = testWrite, testKinds
		tests["conflict"] = testConflict
		tests["one winner"] = testOneWinner
	}
	if _, ok := newProvider(t, nil).(credentials.Locker); ok {
		tests["lock"] = testLock
		tests["lock excludes"] = testLockExcludes
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) { test(t, newProvider(t, holding())) })
	}
}

const (
	full   = credentials.Ref("pronet:main")
	bare   = credentials.Ref("microblog:bot")
	absent = credentials.Ref("pronet:absent")
	canary = "canary-4f1d" // begins every secret of the suite
)

func holding() Holding {
	return Holding{
		full: {
			Access: credentials.NewSecret(canary + "-access"), Refresh: credentials.NewSecret(canary + "-refresh"),
			ExpiresAt: time.Date(2001, 2, 3, 4, 5, 6, 0, time.UTC), // long ago: a source does not judge
			Scopes:    []string{"tweet.read", "offline.access"},
		},
		bare: {Access: credentials.NewSecret(canary + "-bot")},
	}
}

func requireHeld(t *testing.T, p credentials.Provider, ref credentials.Ref, want credentials.Credential) {
	t.Helper()
	got, err := p.Credential(t.Context(), ref)
	require.NoError(t, err)
	got.Revision, want.Revision = 0, 0
	require.Equal(t, want, got)
}

func testAbsent(t *testing.T, p credentials.Provider) {
	_, err := p.Credential(t.Context(), absent)
	require.ErrorIs(t, err, credentials.ErrNotFound)
	require.NoError(t, p.Delete(t.Context(), absent))
}

func testHeld(t *testing.T, p credentials.Provider) {
	for ref, c := range holding() {
		requireHeld(t, p, ref, c)
	}
}

func testList(t *testing.T, p credentials.Provider) {
	infos, err := p.List(t.Context())
	require.NoError(t, err)
	require.Len(t, infos, 2)
	want := holding()
	for i, ref := range []credentials.Ref{bare, full} {
		require.NotEmpty(t, infos[i].Source)
		infos[i].Source = ""
		require.Equal(t, credentials.Info{Ref: ref, Scopes: want[ref].Scopes, ExpiresAt: want[ref].ExpiresAt}, infos[i])
	}
}

func testCancelled(t *testing.T, p credentials.Provider) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := p.Credential(ctx, full)
	require.ErrorIs(t, err, context.Canceled)
	_, err = p.List(ctx)
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorIs(t, p.SetCredential(ctx, full, credentials.Credential{}), context.Canceled)
	require.ErrorIs(t, p.Delete(ctx, full), context.Canceled)
	requireHeld(t, p, full, holding()[full])
}

func testReads(t *testing.T, p credentials.Provider) {
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			c, err := p.Credential(t.Context(), bare)
			assert.NoError(t, err)
			assert.Equal(t, holding()[bare].Access, c.Access)
			_, err = p.List(t.Context())
			assert.NoError(t, err)
		})
	}
	wg.Wait()
}

func testReadOnly(t *testing.T, p credentials.Provider) {
	for _, ref := range []credentials.Ref{full, absent} {
		err := p.SetCredential(t.Context(), ref, credentials.Credential{Access: credentials.NewSecret(canary + "-new")})
		require.ErrorIs(t, err, credentials.ErrReadOnly)
		require.NotContains(t, err.Error(), canary)
	}
	require.ErrorIs(t, p.Delete(t.Context(), full), credentials.ErrReadOnly)
	testHeld(t, p)
	testAbsent(t, p)
}

func testWrite(t *testing.T, p credentials.Provider) {
	c := credentials.Credential{Access: credentials.NewSecret(canary + "-new"), Scopes: []string{"profile"}}
	for _, ref := range []credentials.Ref{absent, full} {
		require.NoError(t, p.SetCredential(t.Context(), ref, c))
		requireHeld(t, p, ref, c)
	}
	infos, err := p.List(t.Context())
	require.NoError(t, err)
	require.True(t, slices.IsSortedFunc(infos, func(a, b credentials.Info) int {
		return slices.Compare([]byte(a.Ref), []byte(b.Ref))
	}))
	require.Len(t, infos, 3)

	require.NoError(t, p.Delete(t.Context(), full))
	_, err = p.Credential(t.Context(), full)
	require.ErrorIs(t, err, credentials.ErrNotFound)
	requireHeld(t, p, bare, holding()[bare])
}

// kinds returns a credential of each kind, in its JSON form.
func kinds() []string {
	return []string{
		`{"kind":"bearer","access_token":"` + canary + `","hosts":["api.example.com","*.example.org"]}`,
		`{"access_token":"` + canary + `","refresh_token":"` + canary + `","hosts":["api.example.com"]}`,
		`{"kind":"basic","username":"ann","password":"` + canary + ` 'quoted'","hosts":["http://127.0.0.1:8080"]}`,
		`{"kind":"header","name":"X-Key","value":"` + canary + `","hosts":["a.example"]}`,
		`{"kind":"query","name":"key","value":"` + canary + `","hosts":["a.example"]}`,
		`{"kind":"oauth2","access_token":"` + canary + `","refresh_token":"` + canary + `","expires_at":"2030-01-02T12:00:00Z","scope":"a b"}`,
		`{"kind":"client_credentials","token_url":"https://a.example/token","client_id":"me","client_secret":"` + canary + `","scopes":"a b","hosts":["a.example"]}`,
		`{"kind":"password","username":"ann","password":"` + canary + `"}`,
		`{"kind":"hmac","secret":"` + canary + `"}`,
		`{"kind":"key","pem":"-----BEGIN KEY-----\nY2FuYXJ5LTRmMWQ=\n-----END KEY-----\n"}`,
		`{"kind":"dsn","dsn":"postgres://ann:` + canary + `@db.example/x"}`,
	}
}

func testKinds(t *testing.T, p credentials.Provider) {
	for _, text := range kinds() {
		c, err := credentials.Parse(text)
		require.NoError(t, err)
		require.NoError(t, p.SetCredential(t.Context(), full, c), c.Kind)
		requireHeld(t, p, full, c)
	}
	_, err := p.List(t.Context())
	require.NoError(t, err)
}

func testConflict(t *testing.T, p credentials.Provider) {
	stale, err := p.Credential(t.Context(), full)
	require.NoError(t, err)
	require.NotZero(t, stale.Revision)
	renewed := stale
	renewed.Access = credentials.NewSecret(canary + "-renewed")
	require.NoError(t, p.SetCredential(t.Context(), full, renewed))

	stale.Access = credentials.NewSecret(canary + "-late")
	err = p.SetCredential(t.Context(), full, stale)
	require.ErrorIs(t, err, credentials.ErrConflict)
	require.NotContains(t, err.Error(), canary)
	requireHeld(t, p, full, renewed)

	require.NoError(t, p.Delete(t.Context(), full))
	require.ErrorIs(t, p.SetCredential(t.Context(), full, stale), credentials.ErrConflict, "a logout is not undone by a refresh")
	stale.Revision = 0
	require.NoError(t, p.SetCredential(t.Context(), full, stale))
}

func testOneWinner(t *testing.T, p credentials.Provider) {
	read, err := p.Credential(t.Context(), full)
	require.NoError(t, err)
	var wins atomic.Int32
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			mine := read
			mine.Access = credentials.NewSecret(fmt.Sprint(canary, i))
			if p.SetCredential(t.Context(), full, mine) == nil {
				wins.Add(1)
			}
		})
	}
	wg.Wait()
	require.EqualValues(t, 1, wins.Load())
}
