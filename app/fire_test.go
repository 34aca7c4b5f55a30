package app

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/app/runs"
	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/nodes/trigger"
	"github.com/svcflow/svc/store"
)

// fired is a workflow with two triggers, which counts what comes of the first.
const fired = `{"id":"fired","nodes":[
	{"id":"hand","type":"trigger.manual","config":{"sample":"tried"}},
	{"id":"clock","type":"trigger.schedule","config":{"every":"1h"}},
	{"id":"count","type":"test.count","config":{"label":"came"}},
	{"id":"out","type":"io.output","config":{"name":"said"}}],
	"connections":[{"fromNodeId":"hand","fromPort":"payload","toNodeId":"count","toPort":"item"},
		{"fromNodeId":"count","fromPort":"item","toNodeId":"out","toPort":"value"}]}`

func TestNothingFiresUnasked(t *testing.T) {
	c := newCounter()
	a := newTestApp(t, Config{ExtraPlugins: []node.Plugin{c, trigger.Plugin(trigger.Config{})}})
	def := parse(t, fired)
	_, err := a.Save(t.Context(), def, workflow.Condition{})
	require.NoError(t, err)
	for name, execute := range map[string]func(run.Request) (Outcome, error){
		"a definition":      func(q run.Request) (Outcome, error) { return a.Execute(t.Context(), def, q, nil) },
		"a text":            func(q run.Request) (Outcome, error) { return a.ExecuteJSON(t.Context(), []byte(fired), q) },
		"a stored workflow": func(q run.Request) (Outcome, error) { return a.ExecuteStored(t.Context(), "fired", q) },
		"under a key": func(q run.Request) (Outcome, error) {
			q.IdempotencyKey = uuid.NewString()
			return a.ExecuteStored(t.Context(), "fired", q)
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := execute(run.Request{})
			require.ErrorContains(t, err, "needs_trigger")
			ended, err := execute(run.Request{Trigger: "hand"})
			require.Equal(t, "tried", said(t, ended, err))
			ended, err = execute(run.Request{Trigger: "hand", Payload: map[string]any{"payload": 7}})
			require.Equal(t, 7, said(t, ended, err))
			ended, err = execute(run.Request{Trigger: "clock"})
			require.Nil(t, said(t, ended, err))
			require.Equal(t, "not_taken", ended.Result().Nodes["hand"].SkippedBecause.Reason)

			_, err = execute(run.Request{Trigger: "count"})
			require.Equal(t, []string{engine.CodeUnknownTrigger}, codes(t, err))
			_, err = execute(run.Request{Trigger: "clock", Payload: map[string]any{"missed": "many", "more": 1}})
			require.Equal(t, []string{engine.CodeTypeError, engine.CodeTypeError}, codes(t, err))
			_, err = execute(run.Request{Payload: map[string]any{"payload": 1}})
			require.Equal(t, []string{engine.CodeUnknownTrigger}, codes(t, err))
		})
	}
}

func TestAResumedRunBeginsWithTheSame(t *testing.T) {
	inBubbles(t, func(t *testing.T, open func() store.RunStore) {
		c := newCounter()
		a := newTestApp(t, Config{Runs: open(), ExtraPlugins: []node.Plugin{c, trigger.Plugin(trigger.Config{})}})
		c.set(c.failing, "came 7")
		q := run.Request{Trigger: "hand", Payload: map[string]any{"payload": 7}, IdempotencyKey: "k"}
		first, err := a.StartJSON(t.Context(), []byte(fired), q)
		require.NoError(t, err)
		require.Equal(t, engine.StatusFailed, ended(t, a, first).Result.Status)
		q.Payload = map[string]any{"payload": 8}
		_, err = a.StartJSON(t.Context(), []byte(fired), q)
		require.ErrorIs(t, err, runs.ErrKeyReused, "what fires is a part of the request")
		require.NoError(t, a.Close(t.Context()))

		a = newTestApp(t, Config{Runs: open(), ExtraPlugins: []node.Plugin{c, trigger.Plugin(trigger.Config{})}})
		c.set(c.failing)
		second, err := a.Resume(t.Context(), first, run.Resumption{})
		require.NoError(t, err)
		require.Equal(t, map[string]any{"said": 7}, ended(t, a, second).Result.Outputs)
		require.NoError(t, a.Close(t.Context()))
	})
}
