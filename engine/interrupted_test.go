package engine_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/enginetest"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/workflow"
)

// TestInterruptedRunnersAreRunners runs the conformance suite with runs whose process dies
// at different moments.
func TestInterruptedRunnersAreRunners(t *testing.T) {
	var seed atomic.Uint64
	for range 7 {
		enginetest.Runner(t, func() engine.Runner { return enginetest.Interrupted(seed.Add(1)) })
	}
	require.Greater(t, seed.Load(), uint64(1000))
}

// TestInterruptedIsUndisturbed compares random workflows whose process dies or hands off
// the run, and which are parked, with undisturbed runs.
func TestInterruptedIsUndisturbed(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for seed := range uint64(1000) {
		data := make([]byte, random.IntN(200))
		for i := range data {
			data[i] = byte(random.Uint32())
		}
		checkInterrupted(t, seed, data)
	}
}

func FuzzInterrupted(f *testing.F) {
	f.Add(uint64(1), []byte{5, 0, 0, 0, 1, 0, 0})
	f.Add(uint64(7), []byte{9, 4, 0, 0, 5, 0, 3, 0, 1, 0x20, 13, 1, 2, 0, 0, 8, 0x3f, 1, 1, 2, 2, 3, 3})
	f.Fuzz(checkInterrupted)
}

func checkInterrupted(t *testing.T, seed uint64, data []byte) {
	synctest.Test(t, func(t *testing.T) {
		registry, err := node.NewRegistry(sketchNodes{}, enginetest.NewKit())
		require.NoError(t, err)
		plan, err := engine.Compile(t.Context(), deepSketch(data).Definition(), engine.Env{Registry: registry})
		require.NoError(t, err)
		want := enginetest.PlayPlan(t.Context(), t, &engine.Local{}, plan, engine.Options{})
		w := &watch{t: t}
		runner := enginetest.Interrupted(seed)
		if w.once = seed%3 == 0; w.once {
			runner = enginetest.HandedOver(seed)
		}
		got := enginetest.PlayPlan(t.Context(), t, runner, plan, engine.Options{Observe: w.observe, Call: w.call})
		require.Equal(t, want.States(), got.States())
		require.Equal(t, want.Status, got.Status)
		require.Equal(t, want.Outputs, got.Outputs)
		for id, n := range want.Nodes {
			require.Equal(t, n.Outputs, got.Nodes[id].Outputs, id)
			require.Equal(t, n.Attempts, got.Nodes[id].Attempts, id)
			require.Equal(t, n.SkippedBecause, got.Nodes[id].SkippedBecause, id)
		}
		require.Equal(t, w.order, got.Order, "nodes have ended in the order that was told")
		if w.failed != "" {
			require.Equal(t, w.failed, got.Error.NodeID, "the failure that was told first is the run's")
		}
	})
}

// watch checks that no node is called after its end event and, if processes hand off, that
// no node that does more than wait is called twice.
type watch struct {
	t      *testing.T
	once   bool
	mu     sync.Mutex
	known  engine.Recall
	calls  map[string]int
	order  []string
	failed string
}

func (w *watch) observe(e engine.Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.known.Apply(&e)
	if e.RetryIn > 0 { // the nodes inside are called again
		maps.DeleteFunc(w.calls, func(path string, _ int) bool { return strings.HasPrefix(path, e.NodeID+"/") })
	}
	if e.Name != engine.EventNode || len(e.NodeID) > 0 && e.NodeID != top(e.NodeID) {
		return
	}
	w.order = append(w.order, e.NodeID)
	if w.failed == "" && e.Status == engine.StatusFailed && !e.Handled {
		w.failed = e.NodeID
	}
}

// top returns the first node id of path: the node outside bodies.
func top(path string) string {
	for i := range path {
		if path[i] == '/' {
			return path[:i]
		}
	}
	return path
}

func (w *watch) call(ctx context.Context, c *engine.Call) error {
	w.mu.Lock()
	known, ok := w.known.Recorded(c.Path())
	dead := ctx.Err() != nil
	if w.once && !c.Container() && c.Type() != "test.nap" && !dead {
		if w.calls == nil {
			w.calls = map[string]int{}
		}
		attempt := fmt.Sprint(c.Path(), " ", c.Number())
		w.calls[attempt]++
		assert.Equal(w.t, 1, w.calls[attempt], "%s is called twice", attempt)
	}
	w.mu.Unlock()
	assert.False(w.t, ok && !dead && known.Status != engine.StatusRunning, "%s is called, which has ended as %s", c.Path(), known.Status)
	return c.Here(ctx)
}

// deepSketch returns a sketch whose nodes have retries, next to nested loops in which nodes
// wait for a long time.
func deepSketch(data []byte) *enginetest.Flow {
	cut := len(data) / 2
	f := sketchOf(data[:cut]).flow()
	retried(f.Definition(), data)
	inner := sketchOf(data[cut:])
	for i := range inner {
		inner[i].async = false // otherwise it would be random which of them fails first
	}
	body := inner.flow().Node("nap", "test.nap", "ms", 60_000).Node("each", "test.foreach", "list", []any{1.5, "a", nil}).Body(
		enginetest.NewFlow("").Node("in", "test.input", "name", "item").Node("a", "test.async").Node("long", "test.nap", "ms", 90_000).
			Node("out", "test.output", "name", "got").Wire("in.value", "a.value").Wire("a.value", "long.value").Wire("long.value", "out.value")).
		Node("result", "test.output", "name", "result").Wire("each.got", "result.value").Wire("nap.$done", "each.$after")
	f.Node("loop", "test.repeat", "times", 2).Retry(2).Body(body).Node("out", "test.output", "name", "out").Wire("loop.result", "out.value")
	return f.Wire("n0.$done", "loop.$after")
}

// retried sets retries for some of the nodes, with long pauses.
func retried(def *workflow.Definition, data []byte) {
	for i := range def.Nodes {
		if def.Nodes[i].Type == "sketch.async" && len(data)%3 != i%3 {
			def.Nodes[i].Retry = &workflow.Retry{MaxAttempts: 2 + i%2, InitialMs: 1000 * (1 + i*i), MaxMs: 1_000_000}
		}
	}
	def.Name = fmt.Sprint(len(data))
}
