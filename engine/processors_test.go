package engine_test

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/enginetest"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

// atOnce returns how many nodes may compute at the same time.
func atOnce() int { return max(1, runtime.GOMAXPROCS(0)-1) }

// fill takes all CPU slots until the end of the test, and returns them.
func fill(t *testing.T, p *engine.Processors) []*engine.CPUSlot {
	var all []*engine.CPUSlot
	for range atOnce() {
		l := p.Slot()
		require.True(t, l.TryAcquire())
		t.Cleanup(l.Release)
		all = append(all, l)
	}
	require.False(t, p.Slot().TryAcquire())
	return all
}

// TestPlacesOfSoManyProcessors checks that Count overrides GOMAXPROCS.
func TestPlacesOfSoManyProcessors(t *testing.T) {
	p := engine.Processors{Count: 4}
	for range 3 {
		require.True(t, p.Slot().TryAcquire())
	}
	require.False(t, p.Slot().TryAcquire())
}

func TestPlacesAreHandedOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var p engine.Processors
		all := fill(t, &p)
		first := all[0]
		require.NoError(t, first.Acquire(t.Context()), "it has one already")
		require.NoError(t, first.Yield(t.Context()), "nobody waits")
		waits := func() (l *engine.CPUSlot, in chan error) {
			l, in = p.Slot(), make(chan error, 1)
			go func() { in <- l.Acquire(t.Context()) }()
			synctest.Wait()
			return l, in
		}
		second, in := waits()
		require.NoError(t, first.Yield(t.Context()), "it has not had it for long")
		require.Empty(t, in)
		time.Sleep(10 * time.Millisecond) //nolint:forbidigo // of the bubble
		back := make(chan error, 1)
		go func() { back <- first.Yield(t.Context()) }()
		require.NoError(t, <-in)
		synctest.Wait()
		require.Empty(t, back, "it waits for its turn")
		second.Release()
		second.Release() // does nothing
		require.NoError(t, <-back)
		for _, l := range all {
			l.Release()
		}
		fill(t, &p)
	})
}

func TestNobodyWaitsForGood(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var p engine.Processors
		all := fill(t, &p) // held by calls that never yield
		began, in := time.Now(), make(chan time.Duration, 3)
		for range 3 {
			go func() {
				if p.Slot().Acquire(t.Context()) == nil {
					in <- time.Since(began)
				}
			}()
		}
		for i := range 3 {
			took := <-in
			require.GreaterOrEqual(t, took, time.Duration(i+1)*time.Second, "one after the other")
			require.LessOrEqual(t, took, time.Duration(i+2)*time.Second)
		}
		for _, l := range all {
			l.Release()
		}
		require.False(t, p.Slot().TryAcquire(), "those who went on without a place have them now, or had")
	})
}

func TestWhoGoesAwayHasNoPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var p engine.Processors
		all := fill(t, &p)
		ctx, cancel := context.WithCancel(t.Context())
		in := make(chan error, 1)
		go func() { in <- p.Slot().Acquire(ctx) }()
		synctest.Wait()
		cancel()
		require.ErrorIs(t, <-in, context.Canceled)
		require.ErrorIs(t, p.Slot().Acquire(ctx), context.Canceled)
		for _, l := range all {
			l.Release()
		}
		fill(t, &p)
	})
}

// tally computes, and records how many nodes do so at the same time.
type tally struct{ now, most atomic.Int32 }

func (c *tally) Install(r *node.Registrar) {
	out := []node.Port{{Name: "done", Type: value.Bool()}}
	count := func(_ context.Context, _, out []any) error { //nolint:unparam // as calls are
		n := c.now.Add(1)
		for most := c.most.Load(); n > most && !c.most.CompareAndSwap(most, n); most = c.most.Load() {
		}
		<-time.After(100 * time.Microsecond) // short enough that all end within maxSlotWait
		c.now.Add(-1)
		out[0] = true
		return nil
	}
	in := []node.Port{{Name: "item", Type: value.Any(), Optional: true}}
	for _, inline := range []bool{false, true} {
		typ := map[bool]string{false: "counted.pure", true: "counted.inline"}[inline]
		r.Register(node.Node{Spec: node.Spec{Type: typ, Inputs: in, Outputs: out, Pure: true, Inline: inline}, Bind: node.Static(in, out, count)})
	}
	r.Register(node.Node{Spec: node.Spec{Type: "counted.waits", Inputs: in, Outputs: out}, Bind: node.Static(in, out, func(ctx context.Context, in, out []any) error {
		done, err := node.Compute(ctx)
		if err != nil {
			return err
		}
		defer done()
		return count(ctx, in, out)
	})})
}

// TestProcessorsAreSharedByRuns has several runs compute, in nodes and in bodies, and
// checks that one processor stays free. It runs in a bubble, because on a slow machine some
// calls would wait so long that they continue without a slot.
func TestProcessorsAreSharedByRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var c tally
		registry, err := node.NewRegistry(enginetest.NewKit(), &c)
		require.NoError(t, err)
		side := enginetest.NewFlow("side")
		for i := range 8 {
			side.Node(fmt.Sprint("n", i), "counted.pure").Node(fmt.Sprint("w", i), "counted.waits")
		}
		each := enginetest.NewFlow("").Node("in", "test.input", "name", "item").Node("n", "counted.inline").Wire("in.value", "n.item")
		loop := enginetest.NewFlow("loop").Node("each", "test.foreach", "list", make([]any, 500)).Body(each)
		var l engine.Local
		var group sync.WaitGroup
		for _, f := range []*enginetest.Flow{side, loop} {
			plan, err := engine.Compile(t.Context(), f.Definition(), engine.Env{Registry: registry})
			require.NoError(t, err)
			for range 8 {
				group.Go(func() {
					run, err := l.Run(t.Context(), plan, engine.Options{})
					if err != nil || run.Err() != nil {
						t.Error(err, run.Err())
					}
				})
			}
		}
		group.Wait()
		require.LessOrEqual(t, int(c.most.Load()), atOnce())
		require.Positive(t, c.most.Load())
	})
}
