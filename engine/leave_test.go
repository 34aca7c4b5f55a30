package engine_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/enginetest"
)

// leftAfter asks for a handoff after d, and returns what the run did.
func leftAfter(t *testing.T, plan *engine.Plan, local *engine.Local, d time.Duration) (run *engine.Run, past []engine.Event, took time.Duration, err error) {
	t.Helper()
	leave := make(chan struct{})
	defer time.AfterFunc(d, func() { close(leave) }).Stop()
	began := time.Now()
	run, err = local.Run(t.Context(), plan, engine.Options{RunID: "run-1", Leave: leave, Observe: func(e engine.Event) { past = append(past, e) }})
	return run, past, time.Since(began), err
}

// TestARunThatIsLeftRepeatsNothing checks that a run to be handed off lets calls end and
// begins no new ones, and that the next driver repeats no call.
func TestARunThatIsLeftRepeatsNothing(t *testing.T) {
	wait := func(ids ...string) *enginetest.Flow {
		f := enginetest.NewFlow("w")
		for i, id := range ids {
			if f.Node(id, "test.wait", "ms", 5000); i > 0 {
				f.Wire(ids[i-1]+".value", id+".value")
			}
		}
		f.Definition().Nodes[0].Config["value"] = 7
		return f
	}
	two := enginetest.NewFlow("w").Node("a", "test.wait", "ms", 5000).Node("b", "test.wait", "ms", 5000)
	later := enginetest.NewFlow("w").Node("a", "test.fail", "times", 1, "value", 7).Retry(2)
	later.Definition().Nodes[0].Retry.InitialMs, later.Definition().Nodes[0].Retry.MaxMs = hour, hour
	tests := []struct {
		name  string
		flow  *enginetest.Flow
		local *engine.Local
		takes time.Duration // until it is handed off
		calls int           // in all
	}{
		{"a node is being called", wait("a", "b", "c"), new(engine.Local), 5 * time.Second, 3},
		{"a node waits for a place", two, &engine.Local{Blocking: 1}, 5 * time.Second, 2},
		{"inside of loops", loop(2, loop(2, wait("a", "b"))), new(engine.Local), 5 * time.Second, 8},
		{"it only waits", enginetest.NewFlow("w").Node("nap", "test.nap", "ms", hour), new(engine.Local), time.Second, 2},
		{"it waits for the next attempt", later, new(engine.Local), time.Second, 2},
		{"one waits, and one is being called", wait("a", "b").Node("nap", "test.nap", "ms", hour), new(engine.Local), 5 * time.Second, 4},
	}
	for _, tt := range tests {
		timed(t, tt.name, func(t *testing.T) {
			kit := enginetest.NewKit()
			plan := kit.Compile(t, tt.flow)
			_, past, took, err := leftAfter(t, plan, tt.local, time.Second)
			require.ErrorIs(t, err, engine.ErrHandedOff)
			require.Equal(t, tt.takes, took)
			for _, e := range past {
				require.NotEqual(t, engine.StatusCancelled, e.Status)
				require.False(t, e.Name.Terminal())
			}
			run, _, err := life(t.Context(), plan, past, engine.Options{})
			require.NoError(t, err)
			require.Equal(t, engine.StatusCompleted, run.Status())
			require.Equal(t, tt.calls, kit.Calls("test.wait", "test.nap", "test.fail"), "what only waits is called again, and nothing else")
		})
	}
}

func TestARunThatEndsMeanwhileIsNotLeft(t *testing.T) {
	timed(t, "with its last node", func(t *testing.T) {
		f := enginetest.NewFlow("w").Node("a", "test.wait", "ms", 5000, "value", 7).Node("b", "test.pass").Wire("a.value", "b.value")
		run, _, took, err := leftAfter(t, enginetest.NewKit().Compile(t, f), new(engine.Local), time.Second)
		require.NoError(t, err)
		require.Equal(t, engine.StatusCompleted, run.Status())
		require.Equal(t, 5*time.Second, took)
	})
	timed(t, "as it is cancelled", func(t *testing.T) {
		f := enginetest.NewFlow("w").Node("a", "test.wait").Node("b", "test.wait").Wire("a.value", "b.value")
		leave := make(chan struct{})
		close(leave)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := new(engine.Local).Run(ctx, enginetest.NewKit().Compile(t, f), engine.Options{Leave: leave})
		require.ErrorIs(t, err, engine.ErrHandedOff, "nothing was called yet")
		slow := make(chan struct{})
		time.AfterFunc(time.Second, func() { close(slow) })
		ctx, cancel = context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		run, err := new(engine.Local).Run(ctx, enginetest.NewKit().Compile(t, f), engine.Options{Leave: slow})
		require.NoError(t, err)
		require.Equal(t, engine.StatusCancelled, run.Status())
	})
}
