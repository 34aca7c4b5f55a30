package runlog

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/enginetest/trials"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/store"
	"github.com/svcflow/svc/store/internal/vfs/vfstest"
)

// promise is what was acknowledged of a run, and how much of it was written.
type promise struct {
	created bool
	written int // frames passed to Append
	ended   bool
}

func powerID(n int) string { return fmt.Sprintf("01990000-0000-7000-8000-%012d", n) }

func powerFrames(n int) []run.Frame {
	var c run.Encoder
	var frames []run.Frame
	text := strings.Repeat(string(rune('a'+n)), 5000)
	for seq := 1; seq < 4; seq++ {
		e := engine.Event{
			Name: engine.EventNode, Seq: seq, RunID: powerID(n), NodeID: fmt.Sprint("n", seq), Status: engine.StatusSucceeded,
			Outputs: map[string]any{"text": text, "seq": seq},
		}
		kept, _ := c.Frame(&e)
		frames = append(frames, kept)
	}
	result := &engine.Result{RunID: powerID(n), WorkflowID: "w", Status: engine.StatusCompleted, Outputs: map[string]any{"all": text}}
	e := engine.Event{Name: engine.EventCompleted, Seq: 4, RunID: powerID(n), Result: result}
	kept, _ := c.Frame(&e)
	return append(frames, kept)
}

// TestPowerLoss simulates a power loss after each call of a schedule. In every state that the disk
// may then have, the store has at least what was acknowledged and nothing that was not written, and
// new runs work.
func TestPowerLoss(t *testing.T) {
	for seed := range uint64(trials.Count(t, trials.Kills, 2)) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 1)) // only for the disk, which runs concurrently
			states := 0
			promises := map[int]*promise{}
			d := vfstest.NewPower()
			home, found := t.TempDir(), t.TempDir()
			s, err := openRuns(home, Options{segment: 24 << 10}, d)
			require.NoError(t, err)
			d.After = func() {
				for state := range 6 {
					choose := random.IntN
					if state < 2 {
						choose = func(n int) int { return state * (n - 1) } // nothing, or everything, of what was not synced
					}
					d.Outage(t, found, choose)
					checkOutage(t, found, promises)
					states++
				}
			}
			schedule(t, s, d, rand.New(rand.NewPCG(seed, 2)), promises)
			d.Still(func() { d.After = nil })
			require.NoError(t, s.Close())
			require.Greater(t, states, 200)
		})
	}
}

// schedule runs up to three runs at a time, in random order, and records some that have already
// ended. It updates promises while the disk is paused.
func schedule(t *testing.T, s *Store, d *vfstest.Power, random *rand.Rand, promises map[int]*promise) {
	t.Helper()
	open := map[int]store.Journal{}
	next := 0
	for range 45 {
		switch n := random.IntN(8); {
		case n == 0:
			result := &engine.Result{RunID: powerID(next), WorkflowID: "w", Status: engine.StatusCompleted, Outputs: map[string]any{"all": "x"}}
			kept := run.Start{RunID: powerID(next), Definition: &workflow.Definition{ID: "w", Name: fmt.Sprint(1)}, Inputs: map[string]any{"a": "b c"}}
			require.Empty(t, s.Keep(t.Context(), []run.Kept{{Start: kept, Outcome: powerOutcome{result}}})) // no promise: Keep does not wait for the disk
			next++
		case n < 3 && len(open) < 3:
			p := &promise{}
			d.Still(func() { promises[next] = p })
			j, err := s.Create(t.Context(), run.Start{RunID: powerID(next), Definition: &workflow.Definition{ID: "w", Name: fmt.Sprint(1 + next%2)}, Inputs: map[string]any{"a": "b c"}})
			require.NoError(t, err)
			d.Still(func() { p.created = true })
			open[next] = j
			next++
		default:
			for _, n := range slices.Sorted(maps.Keys(open)) {
				if random.IntN(2) == 0 {
					continue
				}
				p := promises[n]
				f := powerFrames(n)[p.written]
				d.Still(func() { p.written++ })
				require.NoError(t, open[n].Append(f))
				if f.Name.Terminal() {
					d.Still(func() { p.ended = true })
					delete(open, n)
				}
			}
		}
	}
}

// powerOutcome is the outcome of a recorded run.
type powerOutcome struct{ result *engine.Result }

func (o powerOutcome) ID() string             { return o.result.RunID }
func (o powerOutcome) Status() engine.Status  { return o.result.Status }
func (o powerOutcome) FinishedAt() time.Time  { return o.result.FinishedAt }
func (o powerOutcome) Ended() int             { return 0 }
func (o powerOutcome) Err() *engine.Failure   { return nil }
func (o powerOutcome) Result() *engine.Result { return o.result }
func (o powerOutcome) AppendBrief(dst []byte, most int) ([]byte, bool) {
	return o.result.AppendBrief(dst, most)
}

func openLogged(t testing.TB, dir string, log io.Writer) *Store {
	t.Helper()
	s, err := openRuns(dir, Options{segment: 24 << 10, Log: slog.New(slog.NewTextHandler(log, nil))}, vfstest.Hasty{})
	require.NoError(t, err)
	return s
}

func checkOutage(t *testing.T, dir string, promises map[int]*promise) {
	t.Helper()
	defer vfstest.ClearDir(t, dir)
	var log strings.Builder
	s := openLogged(t, dir, &log)
	var together []store.Last
	for n, p := range promises {
		id := powerID(n)
		record, err := s.Record(t.Context(), id)
		if errors.Is(err, store.ErrRunNotFound) && !p.created {
			continue
		}
		require.NoError(t, err, "run %d %+v\n%s", n, *p, log.String())
		start, err := s.Start(t.Context(), id)
		require.NoError(t, err)
		require.Equal(t, map[string]any{"a": "b c"}, start.Inputs)
		frames, err := s.Frames(t.Context(), id, 0, 1<<20)
		require.NoError(t, err)
		require.LessOrEqual(t, len(frames), p.written)
		if p.ended {
			require.Len(t, frames, 4, "run %d", n)
		}
		for i, want := range powerFrames(n)[:len(frames)] {
			require.Equal(t, want.Data, frames[i].Data)
			for _, h := range frames[i].Holes {
				if h.Frame == 0 {
					text, err := s.Value(t.Context(), id, h.Digest)
					require.NoError(t, err)
					require.Len(t, text, h.Size)
				}
			}
		}
		require.Equal(t, len(frames) == 4, record.Status != engine.StatusRunning)
		if record.Status == engine.StatusRunning && n%2 == 0 {
			result := &engine.Result{RunID: id, WorkflowID: "w", Status: engine.StatusFailed}
			e := engine.Event{Name: engine.EventFailed, Seq: len(frames) + 1, RunID: id, Result: result}
			f := run.NewFrame(&e, e.AppendJSON(nil, engine.NoElision))
			if n%4 == 0 {
				together = append(together, store.Last{RunID: id, Frame: f})
				continue
			}
			j, err := s.Reopen(t.Context(), id)
			require.NoError(t, err)
			require.NoError(t, j.Append(f))
		}
	}
	require.Nil(t, s.Finish(t.Context(), together))
	require.NotContains(t, log.String(), "damaged")
	before, err := s.Records(t.Context(), run.Query{})
	require.NoError(t, err)
	require.NoError(t, s.Close())
	s = openLogged(t, dir, &log)
	after, err := s.Records(t.Context(), run.Query{})
	require.NoError(t, err)
	require.Equal(t, before, after)
	require.NotContains(t, log.String(), "damaged")
	require.NoError(t, s.Close())
}
