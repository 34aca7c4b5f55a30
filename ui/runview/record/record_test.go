package record_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/app"
	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/ui/runview/record"
)

func at(ms int) time.Time { return time.UnixMilli(1_700_000_000_000 + int64(ms)).UTC() }

func paths(rows []*record.Node) (out []string) {
	for _, n := range rows {
		out = append(out, n.Path)
	}
	return out
}

func TestFollowsTheEventsOfARun(t *testing.T) {
	r := record.New()
	require.Equal(t, engine.StatusPending, r.Status)
	r.Apply([]engine.Event{
		{Name: engine.EventStarted, RunID: "r1", WorkflowID: "w", Time: at(0)},
		{Name: engine.EventStarted, NodeID: "b", Time: at(10)},
		{Name: engine.EventStarted, NodeID: "a", Time: at(20)},
		{Name: engine.EventProgress, NodeID: "b", Time: at(30), Message: "half", Step: 1, Total: 2},
		{Name: engine.EventNode, NodeID: "a", Time: at(50), Duration: 30 * time.Millisecond, Status: engine.StatusSucceeded, Outputs: map[string]any{"v": 1}},
	})
	require.True(t, r.Running())
	require.Equal(t, []string{"b", "a"}, paths(r.Rows()), "in order of start")
	require.Equal(t, engine.StatusRunning, r.Node("b").State())
	require.Equal(t, at(50), r.Node("a").Ended)
	require.Equal(t, map[string]any{"v": 1}, r.Node("a").Steps()[0].Outputs)
	require.Equal(t, []record.Message{{Path: "b", Time: at(30), Text: "half"}}, r.Messages())
	r.Apply([]engine.Event{{Name: engine.EventFailed, Time: at(90), Error: &engine.Failure{Code: "x", NodeID: "b"}}})
	require.Equal(t, engine.StatusFailed, r.Status)
	require.Equal(t, 90*time.Millisecond, r.Duration())
	require.Equal(t, engine.StatusCancelled, r.Node("b").State(), "nobody will tell its end")
	require.Equal(t, 80*time.Millisecond, r.Node("b").Steps()[0].Duration)
}

func TestKnowsTheNextAttempt(t *testing.T) {
	r := record.New()
	why := &engine.Failure{Code: "http_503"}
	r.Apply([]engine.Event{
		{Name: engine.EventStarted, NodeID: "a", Time: at(0)},
		{Name: engine.EventProgress, NodeID: "a", Time: at(5), Error: why, RetryIn: 400 * time.Millisecond},
	})
	require.Equal(t, &record.Retry{Attempt: 2, At: at(405), Error: why}, r.Node("a").Retry)
	r.Apply([]engine.Event{{Name: engine.EventProgress, NodeID: "a", Time: at(500), Error: why, RetryIn: time.Second}})
	require.Equal(t, 3, r.Node("a").Retry.Attempt)
	r.Apply([]engine.Event{{Name: engine.EventNode, NodeID: "a", Time: at(1600), Status: engine.StatusSucceeded, Attempts: 3}})
	require.Nil(t, r.Node("a").Retry)
	require.Equal(t, 3, r.Node("a").Steps()[0].Attempts)
}

// A loop of 100,000 steps costs no more than one of 200, and yet all are counted.
func TestALongLoopIsBounded(t *testing.T) {
	r := record.New()
	const rounds = 100_000
	big := strings.Repeat("x", 40<<10)
	for i := range rounds {
		path, status := fmt.Sprintf("loop/%d/fmt", i), engine.StatusSucceeded
		if i == 7 {
			status = engine.StatusFailed
		}
		r.Apply([]engine.Event{
			{Name: engine.EventStarted, NodeID: path, Time: at(i)},
			{Name: engine.EventProgress, NodeID: path, Time: at(i), Message: path},
			{Name: engine.EventNode, NodeID: path, Time: at(i + 1), Status: status, Outputs: map[string]any{"text": big}},
		})
	}
	n := r.Node("loop/fmt")
	require.Equal(t, rounds, n.Done)
	require.Equal(t, rounds, n.Rounds())
	require.Equal(t, 1, n.Failed)
	require.Equal(t, engine.StatusFailed, n.State(), "the worst of all, though that step is gone")
	steps := n.Steps()
	require.Len(t, steps, record.MaxSteps)
	require.Equal(t, "loop/99999/fmt", steps[len(steps)-1].Path)
	require.Equal(t, big, steps[len(steps)-1].Outputs["text"])
	bytes, elided := record.Elided(steps[0].Outputs["text"])
	require.True(t, elided, "only so much is kept of the outputs")
	require.InDelta(t, 40<<10, bytes, 10)
	require.Len(t, r.Messages(), record.MaxMessages)
	require.Equal(t, "loop/99999/fmt", r.Messages()[record.MaxMessages-1].Text)
	require.NotNil(t, n.StepAt("loop/99900/fmt"))
	require.Nil(t, n.StepAt("loop/3/fmt"))
	require.Equal(t, []string{"loop", "loop/fmt"}, paths(r.Rows()), "a body lies below its container")
}

func TestPastRunsAreInOrderOfStart(t *testing.T) {
	r := record.Past(&engine.Result{
		RunID: "r", Status: engine.StatusFailed, StartedAt: at(0), FinishedAt: at(100), Duration: 100 * time.Millisecond,
		Order: []string{"quick", "skipped", "slow"},
		Nodes: map[string]engine.NodeResult{
			"slow":    {Status: engine.StatusSucceeded, StartedAt: at(1), Duration: 90 * time.Millisecond},
			"quick":   {Status: engine.StatusFailed, StartedAt: at(2), Duration: time.Millisecond, Error: &engine.Failure{Code: "timeout"}},
			"skipped": {Status: engine.StatusSkipped, SkippedBecause: &engine.Skip{NodeID: "quick", Reason: "failed"}},
			"never":   {Status: engine.StatusPending},
		},
	})
	require.Equal(t, []string{"slow", "quick", "skipped", "never"}, paths(r.Rows()))
	require.Equal(t, "timeout", r.Node("quick").Error.Code)
	require.Equal(t, at(91), r.Node("slow").Ended)
	require.Equal(t, 100*time.Millisecond, r.Duration())
	require.Equal(t, at(100), r.Now())
}

// The clock of a server may be wrong, and events may be old when they come.
func TestTimeGoesOnByTheClockOfTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := record.New()
		const skew = -time.Hour
		begin := time.Now().Add(skew)
		time.Sleep(5 * time.Second) //nolint:forbidigo // a bubble's own time
		r.Apply([]engine.Event{
			{Name: engine.EventStarted, Time: begin},
			{Name: engine.EventStarted, NodeID: "a", Time: begin.Add(5 * time.Second)},
		})
		time.Sleep(time.Second) //nolint:forbidigo // a bubble's own time
		require.Equal(t, 6*time.Second, r.Duration())
		r.Apply([]engine.Event{{Name: engine.EventProgress, NodeID: "a", Time: begin.Add(3 * time.Second)}})
		require.Equal(t, 6*time.Second, r.Duration(), "an event that was late does not turn it back")
	})
}

const loop = `{"id":"loop","nodes":[` +
	`{"id":"names","type":"io.input","config":{"name":"names","type":"list<string>","default":["Ada","Bo","Cy"]}},` +
	`{"id":"each","type":"control.foreach","body":{"nodes":[` +
	`{"id":"item","type":"io.input","config":{"name":"item","type":"string"}},` +
	`{"id":"fmt","type":"text.format","config":{"template":"Hi {name}"}},` +
	`{"id":"out","type":"io.output","config":{"name":"result"}}],` +
	`"connections":[{"fromNodeId":"item","fromPort":"value","toNodeId":"fmt","toPort":"name"},` +
	`{"fromNodeId":"fmt","fromPort":"result","toNodeId":"out","toPort":"value"}]}},` +
	`{"id":"greetings","type":"io.output","config":{"name":"greetings"}}],` +
	`"connections":[{"fromNodeId":"names","fromPort":"value","toNodeId":"each","toPort":"list"},` +
	`{"fromNodeId":"each","fromPort":"result","toNodeId":"greetings","toPort":"value"}]}`

// What the events of a real run tell is what its result tells.
func TestARealRunWithALoop(t *testing.T) {
	a, err := app.New(app.Config{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, a.Close(context.Background())) })
	def, err := workflow.Decode([]byte(loop), workflow.DefaultLimits())
	require.NoError(t, err)
	id, err := a.Start(t.Context(), def, run.Request{})
	require.NoError(t, err)
	r := record.New()
	var result *engine.Result
	for e, err := range a.Events(t.Context(), id, 0) {
		require.NoError(t, err)
		r.Apply([]engine.Event{e})
		if e.Result != nil {
			result = e.Result
		}
	}
	require.Equal(t, engine.StatusCompleted, r.Status, "%v", r.Error)
	require.Equal(t, []any{"Hi Ada", "Hi Bo", "Hi Cy"}, r.Outputs["greetings"])
	require.Equal(t, 3, r.Node("each/fmt").Done)
	require.Equal(t, 3, r.Node("each").Rounds())
	require.Equal(t, "Hi Bo", r.Node("each/fmt").StepAt("each/1/fmt").Outputs["result"])

	past := record.Past(result)
	require.Equal(t, r.Duration(), past.Duration())
	for _, n := range past.Rows() {
		require.Equal(t, n.State(), r.Node(n.Path).State(), n.Path)
		require.Equal(t, n.Steps()[0].Outputs, r.Node(n.Path).Steps()[0].Outputs, n.Path)
	}
}
