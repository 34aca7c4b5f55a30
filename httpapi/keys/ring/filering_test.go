package ring_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/limit"
	"github.com/svcflow/svc/httpapi/keys"
	"github.com/svcflow/svc/httpapi/keys/ring"
)

func request(name string, b keys.Budget) keys.Request {
	return keys.Request{Name: name, Scopes: []keys.Scope{keys.Read}, Budget: b}
}

// find makes a key and finds it.
func find(t *testing.T, r *ring.FileRing, b keys.Budget) *ring.Held {
	t.Helper()
	made, err := r.Make(t.Context(), request("k", b))
	require.NoError(t, err)
	h, err := r.Find(made.Secret)
	require.NoError(t, err)
	require.NotNil(t, h)
	return h
}

func TestProcessesMakeKeysTogether(t *testing.T) {
	dir := t.TempDir()
	var group sync.WaitGroup
	made := make([]keys.Made, 20)
	for i := range made {
		group.Go(func() {
			var err error
			if made[i], err = ring.Open(dir).Make(t.Context(), request(fmt.Sprintf("k%d", i), keys.Budget{})); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	r := ring.Open(dir)
	list, err := r.List(t.Context())
	require.NoError(t, err)
	require.Len(t, list, len(made))
	for _, m := range made {
		h, err := r.Find(m.Secret)
		require.NoError(t, err)
		require.Equal(t, m.Name, h.Name)
	}
}

// TestNoStateIsMissed makes and revokes keys as fast as possible, and checks after each change that
// another ring sees it.
func TestNoStateIsMissed(t *testing.T) {
	dir := t.TempDir()
	changed, asked := ring.Open(dir), ring.Open(dir)
	for range 100 {
		made, err := changed.Make(t.Context(), request("k", keys.Budget{}))
		require.NoError(t, err)
		h, err := asked.Find(made.Secret)
		require.NoError(t, err)
		require.NotNil(t, h)
		require.NoError(t, changed.Revoke(t.Context(), "k"))
		h, err = asked.Find(made.Secret)
		require.NoError(t, err)
		require.Nil(t, h)
	}
}

func TestUsesAreWrittenInAWhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		r := ring.Open(dir)
		h := find(t, r, keys.Budget{})
		before, err := os.Stat(filepath.Join(dir, ring.File))
		require.NoError(t, err)
		for range 1000 {
			require.NoError(t, h.Begin(t.Context(), -1))
			h.Count(10)
		}
		now, err := os.Stat(filepath.Join(dir, ring.File))
		require.NoError(t, err)
		require.True(t, os.SameFile(before, now), "nothing is written for each of them")
		<-time.After(2 * time.Minute)
		synctest.Wait()
		list, err := ring.Open(dir).List(t.Context())
		require.NoError(t, err)
		require.EqualValues(t, 10_000, list[0].BytesToday)
		require.WithinDuration(t, time.Now(), list[0].LastUsedAt, 4*time.Minute)

		// The counts of two processes are added, and a new day starts at zero.
		other := ring.Open(dir)
		h.Count(5)
		require.NoError(t, r.Save(t.Context()))
		list, err = other.List(t.Context())
		require.NoError(t, err)
		require.EqualValues(t, 10_005, list[0].BytesToday)
		<-time.After(24 * time.Hour)
		list, err = other.List(t.Context())
		require.NoError(t, err)
		require.Zero(t, list[0].BytesToday)
	})
}

func TestBudgetsComeBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := ring.Open(t.TempDir())
		h := find(t, r, keys.Budget{RequestsPerMinute: 60, BytesPerDay: 100})
		for range 60 {
			require.NoError(t, h.Begin(t.Context(), 0))
		}
		var spent *ring.Spent
		require.ErrorAs(t, h.Begin(t.Context(), 0), &spent)
		require.Equal(t, time.Second, spent.After)
		<-time.After(spent.After)
		require.NoError(t, h.Begin(t.Context(), 100))
		h.Count(100)
		<-time.After(time.Minute)
		require.ErrorAs(t, h.Begin(t.Context(), -1), &spent)
		require.Less(t, spent.After, 24*time.Hour)
		<-time.After(spent.After)
		require.NoError(t, h.Begin(t.Context(), 100))
		require.ErrorAs(t, h.Begin(t.Context(), 101), &spent)
		require.NoError(t, r.Close(t.Context()))
	})
}

func TestPlaces(t *testing.T) {
	h := find(t, ring.Open(t.TempDir()), keys.Budget{Runs: 2})
	first, err := h.StartRun(t.Context())
	require.NoError(t, err)
	second, err := h.StartRun(t.Context())
	require.NoError(t, err)
	_, err = h.StartRun(t.Context())
	require.ErrorAs(t, err, new(*ring.Spent))
	require.True(t, first.Name("run"))
	require.False(t, second.Name("run"), "asked for again")
	third, err := h.StartRun(t.Context())
	require.NoError(t, err)
	first.Free()
	third.Free()
	for range 2 {
		_, err = h.StartRun(t.Context())
		require.NoError(t, err)
	}
	_, err = h.StartRun(t.Context())
	require.ErrorAs(t, err, new(*ring.Spent))
}

func TestTooManyKeys(t *testing.T) {
	dir := t.TempDir()
	type key struct {
		keys.Request

		Digest string `json:"digest"`
	}
	var file struct {
		Keys []key `json:"keys"`
	}
	for i := range limit.Keys {
		file.Keys = append(file.Keys, key{request(fmt.Sprintf("k%d", i), keys.Budget{}), fmt.Sprintf("%064x", i)})
	}
	text, err := json.Marshal(file)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, ring.File), text, 0o600))
	r := ring.Open(dir)
	_, err = r.Make(t.Context(), request("k", keys.Budget{}))
	require.ErrorIs(t, err, ring.ErrTooMany)
	require.NoError(t, r.Revoke(t.Context(), "k7"))
	_, err = r.Make(t.Context(), request("k", keys.Budget{}))
	require.NoError(t, err)
}

func TestKeysThatCannotBeRead(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, ring.File), 0o700))
	_, err := ring.Open(dir).Find(keys.Prefix + "x")
	require.Error(t, err)
	require.False(t, errors.Is(err, ring.ErrDamaged))
}

// BenchmarkFind measures the cost of a named key per request.
func BenchmarkFind(b *testing.B) {
	dir := b.TempDir()
	r := ring.Open(dir)
	made, err := r.Make(b.Context(), request("k", keys.Budget{}))
	require.NoError(b, err)
	for b.Loop() {
		if h, err := r.Find(made.Secret); h == nil || err != nil {
			b.Fatal(err)
		}
	}
}
