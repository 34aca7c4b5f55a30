package engine_test

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/limit"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/engine/workflow"
)

const mib = 1 << 20

// largeNodes make, pass on and hold large lists.
type largeNodes struct {
	counts  bool
	wraps   bool         // lists are emitted as a field of a record and then, by the next node, as themselves
	alive   atomic.Int64 // lists that were made and not collected yet
	most    atomic.Int64
	entered chan struct{} // signals that a mem.hold holds its memory; nil if it does not wait
	leave   chan struct{}
}

func (l *largeNodes) Install(r *node.Registrar) {
	text := []node.Port{{Name: "text", Type: value.Any()}}
	after := []node.Port{{Name: "text", Type: value.Any(), Optional: true}, {Name: "bytes", Type: value.Int(), Default: mib}}
	register := func(typ string, inline bool, in []node.Port, call node.Call) {
		r.Register(node.Node{Spec: node.Spec{Type: typ, Inputs: in, Outputs: text, Inline: inline}, Bind: node.Static(in, text, call)})
	}
	next := func(_ context.Context, in, out []any) error { //nolint:unparam // as calls are
		out[0] = l.list(in[1].(int))
		if before, ok := in[0].(map[string]any); ok {
			out[0] = before["list"]
		} else if l.wraps {
			out[0] = map[string]any{"list": out[0]}
		}
		return nil
	}
	register("mem.next", false, after, next)
	r.Register(node.Node{
		Spec: node.Spec{Type: "mem.claims", Inputs: after, Outputs: text, Pure: true},
		Bind: node.Static(after, text, func(ctx context.Context, in, out []any) error {
			if err := node.Hold(ctx, in[1].(int)); err != nil {
				return err
			}
			return next(ctx, in, out)
		}),
	})
	register("mem.inline", true, after, next)
	register("mem.texts", false, after, func(_ context.Context, in, out []any) error {
		list := make([]any, in[1].(int)/1024)
		for i := range list {
			list[i] = strings.Repeat("x", 1000)
		}
		out[0] = list
		return nil
	})
	register("mem.same", false, text, func(_ context.Context, in, out []any) error {
		out[0] = in[0]
		return nil
	})
	register("mem.hold", false, after, func(ctx context.Context, in, out []any) error {
		if err := node.Hold(ctx, in[1].(int)); err != nil {
			return err
		}
		out[0] = "held"
		if l.entered == nil {
			return nil
		}
		select {
		case l.entered <- struct{}{}:
		case <-ctx.Done():
		}
		select {
		case <-l.leave:
		case <-ctx.Done():
		}
		return ctx.Err()
	})
	r.Register(node.Node{
		Spec: node.Spec{Type: "mem.hold_inline", Inputs: after, Outputs: text, Inline: true},
		Bind: node.Static(after, text, func(ctx context.Context, in, out []any) error {
			out[0] = "held"
			return node.Hold(ctx, in[1].(int))
		}),
	})
}

// list returns a new list of the given size in bytes, which is counted until it is
// collected.
func (l *largeNodes) list(bytes int) []any {
	list := make([]any, bytes/16)
	if !l.counts {
		return list
	}
	runtime.GC()
	l.most.Store(max(l.most.Load(), l.alive.Add(1)))
	runtime.AddCleanup(&list[0], func(struct{}) { l.alive.Add(-1) }, struct{}{})
	return list
}

func (l *largeNodes) plan(tb testing.TB, def *workflow.Definition) *engine.Plan {
	registry, err := node.NewRegistry(l)
	require.NoError(tb, err)
	plan, err := engine.Compile(tb.Context(), def, engine.Env{Registry: registry})
	require.NoError(tb, err)
	return plan
}

// row returns a chain of n nodes.
func row(n int, typ string, bytes int) *workflow.Definition {
	d := &workflow.Definition{ID: "row"}
	for i := range n {
		d.Nodes = append(d.Nodes, workflow.Node{ID: fmt.Sprint("n", i), Type: typ, Config: map[string]any{"bytes": bytes}})
		if i > 0 {
			d.Connections = append(d.Connections, wire(fmt.Sprint("n", i-1), "text", fmt.Sprint("n", i), "text"))
		}
	}
	return d
}

// side returns n parallel nodes.
func side(n int, typ string, bytes int) *workflow.Definition {
	d := row(n, typ, bytes)
	d.Connections = nil
	return d
}

// TestValuesThatWereNotWeighedCount checks that large values that were weighed only in part
// while the heap was small count in full once it is not.
func TestValuesThatWereNotWeighedCount(t *testing.T) {
	l := &engine.Local{RunMemory: 64 * mib}
	run, err := l.Run(t.Context(), (&largeNodes{}).plan(t, row(72, "mem.texts", mib)), engine.Options{})
	require.NoError(t, err)
	require.NotNil(t, run.Err())
	require.Equal(t, node.CodeLimitExceeded, run.Err().Code)
	run, err = l.Run(t.Context(), (&largeNodes{}).plan(t, row(56, "mem.texts", mib)), engine.Options{})
	require.NoError(t, err)
	require.Nil(t, run.Err())
	require.Zero(t, l.Memory.Held())
}

func TestRunMemory(t *testing.T) {
	tests := []struct {
		name  string
		def   *workflow.Definition
		keep  engine.Keep
		fails string // node
	}{
		{"what fits", side(7, "mem.next", mib), engine.KeepAll, ""},
		{"one too many", row(9, "mem.next", mib), engine.KeepAll, "n7"},
		{"one too many, inline", row(9, "mem.inline", mib), engine.KeepAll, "n7"},
		{"what was let go does not count", row(50, "mem.next", mib), engine.KeepShown, ""},
		{"what is in common counts once", row(50, "mem.same", mib), engine.KeepAll, ""},
		{"what is being made", row(1, "mem.hold", 9*mib), engine.KeepAll, "n0"},
		{"what is being made, inline", row(1, "mem.hold_inline", 9*mib), engine.KeepAll, "n0"},
		{"what was made and given up", row(50, "mem.hold", 7*mib), engine.KeepAll, ""},
		{"what was made and given up, inline", row(50, "mem.hold_inline", 7*mib), engine.KeepAll, ""},
		{"what the next ones want does not fail those before", side(9, "mem.claims", 3*mib), engine.KeepAll, "2 of 9"},
		{"many small ones", side(300, "mem.next", 60<<10), engine.KeepShown, "n13"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if tt.def.Nodes[0].Type == "mem.same" {
				tt.def.Nodes[0] = workflow.Node{ID: "n0", Type: "mem.next", Config: map[string]any{"bytes": mib}}
				for i := range tt.def.Nodes[1:] {
					tt.def.Nodes[1+i].Config = nil
				}
			}
			local := &engine.Local{RunMemory: 8 * mib, Blocking: 1}
			run, err := local.Run(t.Context(), new(largeNodes).plan(t, tt.def), engine.Options{KeepOutputs: tt.keep})
			require.NoError(t, err)
			if tt.fails == "" {
				require.Nil(t, run.Err())
			} else {
				require.Equal(t, node.CodeLimitExceeded, run.Err().Code)
				require.Contains(t, run.Err().Message, "8192 KiB")
				require.Contains(t, run.Err().Message, "--run-memory")
				var done, of int
				if _, err := fmt.Sscanf(tt.fails, "%d of %d", &done, &of); err == nil {
					for _, n := range run.Result().Nodes {
						if n.Status == engine.StatusSucceeded {
							done--
						}
					}
					require.Zero(t, done)
				} else if tt.name != "many small ones" {
					require.Equal(t, tt.fails, run.Err().NodeID)
				}
			}
			require.Zero(t, local.Memory.Held(), "everything is given back")
		})
	}
}

func TestMemoryOfOneRun(t *testing.T) {
	local := &engine.Local{RunMemory: mib}
	plan := new(largeNodes).plan(t, row(1, "mem.next", 2*mib))
	for asked, want := range map[int]engine.Status{0: engine.StatusFailed, 4 * mib: engine.StatusCompleted, -1: engine.StatusCompleted} {
		run, err := local.Run(t.Context(), plan, engine.Options{Memory: asked})
		require.NoError(t, err)
		require.Equal(t, want, run.Status(), asked)
	}
}

// TestLettingGo runs a long chain of large values and checks how many are in memory at the
// same time.
func TestLettingGo(t *testing.T) {
	nodes := &largeNodes{counts: true}
	plan := nodes.plan(t, row(100, "mem.next", mib))
	run, err := new(engine.Local).Run(t.Context(), plan, engine.Options{KeepOutputs: engine.KeepShown})
	require.NoError(t, err)
	require.LessOrEqual(t, nodes.most.Load(), int64(4), "one comes in, one goes out, and what the collector has not seen")
	nodes.gone(t, run)

	bytes, elided := engine.Elided(run.Result().Nodes["n3"].Outputs["text"])
	require.True(t, elided)
	require.Equal(t, value.Size(make([]any, mib/16), value.MaxSize), bytes)
	require.Contains(t, string(run.AppendJSON(nil, engine.NoElision)), fmt.Sprintf(`"n3":{"status":"succeeded","outputs":{"text":{"$elided":{"bytes":%d}}}`, bytes))

	run, err = new(engine.Local).Run(t.Context(), plan, engine.Options{})
	require.NoError(t, err)
	require.Len(t, run.Result().Nodes["n3"].Outputs["text"], mib/16)
}

// TestLettingGoOfParts does so with lists that two nodes emit: in a record and as
// themselves.
func TestLettingGoOfParts(t *testing.T) {
	for n := range 4 {
		nodes := &largeNodes{counts: true, wraps: true}
		run, err := new(engine.Local).Run(t.Context(), nodes.plan(t, row(n, "mem.next", mib)), engine.Options{KeepOutputs: engine.KeepShown})
		require.NoError(t, err)
		for id, node := range run.Result().Nodes {
			bytes, elided := engine.Elided(node.Outputs["text"])
			require.True(t, elided)
			require.InDelta(t, value.Size(make([]any, mib/16), value.MaxSize), bytes, 10, id)
		}
		nodes.gone(t, run)
	}
}

// gone waits until all lists of run are collected, while run itself is still referenced.
func (l *largeNodes) gone(t *testing.T, run *engine.Run) {
	require.Eventually(t, func() bool {
		runtime.GC()
		return l.alive.Load() == 0
	}, 10*time.Second, time.Millisecond)
	runtime.KeepAlive(run)
}

// TestLongOutputsAreLongWhenTheyWereLetGo checks that whether an output is long does not
// depend on dropping it.
func TestLongOutputsAreLongWhenTheyWereLetGo(t *testing.T) {
	for bytes, long := range map[int]bool{2 << 10: false, 10 << 10: true, 128 << 10: true} {
		plan := new(largeNodes).plan(t, row(2, "mem.texts", bytes))
		for _, keep := range []engine.Keep{engine.KeepAll, engine.KeepShown} {
			run, err := new(engine.Local).Run(t.Context(), plan, engine.Options{KeepOutputs: keep})
			require.NoError(t, err)
			require.Equal(t, long, run.Exceeds(limit.DedupThreshold), "%d, kept: %d", bytes, keep)
			_, brief := run.AppendBrief(nil, limit.DedupThreshold)
			require.Equal(t, !long, brief, "%d, kept: %d", bytes, keep)
		}
	}
}

// TestLettingGoShowsAsBefore compares the results of a run that drops values and of one
// that does not.
func TestLettingGoShowsAsBefore(t *testing.T) {
	for _, bytes := range []int{1 << 10, 60 << 10, 300 << 10, mib} {
		plan := new(largeNodes).plan(t, row(5, "mem.next", bytes))
		var shown [2]any
		for keep := range shown {
			run, err := new(engine.Local).Run(t.Context(), plan, engine.Options{KeepOutputs: engine.Keep(keep)})
			require.NoError(t, err)
			require.Equal(t, bytes == mib, run.Exceeds(limit.Shown), "kept or not, %d", bytes)
			e := engine.Event{Name: engine.EventCompleted, Result: run.Result()}.Shown(limit.Shown)
			outputs := map[string]any{}
			for id, n := range e.Result.Nodes {
				outputs[id] = n.Outputs
			}
			shown[keep] = outputs
		}
		require.Equal(t, shown[engine.KeepAll], shown[engine.KeepShown], bytes)
	}
}

// TestMemoryOfAllRuns checks that the largest run is ended if all runs together exceed the
// limit.
func TestMemoryOfAllRuns(t *testing.T) {
	nodes := &largeNodes{entered: make(chan struct{}), leave: make(chan struct{})}
	local := &engine.Local{Memory: engine.Memory{All: 10 * mib}}
	ended := map[int]chan *engine.Run{}
	start := func(size int) {
		done := make(chan *engine.Run, 1)
		ended[size] = done
		plan := nodes.plan(t, row(1, "mem.hold", size*mib))
		go func() {
			ctx, cancel := context.WithCancelCause(context.Background())
			defer cancel(nil)
			o := engine.Options{}
			if size == 5 { // a run that its host can end
				o.Stop = cancel
			}
			run, _ := local.Run(ctx, plan, o)
			done <- run
		}()
		<-nodes.entered
	}
	start(2)
	start(5)
	start(4) // exceeds the limit: the run of 5 MiB is ended
	failure := (<-ended[5]).Err()
	require.Equal(t, node.CodeLimitExceeded, failure.Code)
	require.Equal(t, "n0", failure.NodeID)
	require.Contains(t, failure.Message, "all runs together")
	require.Equal(t, 6*mib, local.Memory.Held())

	run, err := local.Run(t.Context(), nodes.plan(t, row(1, "mem.hold", 9*mib)), engine.Options{}) // is the largest itself
	require.NoError(t, err)
	require.Equal(t, node.CodeLimitExceeded, run.Err().Code)
	require.Equal(t, 6*mib, local.Memory.Held())

	require.True(t, local.Memory.EndLargest())
	require.Equal(t, node.CodeLimitExceeded, (<-ended[4]).Err().Code)
	close(nodes.leave)
	require.Nil(t, (<-ended[2]).Err())
	require.Zero(t, local.Memory.Held())
	require.False(t, local.Memory.EndLargest())
}

// TestMemoryThatIsKept checks that memory kept for other purposes than runs counts until it
// is released.
func TestMemoryThatIsKept(t *testing.T) {
	local := &engine.Local{Memory: engine.Memory{All: 8 * mib}}
	plan := new(largeNodes).plan(t, row(1, "mem.next", 5*mib))
	release := local.Memory.Keep(4 * mib)
	require.Equal(t, 4*mib, local.Memory.Held())
	run, err := local.Run(t.Context(), plan, engine.Options{})
	require.NoError(t, err)
	require.NotNil(t, run.Err())
	require.Equal(t, node.CodeLimitExceeded, run.Err().Code)
	release()
	run, err = local.Run(t.Context(), plan, engine.Options{})
	require.NoError(t, err)
	require.Nil(t, run.Err())
	require.Zero(t, local.Memory.Held())
}

// TestBytesOfARun checks that Bytes weighs values in full, even if the run did not.
func TestBytesOfARun(t *testing.T) {
	run, err := new(engine.Local).Run(t.Context(), new(largeNodes).plan(t, row(3, "mem.texts", mib)), engine.Options{})
	require.NoError(t, err)
	require.Greater(t, run.Bytes(), 29*mib/10)
}
