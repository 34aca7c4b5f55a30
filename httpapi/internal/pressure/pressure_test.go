package pressure

import (
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
)

// gauge is memory that a test says how much of there is.
type gauge struct {
	live, total, garbage uint64
	freed, collected     int
}

func (g *gauge) watched(most uint64) *Monitor {
	return &Monitor{
		most: most, local: &engine.Local{},
		read: func() (live, total uint64) { return g.live, g.total },
		collect: func() {
			g.collected++
			g.live -= g.garbage
			g.garbage = 0
		},
		free: func() {
			g.freed++
			g.live -= g.garbage
			g.garbage, g.total = 0, g.live
		},
	}
}

// TestPressureLetsRunsIn fills the memory step by step. What was garbage does not count.
func TestPressureLetsRunsIn(t *testing.T) {
	for _, c := range []struct {
		name               string
		live, garbage      uint64
		crowded, smallOnes bool
		freed              int
	}{
		{name: "there is room", live: 12},
		{name: "most of it is garbage", live: 96, garbage: 60, freed: 1},
		{name: "what brings little has a reserve", live: 85, crowded: true, freed: 1},
		{name: "the reserve is in use, too", live: 93, crowded: true, smallOnes: true, freed: 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := &gauge{live: c.live, total: c.live, garbage: c.garbage}
			p := g.watched(100)
			p.look(time.Now())
			require.Equal(t, c.crowded, p.High(false))
			require.Equal(t, c.smallOnes, p.High(true))
			require.Equal(t, c.freed, g.freed)
		})
	}
}

// TestPressureGivesMemoryBack sees that what is not in use is given back, the more seldom the
// less comes of it, and soon all the same when more is to be had.
func TestPressureGivesMemoryBack(t *testing.T) {
	g := &gauge{live: 10, total: 40}
	p := g.watched(100)
	now := time.Now()
	p.look(now)
	require.Equal(t, 1, g.freed)
	require.EqualValues(t, 10, g.total)
	p.look(now.Add(time.Minute))
	require.Equal(t, 1, g.freed, "there is nothing to give back")

	g.live, g.total = 30, 30 // which is in use, though no run has it
	for range 60 * int(time.Minute/lookEvery) {
		now = now.Add(lookEvery)
		p.look(now)
	}
	require.LessOrEqual(t, g.freed, 1+int(time.Hour/freeSeldom)+3)
	g.live, g.total = 10, 60 // it has ended
	before := g.freed
	for range int(freeSeldom/lookEvery) + 1 {
		now = now.Add(lookEvery)
		p.look(now)
	}
	require.Greater(t, g.freed, before)
	require.EqualValues(t, 10, g.total)
}

// TestPressureWaitsForRest sees that garbage is collected while somebody computes, but that
// nothing is given back, which he would need again, unless that goes on and on.
func TestPressureWaitsForRest(t *testing.T) {
	const full = 60
	g := &gauge{live: 10, total: full}
	p := g.watched(100)
	now := time.Now()
	looks := func(d time.Duration) {
		for end := now.Add(d); now.Before(end); now = now.Add(lookEvery) {
			p.look(now)
		}
	}
	busy := p.local.Processors.Slot()
	require.True(t, busy.TryAcquire())
	looks(freeBusy)
	require.Zero(t, g.freed)
	require.GreaterOrEqual(t, g.collected, int(freeBusy/(freeEvery+lookEvery)))
	looks(freeEvery + lookEvery)
	require.Equal(t, 1, g.freed, "it has computed for long")

	g.total = full
	looks(freeSeldom)
	require.Equal(t, 1, g.freed)
	busy.Release()
	looks(freeRest - lookEvery)
	require.Equal(t, 1, g.freed, "it may go on")
	looks(freeEvery)
	require.Equal(t, 2, g.freed, "soon after")
}

// TestPressureEnds proves that Close ends the goroutine.
func TestPressureEnds(t *testing.T) {
	runtime.GC() // what is alive is known since then
	synctest.Test(t, func(t *testing.T) {
		p := Watch(1<<40, &engine.Local{})
		defer p.Close()
		time.Sleep(10 * lookEvery) //nolint:forbidigo // of the bubble
		require.Positive(t, p.live.Load())
		(*Monitor)(nil).Close()
	})
}
