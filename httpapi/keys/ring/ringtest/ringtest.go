package ringtest

import (
	"crypto/sha256"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/limit"
	"github.com/svcflow/svc/httpapi/keys"
	"github.com/svcflow/svc/httpapi/keys/ring"
)

// World is a store and its environment.
type World struct {
	ring.Store

	// Pass advances the time of the store.
	Pass func(d time.Duration)
	// Run starts a run, and End ends one.
	Run func() (runID string)
	End func(runID string)
}

// Run tests an implementation of [ring.Store]. on calls a test with a new store.
func Run(t *testing.T, on func(t *testing.T, test func(t *testing.T, w World))) {
	t.Helper()
	for name, test := range map[string]func(*testing.T, World){
		"keys": testKeys, "many keys": testManyKeys, "requests": testRequests, "bytes": testBytes, "places": testPlaces, "at once": testAtOnce,
	} {
		t.Run(name, func(t *testing.T) { on(t, test) })
	}
}

func kept(name string, b keys.Budget) ring.Kept {
	at := time.Date(2026, 11, 22, 15, 4, 5, 0, time.UTC)
	request := keys.Request{Name: name, Scopes: []keys.Scope{keys.Read, keys.Run}, Budget: b}
	return ring.Kept{Key: keys.Key{Request: request, CreatedAt: at}, Digest: sha256.Sum256([]byte(name + uuid.NewString()))}
}

// add adds a key with a budget.
func add(t *testing.T, w World, b keys.Budget) ring.Kept {
	t.Helper()
	k := kept("k", b)
	require.NoError(t, w.AddKey(t.Context(), k))
	return k
}

func testKeys(t *testing.T, w World) {
	all, state, err := w.Keys(t.Context(), 0)
	require.NoError(t, err)
	require.Empty(t, all)
	require.Positive(t, state)
	uses, err := w.Uses(t.Context())
	require.NoError(t, err)
	require.NotNil(t, uses)
	b, a := kept("b", keys.Budget{Runs: 1, RequestsPerMinute: 2, BytesPerDay: 3}), kept("a", keys.Budget{})
	require.NoError(t, w.AddKey(t.Context(), b))
	require.NoError(t, w.AddKey(t.Context(), a))
	require.ErrorIs(t, w.AddKey(t.Context(), kept("a", keys.Budget{})), ring.ErrExists)
	all, next, err := w.Keys(t.Context(), state)
	require.NoError(t, err)
	require.Equal(t, []ring.Kept{a, b}, all)
	require.Greater(t, next, state)
	all, same, err := w.Keys(t.Context(), next)
	require.NoError(t, err)
	require.Empty(t, all)
	require.Equal(t, next, same)
	require.NoError(t, w.RemoveKey(t.Context(), "a"))
	require.ErrorIs(t, w.RemoveKey(t.Context(), "a"), ring.ErrNotFound)
	all, last, err := w.Keys(t.Context(), next)
	require.NoError(t, err)
	require.Equal(t, []ring.Kept{b}, all)
	require.Greater(t, last, next)
	require.NoError(t, w.RemoveKey(t.Context(), "b"))
	all, gone, err := w.Keys(t.Context(), last)
	require.NoError(t, err)
	require.Empty(t, all)
	require.Greater(t, gone, last, "which tells that from what was seen")
}

func testManyKeys(t *testing.T, w World) {
	var adding sync.WaitGroup
	names := make(chan string, limit.Keys)
	for n := range limit.Keys {
		names <- fmt.Sprint("k", n)
	}
	close(names)
	for range 4 {
		adding.Go(func() {
			for name := range names {
				assert.NoError(t, w.AddKey(t.Context(), kept(name, keys.Budget{})))
			}
		})
	}
	adding.Wait()
	require.ErrorIs(t, w.AddKey(t.Context(), kept("k", keys.Budget{})), ring.ErrTooMany)
	require.NoError(t, w.RemoveKey(t.Context(), "k7"))
	require.NoError(t, w.AddKey(t.Context(), kept("k", keys.Budget{})))
}

// account makes one claim.
func account(t *testing.T, w World, c ring.Claim) ring.Share {
	t.Helper()
	shares, err := w.Account(t.Context(), []ring.Claim{c})
	require.NoError(t, err)
	require.Len(t, shares, 1)
	return shares[0]
}

func testRequests(t *testing.T, w World) {
	k := add(t, w, keys.Budget{RequestsPerMinute: 6}).Digest
	require.Equal(t, 4, account(t, w, ring.Claim{Key: k, Requests: 4}).Requests)
	s := account(t, w, ring.Claim{Key: k, Requests: 4})
	require.Equal(t, 2, s.Requests, "those that are left")
	require.InDelta(t, 10*time.Second, s.After, float64(5*time.Second))
	s = account(t, w, ring.Claim{Key: k, Unused: 3, Requests: 1, Ahead: 100})
	require.Equal(t, 1, s.Requests)
	require.Zero(t, s.After)
	require.Equal(t, 2, account(t, w, ring.Claim{Key: k, Requests: 2}).Requests)
	require.Zero(t, account(t, w, ring.Claim{Key: k, Ahead: 100}).Requests)
	w.Pass(21 * time.Second)
	require.Equal(t, 2, account(t, w, ring.Claim{Key: k, Requests: 3}).Requests, "they come back evenly")
	w.Pass(time.Hour)
	require.Equal(t, 6, account(t, w, ring.Claim{Key: k, Requests: 100}).Requests, "and never are more")

	shares, err := w.Account(t.Context(), []ring.Claim{{Key: kept("none", keys.Budget{}).Digest, Requests: 1}, {Key: k}})
	require.NoError(t, err)
	require.True(t, shares[0].Gone)
	require.False(t, shares[1].Gone)

	require.NoError(t, w.RemoveKey(t.Context(), "k"))
	k = add(t, w, keys.Budget{RequestsPerMinute: 800}).Digest
	require.Equal(t, 1+99, account(t, w, ring.Claim{Key: k, Requests: 1, Ahead: 800}).Requests, "an eighth of what is left goes ahead")
}

func testBytes(t *testing.T, w World) {
	k := add(t, w, keys.Budget{BytesPerDay: 100}).Digest
	require.EqualValues(t, 30, account(t, w, ring.Claim{Key: k, Bytes: 30, Used: true}).BytesToday)
	s := account(t, w, ring.Claim{Key: k, Bytes: 12})
	require.EqualValues(t, 42, s.BytesToday)
	require.Positive(t, s.Tomorrow)
	require.LessOrEqual(t, s.Tomorrow, 24*time.Hour)
	uses, err := w.Uses(t.Context())
	require.NoError(t, err)
	require.EqualValues(t, 42, uses[0].BytesToday)
	require.WithinDuration(t, time.Now(), uses[0].LastUsedAt, 2*time.Minute)
	require.Equal(t, time.UTC, uses[0].LastUsedAt.Location())
	w.Pass(24 * time.Hour)
	uses, err = w.Uses(t.Context())
	require.NoError(t, err)
	require.Zero(t, uses[0].BytesToday)
	require.EqualValues(t, 1, account(t, w, ring.Claim{Key: k, Bytes: 1}).BytesToday, "a new day")
}

func testPlaces(t *testing.T, w World) {
	k := add(t, w, keys.Budget{Runs: 2}).Digest
	take := func() (id string, taken bool) {
		id = uuid.NewString()
		taken, err := w.TakePlace(t.Context(), k, id, 2)
		require.NoError(t, err)
		return id, taken
	}
	requireTaken := func(want bool) string {
		t.Helper()
		id, taken := take()
		require.Equal(t, want, taken)
		return id
	}
	first, second := requireTaken(true), requireTaken(true)
	requireTaken(false)
	require.NoError(t, w.FreePlace(t.Context(), first))
	require.NoError(t, w.FreePlace(t.Context(), first), "it may be said twice")
	first = requireTaken(true)

	// From now on the slot belongs to the run, until its end.
	runID := w.Run()
	own, err := w.NamePlace(t.Context(), first, runID)
	require.NoError(t, err)
	require.True(t, own)
	own, err = w.NamePlace(t.Context(), second, runID)
	require.NoError(t, err)
	require.False(t, own, "it has one")
	third := requireTaken(true)
	w.Pass(ring.PlaceLife)
	require.NoError(t, w.KeepPlaces(t.Context(), []string{third}), "late, and nobody has taken it meanwhile")
	requireTaken(false)
	w.Pass(ring.PlaceLife)
	requireTaken(true) // the lease of the third slot has expired
	requireTaken(false)
	w.End(runID)
	requireTaken(true)
	requireTaken(false)
}

// testAtOnce checks that concurrent claims together do not exceed a budget.
func testAtOnce(t *testing.T, w World) {
	k := add(t, w, keys.Budget{Runs: 5, RequestsPerMinute: 20}).Digest
	var mu sync.Mutex
	var asking sync.WaitGroup
	requests, places := 0, 0
	for range 8 {
		asking.Go(func() {
			for range 4 {
				shares, err := w.Account(t.Context(), []ring.Claim{{Key: k, Requests: 1, Bytes: 1}})
				if !assert.NoError(t, err) {
					return
				}
				taken, err := w.TakePlace(t.Context(), k, uuid.NewString(), 5)
				assert.NoError(t, err)
				mu.Lock()
				requests += shares[0].Requests
				if taken {
					places++
				}
				mu.Unlock()
			}
		})
	}
	asking.Wait()
	require.GreaterOrEqual(t, requests, 20)
	require.LessOrEqual(t, requests, 20+8, "but for what has come back meanwhile")
	require.Equal(t, 5, places)
	require.EqualValues(t, 32, account(t, w, ring.Claim{Key: k}).BytesToday)
}
