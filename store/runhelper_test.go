package store_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/store"
	"github.com/svcflow/svc/store/storetest"
)

func openOn(t *testing.T, dir string, keep store.Retention, d store.Disk) *store.RunFiles {
	t.Helper()
	s, err := store.OpenRuns(dir, store.RunOptions{Keep: keep}, d)
	require.NoError(t, err)
	return s
}

func frames(t *testing.T, s store.RunStore, n int) []run.Frame {
	t.Helper()
	all, err := s.Frames(t.Context(), storetest.RunID(n), 0, 1<<30)
	require.NoError(t, err)
	return all
}

func runFrames(n int) []run.Frame {
	return []run.Frame{
		storetest.Frame(1, "one"), storetest.Frame(2, strings.Repeat("two", 5000)), storetest.LastFrame(n, 3, engine.StatusFailed),
	}
}

func endRun(t *testing.T, s store.RunStore, n int) {
	t.Helper()
	j, err := s.Create(t.Context(), storetest.RunStart(n))
	require.NoError(t, err)
	for _, f := range runFrames(n) {
		require.NoError(t, j.Append(f))
	}
}
