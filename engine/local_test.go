package engine_test

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/enginetest"
)

func TestLocal(t *testing.T) {
	enginetest.Runner(t, func() engine.Runner { return &engine.Local{} })
}

// timed runs f in a synctest bubble.
func timed(t *testing.T, name string, f func(t *testing.T)) {
	t.Run(name, func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			defer func() { <-time.After(time.Hour) }() // until abandoned calls have ended, also after a failure
			f(t)
		})
	})
}

func TestInline(t *testing.T) {
	started := func(p *enginetest.Play, id string) bool {
		for _, e := range p.Events {
			if e.Name == engine.EventStarted && e.NodeID == id {
				return true
			}
		}
		return false
	}
	list := make([]any, 1025)
	tests := []struct {
		name      string
		flow      *enginetest.Flow
		goroutine bool
	}{
		{"inline", enginetest.NewFlow("w").Node("a", "test.pass", "value", 1), false},
		{"inline with a timeout", enginetest.NewFlow("w").Node("a", "test.pass", "value", 1).Timeout(1000), true},
		{"inline with a retry", enginetest.NewFlow("w").Node("a", "test.pass", "value", 1).Retry(2), true},
		{"a text of 64 KiB", enginetest.NewFlow("w").Node("a", "test.pass", "value", strings.Repeat("x", 64<<10)), false},
		{"a longer text", enginetest.NewFlow("w").Node("a", "test.pass", "value", strings.Repeat("x", 64<<10+1)), true},
		{"a list of 1,024", enginetest.NewFlow("w").Node("a", "test.pass", "value", list[:1024]), false},
		{"a longer list", enginetest.NewFlow("w").Node("a", "test.pass", "value", list), true},
		{"not inline", enginetest.NewFlow("w").Node("a", "test.async", "value", 1), true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := enginetest.PlayFlow(t, &engine.Local{}, enginetest.NewKit(), tt.flow, nil)
			require.Equal(t, tt.goroutine, started(p, "a"))
			require.Equal(t, tt.flow.Definition().Nodes[0].Config, p.Nodes["a"].Outputs)
		})
	}
}

// waits returns n nodes that each take 50 ms.
func waits(n int) *enginetest.Flow {
	f := enginetest.NewFlow("w")
	for i := range n {
		f.Node("n"+string(rune('A'+i)), "test.wait", "ms", 50)
	}
	return f
}

func TestBlocking(t *testing.T) {
	tests := []struct {
		name  string
		limit int
		flow  *enginetest.Flow
		took  time.Duration
	}{
		{"nodes run at once", 0, waits(20), 50 * time.Millisecond},
		{"up to the limit", 5, waits(20), 200 * time.Millisecond},
		{"one at a time", 1, waits(3), 150 * time.Millisecond},
		{"nodes in bodies share the limit", 3, loop(6, waits(2)), 200 * time.Millisecond},
		{"containers do not count", 1, loop(2, loop(2, waits(1))), 200 * time.Millisecond},
	}
	for _, tt := range tests {
		timed(t, tt.name, func(t *testing.T) {
			p := enginetest.PlayFlow(t, &engine.Local{Blocking: tt.limit}, enginetest.NewKit(), tt.flow, nil)
			require.Equal(t, engine.StatusCompleted, p.Status)
			require.Equal(t, tt.took, p.Duration)
		})
	}
	timed(t, "256 by default", func(t *testing.T) {
		p := enginetest.PlayFlow(t, &engine.Local{}, enginetest.NewKit(), loop(257, waits(1)), nil)
		require.Equal(t, 100*time.Millisecond, p.Duration)
	})
	timed(t, "what waits for its turn when the run is cancelled has never started", func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
		defer cancel()
		p := enginetest.PlayPlan(ctx, t, &engine.Local{Blocking: 1}, enginetest.NewKit().Compile(t, waits(3)), engine.Options{})
		require.Len(t, p.Order, 1)
		require.Equal(t, 10*time.Millisecond, p.Duration)
	})
	timed(t, "the place of a node that is abandoned is free", func(t *testing.T) {
		f := enginetest.NewFlow("w").Node("a", "test.deaf", "ms", 5000).Timeout(50).Node("b", "test.async", "value", 1)
		local := &engine.Local{Blocking: 1}
		p := enginetest.PlayFlow(t, local, enginetest.NewKit(), f, nil)
		require.Equal(t, map[string]string{"a": "failed timeout", "b": "succeeded"}, p.States())
		require.Less(t, p.Duration, time.Second)
		require.Equal(t, 1, local.Abandoned())
		<-time.After(10 * time.Second)
		require.Zero(t, local.Abandoned(), "it has ended by now")
	})
}

// TestAbandonedInside ignores a cancellation inside loops: the loops see their bodies end
// and are not abandoned.
func TestAbandonedInside(t *testing.T) {
	timed(t, "two of two in two loops", func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		f := loop(2, loop(2, enginetest.NewFlow("").Node("a", "test.deaf", "ms", 60_000)))
		local := &engine.Local{}
		p := enginetest.PlayPlan(ctx, t, local, enginetest.NewKit().Compile(t, f), engine.Options{})
		require.Equal(t, 4, local.Abandoned())
		for _, e := range p.Events {
			if strings.Contains(e.Message, "abandoned") {
				require.True(t, strings.HasSuffix(e.NodeID, "/a"), e.NodeID)
			}
		}
		<-time.After(time.Hour)
		require.Zero(t, local.Abandoned())
	})
}

func loop(n int, body *enginetest.Flow) *enginetest.Flow {
	return enginetest.NewFlow("w").Node("loop", "test.foreach", "list", make([]any, n)).Body(body)
}

// TestManyRuns runs one plan very often in parallel. The race detector checks for races,
// and the synctest bubble ends only if no goroutine is left.
func TestManyRuns(t *testing.T) {
	body := enginetest.NewFlow("").Node("item", "test.input", "name", "item").Node("p", "test.async").Node("out", "test.output", "name", "y").
		Wire("item.value", "p.value").Wire("p.value", "out.value")
	f := enginetest.NewFlow("w").Node("in", "test.input", "name", "x", "type", "int").
		Node("a", "test.async").Node("b", "test.pass").Node("list", "test.list").Node("loop", "test.foreach").Body(body).
		Node("out", "test.output", "name", "y").Wire("in.value", "a.value").Wire("in.value", "b.value").
		Wire("a.value", "list.items").Wire("b.value", "list.items").Wire("list.items", "loop.list").Wire("loop.y", "out.value")
	synctest.Test(t, func(t *testing.T) {
		plan, local := enginetest.NewKit().Compile(t, f), &engine.Local{}
		var wg sync.WaitGroup
		for i := range 1000 {
			wg.Go(func() {
				run, err := local.Run(t.Context(), plan, engine.Options{Inputs: map[string]any{"x": i}})
				if assert.NoError(t, err) {
					assert.Equal(t, map[string]any{"y": []any{i, i}}, run.Outputs())
				}
			})
		}
		wg.Wait()
		require.Zero(t, local.Abandoned())
	})
}

func TestRunIsImmutable(t *testing.T) {
	f := enginetest.NewFlow("w").Node("a", "test.pass", "value", "x").Node("o", "test.output", "name", "y").Wire("a.value", "o.value")
	p := enginetest.PlayFlow(t, &engine.Local{}, enginetest.NewKit(), f, nil)
	require.Equal(t, "run-1", p.Run.ID())
	clear(p.Run.Outputs())
	clear(p.Run.Result().Nodes)
	require.Equal(t, p.Result, p.Run.Result())
}

// TestLog checks that panics are logged for plugin authors, with the stack and without
// secrets.
func TestLog(t *testing.T) {
	var log bytes.Buffer
	runner := &engine.Local{Log: slog.New(slog.NewTextHandler(&log, nil))}
	enginetest.PlayFlow(t, runner, enginetest.NewKit(), enginetest.NewFlow("w").Node("bad", "test.panic"), nil)
	require.Contains(t, log.String(), "the node panicked")
	require.Contains(t, log.String(), "node=bad")
	require.Contains(t, log.String(), "enginetest/fail.go")
}

func TestEnded(t *testing.T) {
	var mu sync.Mutex
	ended := map[string]int{}
	local := &engine.Local{Ended: func(typ string, s engine.Status, took time.Duration) {
		mu.Lock()
		defer mu.Unlock()
		assert.GreaterOrEqual(t, took, time.Duration(0))
		ended[typ+" "+s.String()]++
	}}
	flow := loop(3, enginetest.NewFlow("").Node("inline", "test.pass", "value", 1).Node("own", "test.async", "value", 1))
	enginetest.PlayFlow(t, local, enginetest.NewKit(), flow, nil)
	require.Equal(t, 3, ended["test.async succeeded"], "%v", ended)
	require.Len(t, ended, 2, "the container and what is in it, but nothing inline: %v", ended)
}
