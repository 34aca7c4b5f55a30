package ring_test

import (
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/httpapi/keys"
	"github.com/svcflow/svc/httpapi/keys/ring"
	"github.com/svcflow/svc/httpapi/keys/ring/ringtest"
	"github.com/svcflow/svc/store"
)

func TestMemoryStore(t *testing.T) {
	ringtest.Run(t, func(t *testing.T, test func(*testing.T, ringtest.World)) {
		synctest.Test(t, func(t *testing.T) {
			m := &ringtest.Memory{}
			test(t, ringtest.World{Store: m, Pass: func(d time.Duration) { <-time.After(d) }, Run: uuid.NewString, End: m.End})
		})
	})
}

// join returns the keys of a store as seen by a new process.
func join(t *testing.T, s ring.Store) *ring.SharedRing {
	t.Helper()
	r, err := ring.Join(t.Context(), s, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	t.Cleanup(func() { _ = r.Close(t.Context()) })
	return r
}

func held(t *testing.T, r *ring.SharedRing, secret string) *ring.Held {
	t.Helper()
	h, err := r.Find(secret)
	require.NoError(t, err)
	return h
}

// atProcesses calls test with the rings of two processes that share a key with a budget.
func atProcesses(t *testing.T, b keys.Budget, test func(t *testing.T, m *ringtest.Memory, one, other *ring.SharedRing, secret string)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		m := &ringtest.Memory{}
		one, other := join(t, m), join(t, m)
		made, err := one.Make(t.Context(), request("k", b))
		require.NoError(t, err)
		require.NotNil(t, held(t, one, made.Secret), "at once where it is made")
		<-time.After(time.Second)
		require.NotNil(t, held(t, other, made.Secret))
		test(t, m, one, other, made.Secret)
		require.NoError(t, one.Close(t.Context()))
		require.NoError(t, other.Close(t.Context()))
	})
}

func TestSharedKeysAreRevoked(t *testing.T) {
	atProcesses(t, keys.Budget{RequestsPerMinute: 10}, func(t *testing.T, _ *ringtest.Memory, one, other *ring.SharedRing, secret string) {
		h := held(t, other, secret)
		require.NoError(t, one.Revoke(t.Context(), "k"))
		require.ErrorIs(t, one.Revoke(t.Context(), "k"), ring.ErrNotFound)
		require.Nil(t, held(t, one, secret), "at once where it is revoked")
		require.ErrorIs(t, h.Begin(t.Context(), 0), ring.ErrRevoked, "one with a budget, wherever that is asked for")
		<-time.After(time.Second)
		require.Nil(t, held(t, other, secret))
	})
}

func TestSharedRequests(t *testing.T) {
	atProcesses(t, keys.Budget{RequestsPerMinute: 120}, func(t *testing.T, m *ringtest.Memory, one, other *ring.SharedRing, secret string) {
		answered := 0
		spend := func(r *ring.SharedRing, n int) {
			for range n {
				if err := held(t, r, secret).Begin(t.Context(), 0); err == nil {
					answered++
				} else {
					require.ErrorAs(t, err, new(*ring.Spent))
				}
			}
		}
		for range 20 {
			spend(one, 10)
			spend(other, 10)
		}
		require.Equal(t, 120, answered, "all together, and none is left over")
		before := m.Accounted()
		spend(one, 1000)
		require.Equal(t, before, m.Accounted(), "the store is not asked for what is spent")
		<-time.After(time.Minute)
		spend(other, 1000)
		require.Equal(t, 240, answered)
	})
}

// TestSharedRequestsAreGivenAhead checks that a steady stream of requests, whatever its rate, needs
// two store calls per second.
func TestSharedRequestsAreGivenAhead(t *testing.T) {
	atProcesses(t, keys.Budget{RequestsPerMinute: 600_000}, func(t *testing.T, m *ringtest.Memory, one, _ *ring.SharedRing, secret string) {
		h := held(t, one, secret)
		for range 20 { // until the rate is known
			require.NoError(t, h.Begin(t.Context(), 0))
			<-time.After(100 * time.Millisecond)
		}
		before := m.Accounted()
		for range 1000 {
			require.NoError(t, h.Begin(t.Context(), 0))
			<-time.After(10 * time.Millisecond)
		}
		require.Less(t, m.Accounted()-before, 100)
	})
}

// TestSharedRequestsGoBack checks that requests granted ahead are returned if they are not used.
func TestSharedRequestsGoBack(t *testing.T) {
	const all = 600
	atProcesses(t, keys.Budget{RequestsPerMinute: all}, func(t *testing.T, _ *ringtest.Memory, one, other *ring.SharedRing, secret string) {
		for range 100 {
			require.NoError(t, held(t, one, secret).Begin(t.Context(), 0))
		}
		<-time.After(2 * time.Second) // one tick grants requests ahead, the next returns them
		answered := 0
		for held(t, other, secret).Begin(t.Context(), 0) == nil {
			answered++
		}
		require.Equal(t, all-100+2*all/60, answered)
	})
}

func TestSharedBytes(t *testing.T) {
	atProcesses(t, keys.Budget{BytesPerDay: 100}, func(t *testing.T, m *ringtest.Memory, one, other *ring.SharedRing, secret string) {
		require.NoError(t, held(t, one, secret).Begin(t.Context(), 60))
		held(t, one, secret).Count(60)
		require.ErrorAs(t, held(t, one, secret).Begin(t.Context(), 60), new(*ring.Spent))
		<-time.After(time.Second)
		var spent *ring.Spent
		require.ErrorAs(t, held(t, other, secret).Begin(t.Context(), 60), &spent)
		list, err := other.List(t.Context())
		require.NoError(t, err)
		require.EqualValues(t, 60, list[0].BytesToday)
		<-time.After(spent.After)
		require.NoError(t, held(t, other, secret).Begin(t.Context(), 60))
	})
}

func TestSharedPlaces(t *testing.T) {
	atProcesses(t, keys.Budget{Runs: 1}, func(t *testing.T, m *ringtest.Memory, one, other *ring.SharedRing, secret string) {
		p, err := held(t, one, secret).StartRun(t.Context())
		require.NoError(t, err)
		<-time.After(time.Hour) // the run is still active
		_, err = held(t, other, secret).StartRun(t.Context())
		require.ErrorAs(t, err, new(*ring.Spent))
		require.True(t, p.Name("run"))
		<-time.After(time.Hour)
		_, err = held(t, other, secret).StartRun(t.Context())
		require.ErrorAs(t, err, new(*ring.Spent))
		m.End("run")
		p, err = held(t, other, secret).StartRun(t.Context())
		require.NoError(t, err)
		p.Free()
		_, err = held(t, one, secret).StartRun(t.Context())
		require.NoError(t, err)
	})
}

// TestSharedKeysWithoutTheStore checks that known keys stay valid for some seconds without the
// store.
func TestSharedKeysWithoutTheStore(t *testing.T) {
	atProcesses(t, keys.Budget{}, func(t *testing.T, m *ringtest.Memory, one, _ *ring.SharedRing, secret string) {
		m.Away(true)
		<-time.After(ring.KnownFor - time.Second)
		require.NoError(t, held(t, one, secret).Begin(t.Context(), 0))
		<-time.After(2 * time.Second)
		_, err := one.Find(secret)
		require.ErrorIs(t, err, store.ErrUnavailable)
		_, err = one.Find("svc_of_nobody")
		require.ErrorIs(t, err, store.ErrUnavailable, "it may be good")
		m.Away(false)
		<-time.After(time.Second)
		require.NotNil(t, held(t, one, secret))
	})
}

// TestSharedRequestsAtOnce checks that many concurrent requests need few store calls.
func TestSharedRequestsAtOnce(t *testing.T) {
	atProcesses(t, keys.Budget{RequestsPerMinute: 50}, func(t *testing.T, m *ringtest.Memory, one, _ *ring.SharedRing, secret string) {
		var asking sync.WaitGroup
		var mu sync.Mutex
		answered := 0
		for range 200 {
			asking.Go(func() {
				if held(t, one, secret).Begin(t.Context(), 0) == nil {
					mu.Lock()
					answered++
					mu.Unlock()
				}
			})
		}
		asking.Wait()
		require.Equal(t, 50, answered)
	})
}

// BenchmarkShared measures the cost of a shared key per request.
func BenchmarkShared(b *testing.B) {
	for name, budget := range map[string]keys.Budget{"without a budget": {}, "with one": {RequestsPerMinute: 1 << 30, BytesPerDay: 1 << 50}} {
		b.Run(name, func(b *testing.B) {
			r, err := ring.Join(b.Context(), &ringtest.Memory{}, slog.New(slog.DiscardHandler))
			require.NoError(b, err)
			made, err := r.Make(b.Context(), request("k", budget))
			require.NoError(b, err)
			b.ReportAllocs()
			for b.Loop() {
				h, err := r.Find(made.Secret)
				if err != nil || h.Begin(b.Context(), 0) != nil {
					b.Fatal(err)
				}
			}
			require.NoError(b, r.Close(b.Context()))
		})
	}
}
