package store_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/store"
	"github.com/svcflow/svc/store/storetest"
)

// Runs that a full disk has stopped can be ended nevertheless, all of them, and
// go on existing after a restart.
func TestRunsEndOnFullDisk(t *testing.T) {
	dir := t.TempDir()
	d := &testDisk{room: -1}
	s := openOn(t, dir, store.Retention{}, d)
	const runs = 10
	var open []store.Journal
	for n := range runs {
		j, err := s.Create(t.Context(), storetest.RunStart(n))
		require.NoError(t, err)
		open = append(open, j)
	}
	d.room = 100 << 10
	kept := make([]int, runs)
	fill := func(n int) {
		for {
			err := open[n].Append(storetest.Frame(kept[n]+1, strings.Repeat("x", 10_000)))
			if err != nil {
				require.ErrorIs(t, err, syscall.ENOSPC)
				return
			}
			kept[n]++
		}
	}
	for n := range runs {
		fill(n)
	}
	d.room = 0
	_, err := s.Create(t.Context(), storetest.RunStart(runs))
	require.ErrorIs(t, err, syscall.ENOSPC)
	for n := range runs {
		require.NoError(t, open[n].Append(storetest.LastFrame(n, kept[n]+1, engine.StatusFailed)))
		if n < runs-1 {
			fill(n + 1) // does not let the others be
		}
	}
	s = reopenCrashed(t, s, dir)
	for n := range runs {
		got := frames(t, s, n)
		require.Len(t, got, kept[n]+1)
		require.Equal(t, storetest.LastFrame(n, kept[n]+1, engine.StatusFailed), got[kept[n]])
	}
}

// The disk has room again: everything works, and what was given away comes back a
// minute later.
func TestFullDiskRecovers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		d := &testDisk{room: -1}
		s := openOn(t, dir, store.Retention{}, d)
		endRun(t, s, 1)
		j, err := s.Create(t.Context(), storetest.RunStart(2))
		require.NoError(t, err)
		ballast := filepath.Join(dir, ".ballast")
		size := func() int64 {
			info, err := os.Stat(ballast)
			require.NoError(t, err)
			return info.Size()
		}
		whole := size()
		d.room = 0
		require.ErrorIs(t, j.Append(storetest.Frame(1, "one")), syscall.ENOSPC)
		require.NoError(t, j.Append(storetest.LastFrame(2, 1, engine.StatusFailed)))
		require.Less(t, size(), whole)
		_, err = s.Create(t.Context(), storetest.RunStart(3))
		require.NoError(t, err, "out of what is left of the ballast")
		d.heal()
		endRun(t, s, 4)
		require.Less(t, size(), whole, "each attempt takes all the room for a moment")
		<-time.After(time.Minute)
		endRun(t, s, 5)
		require.Equal(t, whole, size())
		require.Len(t, frames(t, s, 1), 3)
		require.NoError(t, s.Close())
	})
}
