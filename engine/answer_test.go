package engine_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/enginetest"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

// led is a runner that calls its nodes through another runner, with inputs as JSON.
type led struct{ other engine.Local }

// Run implements [engine.Runner].
func (l *led) Run(ctx context.Context, p *engine.Plan, o engine.Options) (*engine.Run, error) {
	o.Call = func(ctx context.Context, c *engine.Call) error {
		if c.Container() || c.Type() == "test.conceal" { // secrets that the other runner does not know are not redacted
			return c.Here(ctx)
		}
		read, err := value.Decode(value.AppendExact(nil, c.Inputs()))
		if err != nil {
			return err
		}
		got, err := l.other.Answer(ctx, p, engine.Asked{
			RunID: o.RunID, Path: c.Path(), Inputs: read.(map[string]any), State: o.State,
			Progress: func(step, total int, message string) { node.Progress(ctx, step, total, message) },
		})
		if err != nil {
			return err
		}
		switch {
		case got.Err != nil && ctx.Err() != nil:
			return ctx.Err()
		case got.Err != nil:
			return got.Err
		}
		return c.Put(got.Outputs)
	}
	return new(engine.Local).Run(ctx, p, o)
}

// TestNodesThatAreCalledElsewhere runs the conformance suite with nodes that another
// process calls.
func TestNodesThatAreCalledElsewhere(t *testing.T) {
	enginetest.Runner(t, func() engine.Runner { return &led{} })
}

type asked struct {
	Name string `port:"name" doc:"What to do."`
}

// answering returns a plan with one node, two loops deep, whose input selects what it does.
func answering(t *testing.T) *engine.Plan {
	t.Helper()
	do := func(ctx context.Context, in asked) (sent, error) {
		switch in.Name {
		case "key":
			node.Progress(ctx, 1, 2, "half")
			return sent{node.Key(ctx)}, nil
		case "secret":
			node.Conceal(ctx, "canary-4711")
			return sent{"it is canary-4711"}, nil
		case "fail":
			node.Conceal(ctx, "canary-4711")
			return sent{}, &node.Error{Code: node.CodeRateLimited, Message: "wait, canary-4711", Permanent: true, RetryAfter: time.Minute}
		case "panic":
			panic("canary-4711")
		case "deaf":
			<-time.After(time.Minute)
		}
		<-ctx.Done()
		return sent{}, ctx.Err()
	}
	registry, err := node.NewRegistry(enginetest.NewKit(), node.Bundle{Nodes: []node.Node{node.Func("test.do", "Do", do).Once().Timeout(time.Minute)}})
	require.NoError(t, err)
	inner := enginetest.NewFlow("").Node("do", "test.do", "name", "x")
	plan, err := engine.Compile(t.Context(), loop(1, loop(1, inner)).Definition(), engine.Env{Registry: registry})
	require.NoError(t, err)
	return plan
}

func TestANodeIsCalledForARunElsewhere(t *testing.T) {
	timed(t, "two loops deep", func(t *testing.T) {
		plan := answering(t)
		var told []string
		ask := func(ctx context.Context, path, name string) (engine.Answered, error) {
			return new(engine.Local).Answer(ctx, plan, engine.Asked{
				RunID: "r", Path: path, Inputs: map[string]any{"name": name},
				Progress: func(_, _ int, message string) { told = append(told, message) },
			})
		}
		const path = "loop/0/loop/3/do"
		got, err := ask(t.Context(), path, "key")
		require.NoError(t, err)
		require.Equal(t, map[string]any{"key": "r/" + path}, got.Outputs)
		require.Equal(t, []string{"half"}, told)

		got, err = ask(t.Context(), path, "secret")
		require.NoError(t, err)
		require.Equal(t, map[string]any{"key": "it is [redacted]"}, got.Outputs)

		got, err = ask(t.Context(), path, "fail")
		require.NoError(t, err)
		require.Equal(t, &node.Error{Code: node.CodeRateLimited, Message: "wait, [redacted]", Permanent: true, RetryAfter: time.Minute}, got.Err)

		got, err = ask(t.Context(), path, "panic")
		require.NoError(t, err)
		require.Equal(t, node.CodePanic, got.Err.Code)

		got, err = ask(t.Context(), path, "wait")
		require.NoError(t, err)
		require.Equal(t, node.CodeTimeout, got.Err.Code)

		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Second, func() { cancel(errors.New("not wanted any more")) })
		since := time.Now()
		got, err = ask(ctx, path, "wait")
		require.NoError(t, err)
		require.Error(t, got.Err)
		require.Less(t, time.Since(since), 2*time.Second)

		ctx, cancel = context.WithCancelCause(t.Context())
		told = nil
		time.AfterFunc(time.Second, func() { cancel(errors.New("not wanted any more")) })
		since = time.Now()
		got, err = ask(ctx, path, "deaf")
		require.NoError(t, err)
		require.Error(t, got.Err)
		require.Less(t, time.Since(since), time.Second+800*time.Millisecond/3, "before the run gives up what is two loops deep")
		require.Len(t, told, 1, "which is told here, and nowhere else")

		for _, wrong := range []string{"", "loop", "loop/0", "loop/x/loop/3/do", "loop/0/loop/0/gone", "do"} {
			_, err = ask(t.Context(), wrong, "key")
			require.Equal(t, node.CodeInvalidInput, node.CodeOf(err), wrong)
		}
	})
}

func TestAnAttemptThatGoesOnElsewhereIsNotLost(t *testing.T) {
	plan := answering(t)
	const path = "loop/0/loop/0/do"
	past := told(started("loop"), started("loop/0/loop"), started(path))
	recall := &engine.Recall{}
	for i := range past {
		recall.Apply(&past[i])
	}
	asked := 0
	run, err := new(engine.Local).Run(t.Context(), plan, engine.Options{
		RunID: "r", Began: recall.Began,
		Recorded: func(p string) (engine.Recorded, bool) {
			r, ok := recall.Recorded(p)
			r.Elsewhere = p == path
			return r, ok
		},
		Call: func(ctx context.Context, c *engine.Call) error {
			if c.Container() {
				return c.Here(ctx)
			}
			asked++
			require.True(t, c.Again())
			return c.Put(map[string]any{"key": "done"})
		},
	})
	require.NoError(t, err)
	require.Equal(t, engine.StatusCompleted, run.Status())
	require.Equal(t, 1, asked)
}
