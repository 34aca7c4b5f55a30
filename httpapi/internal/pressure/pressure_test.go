package pressure

import (
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
)

// gauge simulates the memory of the process.
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

// TestPressureLetsRunsIn fills the memory step by step. Garbage does not count.
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

// TestPressureGivesMemoryBack checks that unused memory is returned to the system, less often the
// less effect that has, and soon again when more is unused.
func TestPressureGivesMemoryBack(t *testing.T) {
	g := &gauge{live: 10, total: 40}
	p := g.watched(100)
	now := time.Now()
	p.look(now)
	require.Equal(t, 1, g.freed)
	require.EqualValues(t, 10, g.total)
	p.look(now.Add(time.Minute))
	require.Equal(t, 1, g.freed, "there is nothing to give back")

	g.live, g.total = 30, 30 // in use, although no run holds it
	for range 60 * int(time.Minute/lookEvery) {
		now = now.Add(lookEvery)
		p.look(now)
	}
	require.LessOrEqual(t, g.freed, 1+int(time.Hour/freeSeldom)+3)
	g.live, g.total = 10, 60 // no longer in use
	before := g.freed
	for range int(freeSeldom/lookEvery) + 1 {
		now = now.Add(lookEvery)
		p.look(now)
	}
	require.Greater(t, g.freed, before)
	require.EqualValues(t, 10, g.total)
}

// TestPressureWaitsForRest checks that while runs compute, garbage is collected but no memory is
// returned, since they would need it again; after a long time it is returned anyway.
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

// TestPressureEnds checks that Close stops the goroutine.
func TestPressureEnds(t *testing.T) {
	runtime.GC() // live memory is known after the first collection
	synctest.Test(t, func(t *testing.T) {
		p := Watch(1<<40, &engine.Local{})
		defer p.Close()
		time.Sleep(10 * lookEvery) //nolint:forbidigo // fake time
		require.Positive(t, p.live.Load())
		(*Monitor)(nil).Close()
	})
}
