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
	"github.com/svcflow/svc/engine/fold"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/ui/runview/record"
)

func at(ms int) time.Time { return time.UnixMilli(1_700_000_000_000 + int64(ms)).UTC() }

func names(rows []*fold.Node) (out []string) {
	for _, n := range rows {
		out = append(out, n.Name)
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
	require.Equal(t, []string{"b", "a"}, names(r.Rows()), "in order of start")
	require.Equal(t, engine.StatusRunning, r.Node("b").State())
	require.Equal(t, at(50), r.Node("a").Ended)
	require.Equal(t, map[string]any{"v": 1}, r.Steps(r.Node("a"))[0].Outputs)
	require.Equal(t, []record.Message{{Path: "b", Time: at(30), Text: "half"}}, r.Messages())
	r.Apply([]engine.Event{{Name: engine.EventFailed, Time: at(90), Error: &engine.Failure{Code: "x", NodeID: "b"}}})
	require.Equal(t, engine.StatusFailed, r.Status)
	require.Equal(t, 90*time.Millisecond, r.Duration())
	require.Equal(t, engine.StatusCancelled, r.Node("b").State(), "nobody will tell its end")
	require.Equal(t, 80*time.Millisecond, r.Steps(r.Node("b"))[0].Duration)
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
	steps := r.Steps(n)
	require.Len(t, steps, record.MaxSteps)
	require.Equal(t, fold.Path("loop/99999/fmt"), steps[len(steps)-1].Path)
	require.Equal(t, big, steps[len(steps)-1].Outputs["text"])
	bytes, elided := engine.Elided(steps[0].Outputs["text"])
	require.True(t, elided, "only so much is kept of the outputs")
	require.InDelta(t, 40<<10, bytes, 10)
	require.Len(t, r.Messages(), record.MaxMessages)
	require.Equal(t, "loop/99999/fmt", r.Messages()[record.MaxMessages-1].Text)
	require.NotNil(t, r.Step("loop/99900/fmt"))
	require.Nil(t, r.Step("loop/3/fmt"))
	require.Equal(t, []string{"loop", "loop/fmt"}, names(r.Rows()), "a body lies below its container")
}

// The clock of a server may be wrong, and events may be old when they come.
func TestTimeFollowsTheClockOfTheRun(t *testing.T) {
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

// The events of a real run give the same state as its result.
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
	require.Equal(t, "Hi Bo", r.Step("each/1/fmt").Outputs["result"])

	past := record.Past(result)
	require.Equal(t, r.Duration(), past.Duration())
	for _, n := range past.Rows() {
		require.Equal(t, n.State(), r.Node(n.Name).State(), n.Name)
		require.Equal(t, past.Steps(n)[0].Outputs, r.Steps(r.Node(n.Name))[0].Outputs, n.Name)
	}
}

func TestARunThatIsLostDoesNotGoOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := record.New()
		r.Apply([]engine.Event{{Name: engine.EventStarted, Seq: 1, Time: time.Now()}})
		time.Sleep(time.Second) //nolint:forbidigo // of the bubble
		require.True(t, r.Running())
		r.Lose()
		time.Sleep(time.Hour) //nolint:forbidigo // of the bubble
		require.False(t, r.Running())
		require.True(t, r.Lost())
		require.Equal(t, time.Second, r.Duration())
		ended := record.New()
		ended.Apply([]engine.Event{{Name: engine.EventStarted, Seq: 1, Time: time.Now()}, {Name: engine.EventCompleted, Seq: 2, Time: time.Now()}})
		ended.Lose()
		require.False(t, ended.Lost(), "its end was heard")
	})
}
