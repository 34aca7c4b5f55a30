package drive

import (
	"bytes"
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/enginetest"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/run"
)

// deep has a chain, loops in loops, a node that fails and is handled, what that skips, and one
// that is tried again.
func deep() *enginetest.Flow {
	inner := enginetest.NewFlow("").Node("in", "test.input", "name", "item").Node("deep", "test.async").Node("out", "test.output", "name", "got").
		Wire("in.value", "deep.value").Wire("deep.value", "out.value")
	body := enginetest.NewFlow("").Node("in", "test.input", "name", "item").
		Node("again", "test.foreach", "list", []any{"x", 2.5}).Body(inner).Node("out", "test.output", "name", "got").
		Wire("in.value", "again.$after").Wire("again.got", "out.value")
	return enginetest.NewFlow("deep").Node("a", "test.async", "value", 1).Node("b", "test.pass").Wire("a.value", "b.value").
		Node("loop", "test.foreach", "list", []any{1, 2, 3}).Body(body).Wire("b.$done", "loop.$after").
		Node("bad", "test.fail").Retry(2).Wire("b.$done", "bad.$after").
		Node("handler", "test.async").Wire("bad.$error", "handler.value").
		Node("never", "test.async").Wire("bad.value", "never.value").
		Node("out", "test.output", "name", "list").Wire("loop.got", "out.value")
}

// tale is what a run tells that nothing may change.
func tale(t *testing.T, m *memory) map[string]string {
	t.Helper()
	all := map[string]string{}
	for i := range m.frames {
		f := &m.frames[i]
		require.Equal(t, i+1, f.Seq, "numbers are dense")
		from := NewSource(t.Context(), m, m.start.RunID)
		var values Values
		e, err := f.Opened(from, func(h *run.Reference) (any, error) { return values.Get(from, h) })
		require.NoError(t, err)
		switch {
		case e.Name == engine.EventNode:
			require.NotContains(t, all, e.NodeID, "each node ends once")
			all[e.NodeID] = fmt.Sprint(e.Status, e.Outputs, e.Error, e.Handled, e.Attempts)
		case e.Name.Terminal():
			all[""] = fmt.Sprint(e.Name, e.Result.Status, e.Result.Outputs, e.Error)
			for id, n := range e.Result.Nodes {
				require.Equal(t, all[id], fmt.Sprint(n.Status, n.Outputs, n.Error, n.Handled, n.Attempts), id)
			}
		}
	}
	return all
}

// calls counts the calls of a run, by path and attempt, that others could notice.
type calls struct {
	mu     sync.Mutex
	counts map[string]int
}

func (c *calls) call(ctx context.Context, made *engine.Call) error {
	if !made.Container() && !made.Computes() {
		c.mu.Lock()
		c.counts[fmt.Sprint(made.Path(), " ", made.Number())]++
		c.mu.Unlock()
	}
	return made.Here(ctx)
}

// A driver dies behind every frame there is, one after the other: what is recorded stays as it
// is, and what comes is as if nothing had happened.
func TestADriverDiesAnywhere(t *testing.T) {
	for _, c := range []time.Duration{0, inCompany} {
		synctest.Test(t, func(t *testing.T) {
			d, plan := alone(t, deep())
			require.NoError(t, driveOn(t.Context(), t, envOf(&engine.Local{}), d, &Run{BatchDelay: c}, plan))
			want, frames := tale(t, d.memory), len(d.frames)
			require.Greater(t, frames, 40)
			for k := 1; k < frames; k++ {
				d, plan := alone(t, deep())
				seen := &calls{counts: map[string]int{}}
				d.left = k
				env := envOf(&engine.Local{})
				require.ErrorIs(t, driveOn(t.Context(), t, env, d, &Run{BatchDelay: c, Call: seen.call}, plan), engine.ErrHandedOff, "frame %d", k)
				under := underWay(d.memory)
				next := &driver{memory: d.memory, left: -1}
				require.NoError(t, driveOn(t.Context(), t, env, next, &Run{BatchDelay: c, Call: seen.call}, plan))
				require.Equal(t, want, tale(t, d.memory), "frame %d", k)
				for call, n := range seen.counts {
					var path string
					var number int
					_, _ = fmt.Sscan(call, &path, &number)
					if !under[path] {
						require.Equal(t, 1, n, "frame %d: %s", k, call)
					}
					require.LessOrEqual(t, n, 2, "frame %d: %s", k, call)
				}
			}
		})
	}
}

// underWay returns the nodes that have no recorded end.
func underWay(m *memory) map[string]bool {
	under := map[string]bool{}
	for i := range m.frames {
		if f := &m.frames[i]; f.Name == engine.EventStarted && f.Node != "" {
			under[f.Node] = true
		} else if f.Name == engine.EventNode {
			delete(under, f.Node)
		}
	}
	return under
}

// Whoever was given up for dead writes nothing more, and its nodes end.
func TestADriverThatIsFencedLeaves(t *testing.T) {
	for _, c := range []time.Duration{0, inCompany} {
		synctest.Test(t, func(t *testing.T) {
			f := enginetest.NewFlow("w").Node("a", "test.async", "value", 1).Node("long", "test.wait").Wire("a.value", "long.$after")
			d, plan := alone(t, f)
			ended := make(chan error, 1)
			go func() { ended <- driveOn(t.Context(), t, envOf(&engine.Local{}), d, &Run{BatchDelay: c}, plan) }()
			synctest.Wait()
			frames := d.length()
			d.dead.Store(true) // another one has taken the run
			d.cancel(engine.ErrHandedOff)
			require.ErrorIs(t, <-ended, engine.ErrHandedOff)
			require.Len(t, d.frames, frames)
		})
	}
}

// Clocks of drivers differ: no frame is earlier than those before it.
func TestTimeGoesOnFromTheLastDriver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, plan := alone(t, deep())
		d.left = 20
		env := envOf(&engine.Local{})
		require.ErrorIs(t, driveOn(t.Context(), t, env, d, &Run{}, plan), engine.ErrHandedOff)
		for i := range d.frames[1:] { // by a clock that is ahead of that of whoever began the run
			f := &d.frames[i+1]
			f.Time = f.Time.Add(time.Hour)
			f.Data = bytes.ReplaceAll(f.Data, []byte("2000-01-01T00:"), []byte("2000-01-01T01:"))
		}
		ahead := d.frames[len(d.frames)-1].Time
		r := &Run{}
		require.NoError(t, driveOn(t.Context(), t, env, &driver{memory: d.memory, left: -1}, r, plan))
		require.Nil(t, r.UnwrittenEnd())
		require.False(t, r.Result().FinishedAt.Before(ahead))
		require.Equal(t, r.Result().FinishedAt, d.frames[len(d.frames)-1].Time)
	})
}

// A node that must not be called twice is not called again, although its outcome is unknown.
func TestOnceNodesAreNotCalledAgain(t *testing.T) {
	for _, c := range []time.Duration{0, inCompany} {
		synctest.Test(t, func(t *testing.T) {
			times := 0
			registry, err := node.NewRegistry(enginetest.NewKit(), node.Bundle{Nodes: []node.Node{
				node.Func("test.send", "Send", func(ctx context.Context, _ struct{}) (struct{}, error) {
					times++
					<-ctx.Done()
					return struct{}{}, ctx.Err()
				}).Once(),
			}})
			require.NoError(t, err)
			f := enginetest.NewFlow("w").Node("a", "test.pass", "value", 1).Node("send", "test.send").Wire("a.value", "send.$after")
			plan, err := engine.Compile(t.Context(), f.Definition(), engine.Env{Registry: registry})
			require.NoError(t, err)
			m := &memory{start: run.Start{RunID: "run", Definition: f.Definition()}}
			d := &driver{memory: m, left: -1}
			left := make(chan error, 1)
			go func() { left <- driveOn(t.Context(), t, envOf(&engine.Local{}), d, &Run{BatchDelay: c}, plan) }()
			synctest.Wait()
			d.cancel(engine.ErrHandedOff)
			require.ErrorIs(t, <-left, engine.ErrHandedOff)
			r := &Run{BatchDelay: c}
			require.NoError(t, driveOn(t.Context(), t, envOf(&engine.Local{}), &driver{memory: m, left: -1}, r, plan))
			require.Equal(t, node.CodeOutcomeUnknown, r.Result().Nodes["send"].Error.Code)
			require.Equal(t, 1, times)
		})
	}
}

// A float stays one, however it prints.
func TestFloatsStayFloats(t *testing.T) {
	f := enginetest.NewFlow("w").Node("a", "test.async", "value", 2.0).Node("b", "test.async").Wire("a.value", "b.value")
	d, plan := alone(t, f)
	d.left = 3
	require.ErrorIs(t, driveOn(t.Context(), t, envOf(&engine.Local{}), d, &Run{Exact: true}, plan), engine.ErrHandedOff)
	r := &Run{Exact: true}
	require.NoError(t, driveOn(t.Context(), t, envOf(&engine.Local{}), &driver{memory: d.memory, left: -1}, r, plan))
	require.Equal(t, map[string]any{"value": 2.0}, r.Result().Nodes["b"].Outputs)
}
