package enginetest

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/node"
)

// cancelAfter runs f and cancels the run after d.
func (s suite) cancelAfter(t *testing.T, f *Flow, d time.Duration) (p *Play, took time.Duration) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	time.AfterFunc(d, cancel)
	began := time.Now()
	p = PlayPlan(ctx, t, s.open(), NewKit().Compile(t, f), engine.Options{})
	return p, time.Since(began) - d
}

func (s suite) cancelling(t *testing.T) {
	timed(t, "reaches running nodes, and nodes not yet started do not start", func(t *testing.T) {
		p, took := s.cancelAfter(t, NewFlow("w").Node("done", "test.pass", "value", 1).Node("a", "test.wait").Node("b", "test.pass").
			Wire("done.value", "a.value").Wire("a.value", "b.value"), time.Second)
		require.Equal(t, map[string]string{"done": "succeeded", "a": "cancelled", "b": "cancelled"}, p.States())
		require.Equal(t, engine.StatusCancelled, p.Status)
		require.Equal(t, 1, p.Nodes["a"].Attempts)
		require.Equal(t, 0, p.Nodes["b"].Attempts)
		require.Equal(t, "cancelled", p.Error.Code)
		require.Zero(t, took)
	})
	timed(t, "does not emit an error, even when one is wired", func(t *testing.T) {
		p, _ := s.cancelAfter(t, NewFlow("w").Node("a", "test.wait").Node("h", "test.pass").Wire("a.$error", "h.value"), time.Second)
		require.Equal(t, map[string]string{"a": "cancelled", "h": "cancelled"}, p.States())
	})
	timed(t, "ends a pause between attempts", func(t *testing.T) {
		f := NewFlow("w").Node("a", "test.fail").Retry(100).Node("b", "test.fail").Retry(100)
		for i := range f.def.Nodes {
			f.def.Nodes[i].Retry.InitialMs = 20 * 60 * 60 * 1000
		}
		p, took := s.cancelAfter(t, f, time.Millisecond)
		require.Equal(t, map[string]string{"a": "cancelled", "b": "cancelled"}, p.States())
		require.Zero(t, took)
	})
	timed(t, "by the host fails the run, with the code of the cause", func(t *testing.T) {
		ctx, stop := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Second, func() { stop(fmt.Errorf("host: %w", node.Errorf(node.CodeInterrupted, "the service stops"))) })
		plan := NewKit().Compile(t, NewFlow("w").Node("a", "test.wait").Node("b", "test.pass").Wire("a.value", "b.value"))
		p := PlayPlan(ctx, t, s.open(), plan, engine.Options{})
		require.Equal(t, map[string]string{"a": "cancelled", "b": "cancelled"}, p.States())
		require.Equal(t, engine.StatusFailed, p.Status)
		require.Equal(t, &engine.Failure{Code: "interrupted", Message: "the service stops"}, p.Error)
	})
	timed(t, "before the first node", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		kit := NewKit()
		p := PlayPlan(ctx, t, s.open(), kit.Compile(t, NewFlow("w").Node("a", "test.pass", "value", 1)), engine.Options{})
		require.Equal(t, map[string]string{"a": "cancelled"}, p.States())
		require.Zero(t, kit.Calls())
	})
	timed(t, "too late changes nothing", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		plan := NewKit().Compile(t, NewFlow("w").Node("a", "test.pass", "value", 1).Node("b", "test.async").Wire("a.value", "b.value"))
		p := PlayPlan(ctx, t, s.open(), plan, engine.Options{Observe: func(e engine.Event) {
			if e.NodeID == "b" && e.Name == engine.EventNode {
				cancel()
			}
		}})
		require.Equal(t, engine.StatusCompleted, p.Status)
	})
	timed(t, "a node that ends all the same has succeeded", func(t *testing.T) {
		s.undisturbed(t)
		p, _ := s.cancelAfter(t, NewFlow("w").Node("a", "test.deaf", "ms", 1500).Node("b", "test.pass").Wire("a.value", "b.value"), time.Second)
		require.Equal(t, map[string]string{"a": "succeeded", "b": "cancelled"}, p.States())
	})
	timed(t, "takes less than a second, whatever a node does", func(t *testing.T) {
		p, took := s.cancelAfter(t, NewFlow("w").Node("a", "test.deaf", "ms", 60_000), time.Second)
		require.Equal(t, map[string]string{"a": "cancelled"}, p.States())
		require.Less(t, took, time.Second)
	})
	timed(t, "reaches three loops deep", func(t *testing.T) {
		p, took := s.cancelAfter(t, nested(3, NewFlow("").Node("a", "test.wait")), time.Second)
		require.Equal(t, map[string]string{"loop": "cancelled"}, p.States())
		require.Zero(t, took)
		require.Equal(t, engine.StatusCancelled, p.seen(engine.EventNode, "loop/0/loop/1/loop/1/a")[0].Status)
	})
	timed(t, "takes less than a second, three loops deep, whatever a node does", func(t *testing.T) {
		p, took := s.cancelAfter(t, nested(3, NewFlow("").Node("a", "test.deaf", "ms", 60_000)), time.Second)
		require.Equal(t, map[string]string{"loop": "cancelled"}, p.States())
		require.Less(t, took, time.Second)
	})
}

// nested puts f into nested loops over two items each.
func nested(depth int, f *Flow) *Flow {
	for range depth {
		f = NewFlow("w").Node("loop", "test.foreach", "list", []any{1, 2}).Body(f)
	}
	return f
}
