package store_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/store"
	"github.com/svcflow/svc/store/storetest"
)

func TestStateInMemory(t *testing.T) {
	storetest.State(t, func(*testing.T) func() store.StateStore {
		s := &store.MemoryState{}
		return func() store.StateStore { return s }
	})
}

func TestStateFiles(t *testing.T) {
	storetest.State(t, func(t *testing.T) func() store.StateStore {
		dir := filepath.Join(t.TempDir(), "state")
		return func() store.StateStore { return store.FileState(dir) }
	})
}

// keep keeps a text under a key.
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

// TestStateAfterACrash cuts the file at every byte, as a crash might, while another
// process has it open.
func TestStateAfterACrash(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "state.log")
	s := store.FileState(dir)
	keep(t, s, "a", "1")
	whole, err := os.ReadFile(file)
	require.NoError(t, err)
	keep(t, s, "a", "2")
	both, err := os.ReadFile(file)
	require.NoError(t, err)
	for size := len(whole); size <= len(both); size++ {
		require.NoError(t, os.WriteFile(file, whole, 0o600))
		s := store.FileState(dir)
		require.Equal(t, "1", kept(t, s, "a"))
		require.NoError(t, os.WriteFile(file, both[:size], 0o600))
		want := "1"
		if size == len(both) {
			want = "2"
		}
		for _, s := range []store.StateStore{s, store.FileState(dir)} {
			require.Equal(t, want, kept(t, s, "a"), "%d bytes", size)
		}
		keep(t, s, "b", "3")
		again := store.FileState(dir)
		require.Equal(t, want, kept(t, again, "a"), "%d bytes", size)
		require.Equal(t, "3", kept(t, again, "b"), "%d bytes", size)
	}
}

// TestTheFileOfStateStaysSmall writes far more than there is to keep, and lets another
// process follow.
func TestTheFileOfStateStaysSmall(t *testing.T) {
	dir := t.TempDir()
	s, other := store.FileState(dir), store.FileState(dir)
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
	for _, s := range []store.StateStore{s, other, store.FileState(dir)} {
		require.Equal(t, "199", kept(t, s, "b"))
		require.Equal(t, "180", kept(t, s, "c"))
	}
}
