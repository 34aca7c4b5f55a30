package storetest

import (
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/store"
)

// testCut closes connections during calls. The outcome is unknown, but repeating the same call has
// the effect exactly once.
func testCut(t *testing.T, s SharedStore) {
	if s.Cut == nil {
		t.Skip("it has no connections")
	}
	h := s.Open()
	begin(t, h, 1)
	j := take(t, h, 1, "d")
	unavailable, frames := 0, 0
	for range 60 {
		var wg sync.WaitGroup
		wg.Go(s.Cut)
		both := []run.Frame{Frame(frames+1, "one"), Frame(frames+2, strings.Repeat("x", 1000))}
		unavailable += insist(t, j, both...)
		wg.Wait()
		frames += 2
	}
	require.Positive(t, unavailable)
	insist(t, j, LastFrame(1, frames+1, engine.StatusCompleted))
	require.Len(t, sharedFrames(t, h, 1), frames+1)
}

// insist appends frames until they are stored, and returns the number of unknown outcomes.
func insist(t *testing.T, j store.SharedJournal, frames ...run.Frame) (unavailable int) {
	t.Helper()
	for deadline := time.Now().Add(sharedPatience); ; unavailable++ {
		err := j.Append(t.Context(), frames...)
		if err == nil {
			return unavailable
		}
		require.ErrorIs(t, err, store.ErrUnavailable)
		require.True(t, time.Now().Before(deadline), "it stays away: %v", err)
	}
}

// testSharedDamage checks that a damaged run is reported, affects no other run, and can be deleted.
func testSharedDamage(t *testing.T, s SharedStore) {
	h, n := s.Open(), 0
	begin(t, h, n)
	text := strings.Repeat("large ", 180_000)
	for name, damage := range s.Damage {
		for _, ends := range []bool{true, false} {
			n++
			start := RunStart(n)
			start.Inputs = map[string]any{"text": text}
			require.NoError(t, h.Begin(t.Context(), start, store.SharedLimits{}))
			j := take(t, h, n, "d")
			var c run.Encoder
			for i, e := range valueEvents(n, text+"!") {
				kept, _ := c.Frame(&e)
				if i < 2 || ends {
					write(t, j, kept)
				}
			}
			require.NoError(t, readAll(t, h, n), name)
			damage(RunID(n))
			require.ErrorIs(t, readAll(t, s.Open(), n), store.ErrRunDamaged, name)
			require.NoError(t, readAll(t, h, 0), name)
			require.NotEmpty(t, sharedRecords(t, h, run.Query{}), name)
			if !ends {
				require.NoError(t, h.Renew(t.Context(), "d"))
				require.ErrorIs(t, h.Delete(t.Context(), RunID(n)), store.ErrRunRunning, name)
				require.NoError(t, h.Retire(t.Context(), "d"))
			}
			require.NoError(t, h.Delete(t.Context(), RunID(n)), name)
			require.ErrorIs(t, readAll(t, h, n), store.ErrRunNotFound, name)
		}
	}
}

// readAll reads everything of a run.
func readAll(t *testing.T, s store.SharedRuns, n int) error {
	t.Helper()
	if _, err := s.Record(t.Context(), RunID(n)); err != nil {
		return err
	}
	if _, err := s.Start(t.Context(), RunID(n)); err != nil {
		return err
	}
	for seq := 0; ; {
		frames, err := s.Frames(t.Context(), RunID(n), seq, 1<<30)
		if err != nil || len(frames) == 0 {
			return err
		}
		seq += len(frames)
		for i := range frames {
			for _, h := range frames[i].Holes {
				if h.Frame > 0 {
					continue
				}
				if _, err := s.Value(t.Context(), RunID(n), h.Digest); err != nil {
					return err
				}
			}
		}
	}
}
