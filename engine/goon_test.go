package engine_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/enginetest"
	"github.com/svcflow/svc/engine/node"
)

// told returns the events of a run that began an hour ago, with the given events of nodes.
func told(events ...engine.Event) []engine.Event {
	began := time.Now().Add(-time.Hour)
	all := []engine.Event{{Name: engine.EventStarted, Seq: 1, Time: began, WorkflowID: "w"}}
	for i, e := range events {
		e.Seq, e.Time = i+2, began.Add(time.Duration(i+1)*time.Second)
		all = append(all, e)
	}
	return all
}

func started(path string) engine.Event { return engine.Event{Name: engine.EventStarted, NodeID: path} }

func ended(path string, outputs map[string]any) engine.Event {
	return engine.Event{
		Name: engine.EventNode, NodeID: path, Status: engine.StatusSucceeded, Outputs: outputs, Attempts: 3, Duration: 500 * time.Millisecond,
	}
}

// TestGoingOnKeepsWhatWas resumes a run in which nodes have ended or are running.
func TestGoingOnKeepsWhatWas(t *testing.T) {
	timed(t, "times, attempts and outputs", func(t *testing.T) {
		kit := enginetest.NewKit()
		f := enginetest.NewFlow("w").Node("a", "test.async", "value", "new").Node("b", "test.wait", "ms", 1000).Retry(4).Wire("a.value", "b.value")
		retry := engine.Event{Name: engine.EventProgress, NodeID: "b", Error: &engine.Failure{Code: "failed"}, RetryIn: time.Second}
		past := told(started("a"), ended("a", map[string]any{"value": "old"}), started("b"), retry)
		run, all, err := life(t.Context(), kit.Compile(t, f), past, engine.Options{})
		require.NoError(t, err)
		got := run.Result()
		require.Equal(t, past[0].Time.UTC(), got.StartedAt)
		require.Equal(t, time.Hour+time.Second, got.Duration)
		require.Zero(t, kit.Calls("test.async"))
		require.Equal(t, 3, got.Nodes["a"].Attempts)
		require.Equal(t, 500*time.Millisecond, got.Nodes["a"].Duration)
		require.Equal(t, past[2].Time.Add(-500*time.Millisecond).UTC(), got.Nodes["a"].StartedAt)
		require.Equal(t, map[string]any{"value": "old"}, got.Nodes["b"].Outputs)
		require.Equal(t, 2, got.Nodes["b"].Attempts, "an attempt that was under way keeps its number")
		require.Len(t, all, len(past)+2, "told are the end of b, and that of the run")
	})
	timed(t, "the beginning, where the clock of whoever began it was ahead", func(t *testing.T) {
		past := told(started("nap"))
		for i := range past {
			past[i].Time = past[i].Time.Add(2 * time.Hour)
		}
		plan := enginetest.NewKit().Compile(t, enginetest.NewFlow("w").Node("a", "test.wait", "ms", 1000))
		run, all, err := life(t.Context(), plan, past, engine.Options{})
		require.NoError(t, err)
		require.Equal(t, past[0].Time.UTC(), run.Result().StartedAt)
		require.Equal(t, time.Second, run.Result().Duration)
		for _, e := range all {
			require.False(t, e.Time.Before(past[0].Time), "nothing has happened before")
		}
	})
	timed(t, "the last thing that was told, where the clock of whoever told it was ahead", func(t *testing.T) {
		past := told(started("a"), ended("a", map[string]any{"value": 1}), started("b"))
		ahead := time.Now().Add(time.Hour)
		past[3].Time = ahead
		f := enginetest.NewFlow("w").Node("a", "test.async", "value", 1).Node("b", "test.async").Wire("a.value", "b.value")
		run, all, err := life(t.Context(), enginetest.NewKit().Compile(t, f), past, engine.Options{})
		require.NoError(t, err)
		for _, e := range all[len(past):] {
			require.True(t, ahead.Equal(e.Time), "nothing has happened before")
		}
		require.True(t, ahead.Equal(run.FinishedAt()), "nor has the run ended before")
		require.Equal(t, 2*time.Hour, run.Result().Duration)
	})
	timed(t, "what does not fit its ports any more is called again", func(t *testing.T) {
		kit := enginetest.NewKit()
		past := told(ended("up", map[string]any{"text": []any{}}))
		run, _, err := life(t.Context(), kit.Compile(t, enginetest.NewFlow("w").Node("up", "test.upper", "text", "x")), past, engine.Options{})
		require.NoError(t, err)
		require.Equal(t, map[string]any{"text": "X"}, run.Result().Nodes["up"].Outputs)
	})
	timed(t, "what held secrets is called again, and not told again", func(t *testing.T) {
		kit := enginetest.NewKit()
		e := ended("a", map[string]any{"value": "[redacted]"})
		e.Redacted = true
		f := enginetest.NewFlow("w").Node("a", "test.async", "value", "secret").Node("b", "test.async").Wire("a.value", "b.value")
		past := told(started("a"), e)
		run, all, err := life(t.Context(), kit.Compile(t, f), past, engine.Options{})
		require.NoError(t, err)
		require.Equal(t, 2, kit.Calls("test.async"))
		require.Equal(t, map[string]any{"value": "secret"}, run.Result().Nodes["b"].Outputs)
		require.Len(t, all, len(past)+3)
	})
	timed(t, "a new attempt at a container knows nothing of the last one", func(t *testing.T) {
		kit := enginetest.NewKit()
		f := enginetest.NewFlow("w").Node("loop", "test.repeat", "times", 1).Retry(2).
			Body(enginetest.NewFlow("").Node("a", "test.async", "value", 1).Node("x", "test.fail", "times", 1).Wire("a.value", "x.value"))
		broken := engine.Event{Name: engine.EventNode, NodeID: "loop/0/x", Status: engine.StatusFailed, Error: &engine.Failure{Code: "failed"}, Attempts: 1}
		past := told(started("loop"), ended("loop/0/a", map[string]any{"value": 1}), broken)
		run, _, err := life(t.Context(), kit.Compile(t, f), past, engine.Options{})
		require.NoError(t, err)
		require.Equal(t, 2, run.Result().Nodes["loop"].Attempts)
		require.Equal(t, 1, kit.Calls("test.async"), "of the second attempt")
	})
}

// TestGoingOnCallsNothingTwiceThatMayNot loses an attempt at a node with a side effect.
func TestGoingOnCallsNothingTwiceThatMayNot(t *testing.T) {
	calls := 0
	type post struct {
		Text string `port:"text" default:"" doc:"The text."`
	}
	send := func(context.Context, post) (sent, error) { calls++; return sent{"id"}, nil }
	registry, err := node.NewRegistry(node.Bundle{Nodes: []node.Node{node.Func("test.send", "Send", send).Once()}})
	require.NoError(t, err)
	plan, err := engine.Compile(t.Context(), enginetest.NewFlow("w").Node("a", "test.send").Definition(), engine.Env{Registry: registry})
	require.NoError(t, err)

	run, _, err := life(t.Context(), plan, told(started("a")), engine.Options{})
	require.NoError(t, err)
	require.Equal(t, node.CodeOutcomeUnknown, run.Result().Nodes["a"].Error.Code)
	redacted := ended("a", map[string]any{"key": "[redacted]"})
	redacted.Redacted = true
	run, _, err = life(t.Context(), plan, told(started("a"), redacted), engine.Options{})
	require.NoError(t, err)
	require.Equal(t, redacted.Outputs, run.Result().Nodes["a"].Outputs)
	require.Zero(t, calls)
}

// TestARunThatIsLeftHasNotEnded hands a run off to another driver.
func TestARunThatIsLeftHasNotEnded(t *testing.T) {
	timed(t, "in a loop", func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Second, func() { cancel(engine.ErrHandedOff) })
		done := false
		atEnd := func(context.Context, node.Ending) error { done = true; return nil }
		plan := enginetest.NewKit().Compile(t, loop(2, enginetest.NewFlow("").Node("a", "test.wait", "ms", 10_000)))
		_, past, err := life(ctx, plan, nil, engine.Options{AtEnd: []engine.AtEnd{atEnd}})
		require.ErrorIs(t, err, engine.ErrHandedOff)
		require.False(t, done)
		require.Len(t, past, 4, "the starts of the run, the loop and both rounds")

		run, past, err := life(t.Context(), plan, past, engine.Options{AtEnd: []engine.AtEnd{atEnd}})
		require.NoError(t, err)
		require.True(t, done)
		require.Equal(t, engine.StatusCompleted, run.Status())
		require.Len(t, slices.DeleteFunc(past, func(e engine.Event) bool { return e.Name != engine.EventStarted }), 4)
	})
}

// elsewhere wraps the run of the engine.
type elsewhere struct{ node.Run }

// TestCall routes calls through Options.Call.
func TestCall(t *testing.T) {
	f := enginetest.NewFlow("w").Node("loop", "test.foreach", "list", []any{"a", "b"}).Body(
		enginetest.NewFlow("").Node("in", "test.input", "name", "item").Node("up", "test.map").Node("out", "test.output", "name", "y").
			Wire("in.value", "up.value").Wire("up.value", "out.value")).
		Node("odd", "test.map", "value", "odd").Node("extra", "test.map", "value", "extra").
		Node("again", "test.map", "value", "again").Retry(2).Node("inline", "test.pass", "value", 1)
	kit := enginetest.NewKit()
	var mu sync.Mutex
	seen := map[string]int{}
	play := enginetest.PlayPlan(t.Context(), t, &engine.Local{}, kit.Compile(t, f), engine.Options{Call: func(ctx context.Context, c *engine.Call) error {
		mu.Lock()
		seen[c.Path()+" "+c.Type()] = c.Number()
		mu.Unlock()
		switch in := c.Inputs()["value"]; {
		case c.Container():
			return c.Here(node.WithRun(ctx, elsewhere{node.RunOf(ctx)}))
		case in == "odd":
			return c.Put(map[string]any{"value": make(chan int)})
		case in == "extra":
			return c.Put(map[string]any{"other": 1})
		case in == "again" && c.Number() == 1:
			return errors.New("nobody answers")
		default:
			return c.Put(map[string]any{"value": in.(string) + "!"})
		}
	}})
	require.Zero(t, kit.Calls("test.map"))
	require.Equal(t, map[string]int{
		"loop test.foreach": 1, "loop/0/up test.map": 1, "loop/1/up test.map": 1, "odd test.map": 1, "extra test.map": 1, "again test.map": 2,
	}, seen)
	require.Equal(t, map[string]any{"y": []any{"a!", "b!"}}, play.Nodes["loop"].Outputs, "a body runs in the process that calls its container")
	require.Equal(t, map[string]any{"value": "again!"}, play.Nodes["again"].Outputs)
	require.Equal(t, node.CodeTypeError, play.Nodes["odd"].Error.Code)
	require.Equal(t, node.CodeTypeError, play.Nodes["extra"].Error.Code)
	require.Equal(t, 2, play.Nodes["again"].Attempts)
}

// TestARunThatIsLeftCallsNothing checks that a node without a start event is not called:
// the next driver would call it again.
func TestARunThatIsLeftCallsNothing(t *testing.T) {
	f := enginetest.NewFlow("w").Node("a", "test.async", "value", 1).Node("b", "test.async", "value", 1)
	ctx, cancel := context.WithCancelCause(t.Context())
	_, err := new(engine.Local).Run(ctx, enginetest.NewKit().Compile(t, f), engine.Options{
		Observe: func(e engine.Event) {
			if e.NodeID != "" {
				cancel(engine.ErrHandedOff)
			}
		},
		Call: func(_ context.Context, c *engine.Call) error {
			t.Errorf("%s is called", c.Path())
			return nil
		},
	})
	require.ErrorIs(t, err, engine.ErrHandedOff)
}
