package engine_test

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/workflow"
)

type sendIn struct {
	Code  string `port:"code" default:"unavailable" doc:"The code of the failure; empty for none."`
	Fails int    `port:"fails" default:"100" doc:"How many calls fail."`
}

type sendOut struct {
	ID      *string `port:"id" doc:"What was sent."`
	Success bool    `port:"success,outcome" doc:"Whether it was sent."`
	Error   *string `port:"error,outcome" doc:"Why not."`
}

// sender compiles workflows with a node test.send, whose action may not happen.
func sender(t *testing.T, document string) (*engine.Plan, *atomic.Int32) {
	t.Helper()
	calls := new(atomic.Int32)
	send := node.Func("test.send", "Send", func(ctx context.Context, in sendIn) (sendOut, error) {
		if n := int(calls.Add(1)); in.Code == "" || n > in.Fails {
			id := "7"
			return sendOut{ID: &id, Success: true}, nil
		}
		err := error(node.Errorf(in.Code, "the server said no"))
		if in.Code == node.CodeOutcomeUnknown {
			err = node.Permanent(err)
		}
		node.NotDone(ctx, err)
		text := err.Error()
		return sendOut{Error: &text}, nil
	}).Once().Doc("Sends.")
	see := node.Func("test.see", "See", func(_ context.Context, in struct {
		Value any `port:"value" doc:"Anything."`
	},
	) (struct{}, error) {
		return struct{}{}, nil
	}).Doc("Sees.")
	registry, err := node.NewRegistry(node.Bundle{Name: "test", Nodes: []node.Node{send, see}})
	require.NoError(t, err)
	def, err := workflow.Decode([]byte(document), workflow.DefaultLimits())
	require.NoError(t, err)
	plan, err := engine.Compile(t.Context(), def, engine.Env{Registry: registry, Limits: workflow.DefaultLimits()})
	require.NoError(t, err)
	return plan, calls
}

func runPlan(t *testing.T, plan *engine.Plan, o engine.Options) *engine.Result {
	t.Helper()
	run, err := new(engine.Local).Run(t.Context(), plan, o)
	require.NoError(t, err)
	return run.Result()
}

func TestAnActionThatDidNotHappenFailsItsNode(t *testing.T) {
	plan, calls := sender(t, `{"id":"w","nodes":[{"id":"send","type":"test.send"}],"connections":[]}`)
	result := runPlan(t, plan, engine.Options{})
	require.Equal(t, &engine.Failure{Code: node.CodeUnavailable, Message: "the server said no", NodeID: "send"}, result.Error)
	require.EqualValues(t, 1, calls.Load())

	plan, _ = sender(t, `{"id":"w","nodes":[{"id":"send","type":"test.send","config":{"code":""}}],"connections":[]}`)
	require.Equal(t, engine.StatusCompleted, runPlan(t, plan, engine.Options{}).Status)
}

func TestAnOutcomeThatIsUsedDoesNotFailItsNode(t *testing.T) {
	for _, port := range []string{"success", "error"} {
		plan, _ := sender(t, `{"id":"w","nodes":[{"id":"send","type":"test.send"},{"id":"see","type":"test.see"}],
			"connections":[{"fromNodeId":"send","fromPort":"`+port+`","toNodeId":"see","toPort":"value"}]}`)
		result := runPlan(t, plan, engine.Options{})
		require.Equal(t, engine.StatusCompleted, result.Status, port)
		require.Equal(t, false, result.Nodes["send"].Outputs["success"])
	}
	plan, _ := sender(t, `{"id":"w","nodes":[{"id":"send","type":"test.send"},{"id":"see","type":"test.see"}],
		"connections":[{"fromNodeId":"send","fromPort":"id","toNodeId":"see","toPort":"value"}]}`)
	require.Equal(t, engine.StatusFailed, runPlan(t, plan, engine.Options{}).Status, "another output says nothing about the outcome")
}

func TestRetriesApplyToTheCauseOfAnAction(t *testing.T) {
	const retried = `"retry":{"maxAttempts":3,"initialMs":1}`
	plan, calls := sender(t, `{"id":"w","nodes":[{"id":"send","type":"test.send","config":{"fails":2},`+retried+`}],"connections":[]}`)
	require.Equal(t, engine.StatusCompleted, runPlan(t, plan, engine.Options{}).Status)
	require.EqualValues(t, 3, calls.Load())

	plan, calls = sender(t, `{"id":"w","nodes":[{"id":"send","type":"test.send","config":{"code":"outcome_unknown"},`+retried+`}],"connections":[]}`)
	require.Equal(t, node.CodeOutcomeUnknown, runPlan(t, plan, engine.Options{}).Error.Code)
	require.EqualValues(t, 1, calls.Load(), "never tried again")
}

func TestPinsAndReusedOutputsFollowTheRule(t *testing.T) {
	plan, calls := sender(t, `{"id":"w","nodes":[{"id":"send","type":"test.send","config":{"code":""}}],"connections":[]}`)
	pin := engine.Pin{Outputs: map[string]any{"success": false, "error": "no such mailbox"}}
	result := runPlan(t, plan, engine.Options{Pins: map[string]engine.Pin{"send": pin}})
	require.Equal(t, &engine.Failure{Code: node.CodeFailed, Message: "no such mailbox", NodeID: "send"}, result.Error)
	require.Zero(t, calls.Load())

	earlier := func(string) (map[string]any, bool) { return pin.Outputs, true }
	require.Equal(t, engine.StatusCompleted, runPlan(t, plan, engine.Options{Reuse: earlier}).Status)
	require.EqualValues(t, 1, calls.Load(), "what did not happen is not taken over")
}
