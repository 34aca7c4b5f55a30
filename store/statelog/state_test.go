package statelog_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/store"
	"github.com/svcflow/svc/store/internal/vfs/vfstest"
	"github.com/svcflow/svc/store/statelog"
	"github.com/svcflow/svc/store/storetest"
)

func TestStateInMemory(t *testing.T) {
	storetest.State(t, func(*testing.T) func() store.StateStore {
		s := &statelog.Memory{}
		return func() store.StateStore { return s }
	})
}

func TestStateFiles(t *testing.T) {
	storetest.State(t, func(t *testing.T) func() store.StateStore {
		dir := filepath.Join(t.TempDir(), "state")
		return func() store.StateStore { return statelog.Open(dir) }
	})
}

// keep stores a text under a key.
func keep(t *testing.T, s store.StateStore, key, text string) {
	t.Helper()
	_, err := s.ChangeState(t.Context(), store.StateKey{Key: key}, func(store.StateValue) (store.StateValue, error) {
		return store.StateValue{Value: fmt.Appendf(nil, "%q", text)}, nil
	})
	require.NoError(t, err)
}

func kept(t *testing.T, s store.StateStore, key string) string {
	t.Helper()
	v, err := s.State(t.Context(), store.StateKey{Key: key})
	require.NoError(t, err)
	return strings.Trim(string(v.Value), `"`)
}

// TestStateAfterACrash truncates the file at every byte, as a crash might, while another process
// has it open.
func TestStateAfterACrash(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "state.log")
	s := statelog.Open(dir)
	keep(t, s, "a", "1")
	whole, err := os.ReadFile(file)
	require.NoError(t, err)
	keep(t, s, "a", "2")
	both, err := os.ReadFile(file)
	require.NoError(t, err)
	for size := len(whole); size <= len(both); size++ {
		require.NoError(t, os.WriteFile(file, whole, 0o600))
		s := statelog.Open(dir)
		require.Equal(t, "1", kept(t, s, "a"))
		require.NoError(t, os.WriteFile(file, both[:size], 0o600))
		want := "1"
		if size == len(both) {
			want = "2"
		}
		for _, s := range []store.StateStore{s, statelog.Open(dir)} {
			require.Equal(t, want, kept(t, s, "a"), "%d bytes", size)
		}
		keep(t, s, "b", "3")
		again := statelog.Open(dir)
		require.Equal(t, want, kept(t, again, "a"), "%d bytes", size)
		require.Equal(t, "3", kept(t, again, "b"), "%d bytes", size)
	}
}

// TestTheFileOfStateStaysSmall writes far more than is live, while another process follows.
func TestTheFileOfStateStaysSmall(t *testing.T) {
	dir := t.TempDir()
	s, other := statelog.Open(dir), statelog.Open(dir)
	for i := range 200 {
		keep(t, s, "a", strings.Repeat("x", 32<<10))
		keep(t, s, "b", fmt.Sprint(i))
		if i%20 == 0 {
			require.Equal(t, fmt.Sprint(i), kept(t, other, "b"))
			keep(t, other, "c", fmt.Sprint(i))
		}
	}
	info, err := os.Stat(filepath.Join(dir, "state.log"))
	require.NoError(t, err)
	require.Less(t, info.Size(), int64(2<<20))
	for _, s := range []store.StateStore{s, other, statelog.Open(dir)} {
		require.Equal(t, "199", kept(t, s, "b"))
		require.Equal(t, "180", kept(t, s, "c"))
	}
}

// count increments the number under a key and returns it.
func count(tb testing.TB, s store.StateStore, key string) (n int, err error) {
	tb.Helper()
	_, err = s.ChangeState(tb.Context(), store.StateKey{Key: key}, func(now store.StateValue) (store.StateValue, error) {
		n = 0
		_, _ = fmt.Sscan(string(now.Value), &n) // a missing value counts as 0
		n++
		return store.StateValue{Value: fmt.Append(nil, n)}, nil
	})
	return n, err
}

// countTogether increments a counter the given number of times, with at goroutines.
func countTogether(tb testing.TB, s store.StateStore, times, at int) {
	tb.Helper()
	var left atomic.Int64
	var all sync.WaitGroup
	left.Store(int64(times))
	for i := range at {
		all.Go(func() {
			for left.Add(-1) >= 0 {
				if _, err := count(tb, s, fmt.Sprint("k", i%7)); err != nil {
					tb.Error(err)
				}
			}
		})
	}
	all.Wait()
}

// TestStateWaitsAreShared checks that concurrent changes share syncs.
func TestStateWaitsAreShared(t *testing.T) {
	for _, test := range []struct {
		at, changes int
		most        float64 // syncs per change
	}{{1, 100, 1.02}, {8, 400, 0.5}, {64, 1500, 0.3}} {
		t.Run(fmt.Sprint(test.at), func(t *testing.T) {
			d := &vfstest.Slow{}
			s := statelog.OpenState(t.TempDir(), d)
			keep(t, s, "a", "1")
			d.Syncs.Store(0)
			countTogether(t, s, test.changes, test.at)
			sum := 0
			for i := range 7 {
				n, err := count(t, s, fmt.Sprint("k", i))
				require.NoError(t, err)
				sum += n - 1
			}
			require.Equal(t, test.changes, sum)
			each := float64(d.Syncs.Load()-7) / float64(test.changes)
			t.Logf("%.3f waits for the disk per change", each)
			require.LessOrEqual(t, each, test.most)
		})
	}
}

// TestStateFaults makes each call to the disk fail, once or until the disk is repaired.
// Acknowledged changes survive, refused ones do not, and the next attempt works.
func TestStateFaults(t *testing.T) { vfstest.EachFault(t, stateWithFault) }

// stateWithFault runs a scenario and returns the number of calls to the disk.
func stateWithFault(t *testing.T, f vfstest.Fault) int {
	t.Helper()
	dir := t.TempDir()
	d := &vfstest.Faulty{Fault: f, Room: -1}
	s := statelog.OpenState(dir, d)
	for n := 1; n <= 6; n++ {
		if n == 4 { // another process makes a change
			keep(t, statelog.Open(dir), "b", "1")
		}
		d.Insist(t, func() error {
			got, err := count(t, s, "a")
			if err == nil {
				require.Equal(t, n, got)
			}
			return err
		})
	}
	calls := d.Calls
	d.Heal()
	require.Zero(t, d.Opened)
	for _, s := range []store.StateStore{s, statelog.Open(dir)} {
		require.Equal(t, "6", kept(t, s, "a"))
		require.Equal(t, "1", kept(t, s, "b"))
	}
	return calls
}
