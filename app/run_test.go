package app

import (
	"context"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/app/runs"
	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/workflow"
)

func greeting(t *testing.T) []byte {
	t.Helper()
	def, err := FindTemplate("greeting")
	require.NoError(t, err)
	return def.Format()
}

func TestThreeWaysToExecute(t *testing.T) {
	a := newTestApp(t, Config{})
	text := greeting(t)
	def := parse(t, string(text))
	_, err := a.Save(t.Context(), def, workflow.Condition{})
	require.NoError(t, err)
	for name, execute := range map[string]func(run.Request) (Outcome, error){
		"a definition":      func(q run.Request) (Outcome, error) { return a.Execute(t.Context(), def, q, nil) },
		"a text":            func(o run.Request) (Outcome, error) { return a.ExecuteJSON(t.Context(), text, o) },
		"a stored workflow": func(o run.Request) (Outcome, error) { return a.ExecuteStored(t.Context(), "greeting", o) },
	} {
		t.Run(name, func(t *testing.T) {
			for range 2 { // the second time with a plan that was kept
				ended, err := execute(run.Request{Inputs: map[string]any{"who": "Ada"}})
				require.NoError(t, err)
				require.Equal(t, map[string]any{"greeting": "Hello, Ada!"}, ended.Outputs())
				require.NotEmpty(t, ended.ID())

				_, err = execute(run.Request{Inputs: map[string]any{"nobody": 1}})
				require.Equal(t, []string{engine.CodeUnknownInput}, codes(t, err))
			}
		})
	}
}

func TestExecuteIsObserved(t *testing.T) {
	a := newTestApp(t, Config{})
	var events []engine.Event
	ended, err := a.Execute(t.Context(), says(t, "w", "x"), run.Request{}, func(e engine.Event) { events = append(events, e) })
	require.NoError(t, err)
	require.Equal(t, ended.ID(), events[0].RunID)
	require.Equal(t, engine.EventCompleted, events[len(events)-1].Name)
}

func TestRunsHaveIDsOfTheirOwn(t *testing.T) {
	a := newTestApp(t, Config{})
	first, err := a.Execute(t.Context(), says(t, "w", "x"), run.Request{}, nil)
	require.NoError(t, err)
	second, err := a.Execute(t.Context(), says(t, "w", "x"), run.Request{}, nil)
	require.NoError(t, err)
	require.Less(t, first.ID(), second.ID(), "they sort by time")
}

func TestExecuteRefuses(t *testing.T) {
	a := newTestApp(t, Config{})
	_, err := a.ExecuteStored(t.Context(), "nobody", run.Request{})
	require.ErrorIs(t, err, workflow.ErrNotFound)
	_, err = a.ExecuteStored(t.Context(), "nobody", run.Request{Overrides: map[string]map[string]any{"a": {"b": 1}}})
	require.ErrorIs(t, err, workflow.ErrNotFound)
	_, err = a.ExecuteJSON(t.Context(), []byte(`{"id":"x","nodes":[]}`), run.Request{})
	require.ErrorContains(t, err, "connections")
	_, err = a.ExecuteJSON(t.Context(), []byte(`{"id":"x","nodes":[{"id":"a","type":"no.such"}],"connections":[]}`), run.Request{})
	require.Equal(t, []string{engine.CodeUnknownNodeType}, codes(t, err))
}

func TestOverrides(t *testing.T) {
	a := newTestApp(t, Config{})
	_, err := a.Save(t.Context(), says(t, "w", "hello"), workflow.Condition{})
	require.NoError(t, err)
	override := func(id, port string, v any) run.Request {
		return run.Request{Overrides: map[string]map[string]any{id: {port: v}}}
	}
	ended, err := a.ExecuteStored(t.Context(), "w", override("out", "value", "goodbye"))
	require.Equal(t, "goodbye", said(t, ended, err))
	ended, err = a.ExecuteStored(t.Context(), "w", run.Request{})
	require.Equal(t, "hello", said(t, ended, err), "an override is for one run")

	_, err = a.ExecuteStored(t.Context(), "w", override("nobody", "value", 1))
	require.Equal(t, []string{engine.CodeInvalidConfig}, codes(t, err))
	_, err = a.ExecuteStored(t.Context(), "w", override("out", "colour", 1))
	require.Equal(t, []string{engine.CodeUnknownConfig}, codes(t, err))
	_, err = a.Execute(t.Context(), calls(t, "c", "w"), override("out", "value", 1), nil)
	require.Equal(t, []string{engine.CodeInvalidConfig}, codes(t, err))
	require.ErrorContains(t, err, "a wire feeds it")
}

// gate is a plugin whose node waits until the gate opens.
type gate struct {
	entered chan struct{}
	open    chan struct{}
}

func newGate() *gate { return &gate{make(chan struct{}), make(chan struct{})} }

func (g *gate) Install(r *node.Registrar) {
	r.Register(node.Func("test.gate", "Gate", func(ctx context.Context, _ struct{}) (struct{}, error) {
		g.entered <- struct{}{}
		select {
		case <-g.open:
			return struct{}{}, nil
		case <-ctx.Done():
			return struct{}{}, ctx.Err()
		}
	}))
}

const gated = `{"id":"gated","nodes":[{"id":"gate","type":"test.gate"}],"connections":[]}`

func TestTooManyRunsAtOnce(t *testing.T) {
	g := newGate()
	a := newTestApp(t, Config{ExtraPlugins: []node.Plugin{g}})
	def := parse(t, gated)
	var group sync.WaitGroup
	for range MaxRunning {
		group.Go(func() {
			ended, err := a.Execute(t.Context(), def, run.Request{}, nil)
			if err != nil || ended.Status() != engine.StatusCompleted {
				t.Errorf("run: %v, %v", ended, err)
			}
		})
	}
	for range MaxRunning {
		<-g.entered
	}
	for range MaxRunning { // as many, so that one that kept a place would show below
		_, err := a.Execute(t.Context(), def, run.Request{}, nil)
		require.ErrorIs(t, err, runs.ErrBusy)
	}
	_, err := a.ExecuteJSON(t.Context(), []byte(gated), run.Request{})
	require.ErrorIs(t, err, runs.ErrBusy)
	close(g.open)
	group.Wait()
	ended, err := a.Execute(t.Context(), says(t, "w", "free again"), run.Request{}, nil)
	require.Equal(t, "free again", said(t, ended, err))
}

// A run that could not begin gives its place back.
func TestRefusedRunsTakeNoPlace(t *testing.T) {
	a := newTestApp(t, Config{})
	for range MaxRunning + 1 {
		_, err := a.Execute(t.Context(), says(t, "w", "x"), run.Request{Inputs: map[string]any{"nobody": 1}}, nil)
		require.Equal(t, []string{engine.CodeUnknownInput}, codes(t, err))
	}
}

func TestTheCallersEndCancelsTheRun(t *testing.T) {
	g := newGate()
	a := newTestApp(t, Config{ExtraPlugins: []node.Plugin{g}})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan Outcome)
	go func() {
		r, _ := a.Execute(ctx, parse(t, gated), run.Request{}, nil)
		ended <- r
	}()
	<-g.entered
	cancel()
	require.Equal(t, engine.StatusCancelled, (<-ended).Status())
}
