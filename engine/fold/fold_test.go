package fold_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/fold"
	"github.com/svcflow/svc/engine/node"
)

func at(ms int) time.Time { return time.UnixMilli(1_700_000_000_000 + int64(ms)).UTC() }

func started(id string, ms int) engine.Event {
	return engine.Event{Name: engine.EventStarted, NodeID: id, Time: at(ms)}
}

func ended(id string, ms int, s engine.Status, outputs map[string]any) engine.Event {
	return engine.Event{Name: engine.EventNode, NodeID: id, Time: at(ms), Status: s, Attempts: 1, Outputs: outputs}
}

func apply(events ...engine.Event) *fold.State {
	s := &fold.State{}
	for _, e := range events {
		s.Apply(e)
	}
	return s
}

func TestAnElidedValueIsUnknown(t *testing.T) {
	one := map[string]any{"items": []any{1}}
	s := apply(
		ended("loop/0/fmt", 1, engine.StatusSucceeded, one),
		ended("loop/1/fmt", 2, engine.StatusSucceeded, map[string]any{"items": engine.Elide(70_000)}),
	)
	require.Equal(t, fold.Unknown, s.Node("loop/fmt").Items["items"])
	s.Apply(ended("loop/2/fmt", 3, engine.StatusSucceeded, one))
	require.Equal(t, fold.Unknown, s.Node("loop/fmt").Items["items"], "3 items in all, of which nobody has counted one")
	s.Apply(ended("loop/3/fmt", 4, engine.StatusSucceeded, map[string]any{"items": engine.Elide(70_000)}))
	require.Equal(t, fold.Unknown, s.Node("loop/fmt").Items["items"])
}

func TestCountsWhatPortsGive(t *testing.T) {
	s := apply(
		ended("loop/0/fmt", 1, engine.StatusSucceeded, map[string]any{"list": []any{1, 2, 3}, "one": "x", "none": []any{}, "null": nil}),
		ended("loop/1/fmt", 2, engine.StatusSucceeded, map[string]any{"list": []any{4}, "one": map[string]any{"$elided": true}}),
	)
	require.Equal(t, map[string]int{"list": 4, "one": 2, "none": 0, "null": 1}, s.Node("loop/fmt").Items)
}

// A step that is skipped has never started, so its end must not count as that of another.
func TestASkippedStepEndsNoOther(t *testing.T) {
	s := apply(started("loop/0/fmt", 0), ended("loop/1/fmt", 1, engine.StatusSkipped, nil))
	n := s.Node("loop/fmt")
	require.Equal(t, engine.StatusRunning, n.State())
	require.Equal(t, []int{1, 1, 2}, []int{len(n.Running), n.Done, n.Rounds()})
	s.Apply(ended("loop/0/fmt", 2, engine.StatusSucceeded, nil))
	require.Equal(t, engine.StatusSucceeded, n.State(), "worse than skipped")
}

func TestShowsTheWorstEndOfAllSteps(t *testing.T) {
	s := apply(
		ended("loop/0/fmt", 1, engine.StatusSucceeded, nil),
		engine.Event{Name: engine.EventNode, NodeID: "loop/1/fmt", Status: engine.StatusFailed, Time: at(2), Error: &engine.Failure{Code: "one"}},
		engine.Event{Name: engine.EventNode, NodeID: "loop/2/fmt", Status: engine.StatusFailed, Time: at(3), Error: &engine.Failure{Code: "two"}},
		ended("loop/3/fmt", 4, engine.StatusCancelled, nil),
	)
	n := s.Node("loop/fmt")
	require.Equal(t, engine.StatusFailed, n.State())
	require.Equal(t, "two", n.Error.Code)
	require.Equal(t, []int{4, 2}, []int{n.Done, n.Failed})
	done, failed := s.Node("loop").Inside()
	require.Equal(t, []int{4, 2}, []int{done, failed})
	require.Equal(t, engine.StatusPending, s.Node("loop").State(), "nothing is known but its body")
	require.Equal(t, fold.Path("loop/3/fmt"), n.Last.Path)
}

func TestKnowsTheNextAttempt(t *testing.T) {
	why := &engine.Failure{Code: "http_503"}
	retry := func(id string, ms int, in time.Duration) engine.Event {
		return engine.Event{Name: engine.EventProgress, NodeID: id, Time: at(ms), Error: why, RetryIn: in}
	}
	s := apply(started("a", 0), retry("a", 5, 400*time.Millisecond))
	n := s.Node("a")
	require.Equal(t, &fold.Retry{Attempt: 2, In: 400 * time.Millisecond, At: at(405), Error: why}, n.Retry())
	s.Apply(retry("a", 500, time.Second))
	require.Equal(t, 3, n.Retry().Attempt)
	s.Apply(engine.Event{Name: engine.EventProgress, NodeID: "a", Time: at(1501), Message: "sending"})
	require.Nil(t, n.Retry(), "the pause is over")
	s.Apply(engine.Event{Name: engine.EventNode, NodeID: "a", Time: at(1600), Status: engine.StatusSucceeded, Attempts: 3})
	require.Equal(t, 3, n.Last.Attempts)
	require.Nil(t, n.Last.Error)

	s = apply(started("loop/0/a", 0), started("loop/1/a", 0), retry("loop/0/a", 1, time.Second), retry("loop/1/a", 2, time.Second))
	s.Apply(started("loop/2/a", 3))
	require.Equal(t, at(1002), s.Node("loop/a").Retry().At, "the start of another step ends no pause")
	s.Apply(ended("loop/1/a", 1100, engine.StatusSucceeded, nil))
	require.Equal(t, at(1001), s.Node("loop/a").Retry().At)
}

// A body that was given up tells nothing of its end.
func TestTheEndOfAContainerEndsItsBody(t *testing.T) {
	s := apply(started("loop", 0), started("loop/0/in", 1), started("loop/0/in/0/deaf", 2), started("loop/1/in/0/deaf", 2), started("loop2/0/deaf", 2))
	steps := s.Apply(ended("loop/0/in", 5, engine.StatusFailed, nil))
	require.Len(t, steps, 2)
	require.Equal(t, fold.Path("loop/0/in/0/deaf"), steps[0].Path)
	require.Equal(t, engine.StatusCancelled, steps[0].Status)
	require.Equal(t, 3*time.Millisecond, steps[0].Duration)
	require.Len(t, s.Node("loop/in/deaf").Running, 1, "that of another round")
	s.Apply(engine.Event{Name: engine.EventProgress, NodeID: "loop", Time: at(7), Error: &engine.Failure{Code: "timeout"}})
	require.Empty(t, s.Node("loop/in/deaf").Running, "another attempt begins from nothing")
	require.Len(t, s.Node("loop2/deaf").Running, 1, "another container")
}

func TestTheEndOfARunEndsAll(t *testing.T) {
	s := apply(engine.Event{Name: engine.EventStarted, RunID: "r", WorkflowID: "w", Time: at(0)}, started("a", 10), started("loop/0/b", 20))
	require.Equal(t, engine.StatusRunning, s.Status)
	steps := s.Apply(engine.Event{Name: engine.EventFailed, Time: at(90), Error: &engine.Failure{Code: "x", NodeID: "a"}})
	require.Len(t, steps, 2)
	require.Equal(t, engine.StatusFailed, s.Status)
	require.Equal(t, 90*time.Millisecond, s.Took)
	require.Equal(t, engine.StatusCancelled, s.Node("a").State())
	require.Equal(t, 70*time.Millisecond, s.Node("loop/b").Last.Duration)
	require.Empty(t, s.Apply(ended("a", 95, engine.StatusSucceeded, nil)), "the end of a run is final")
	require.Equal(t, engine.StatusCancelled, s.Node("a").State())
}

// Of a loop all steps are counted, and only the last is kept.
func TestALongLoopIsBounded(t *testing.T) {
	s := &fold.State{}
	const rounds = 100_000
	for i := range rounds {
		id := fmt.Sprintf("loop/%d/fmt", i)
		s.Apply(started(id, i))
		s.Apply(ended(id, i+1, engine.StatusSucceeded, map[string]any{"text": "x"}))
	}
	n := s.Node("loop/fmt")
	require.Equal(t, []int{rounds, rounds, rounds}, []int{n.Done, n.Items["text"], n.Rounds()})
	require.Empty(t, n.Running)
	require.Len(t, s.Nodes, 2)
	require.Empty(t, s.Order, "it is of nodes outside all bodies")
}

func TestPastRunsAreInOrderOfStart(t *testing.T) {
	result := &engine.Result{
		RunID: "r", Status: engine.StatusFailed, StartedAt: at(0), FinishedAt: at(100), Duration: 100 * time.Millisecond,
		Order: []string{"quick", "skipped", "slow"}, Outputs: map[string]any{"v": 1},
		Nodes: map[string]engine.NodeResult{
			"slow":    {Status: engine.StatusSucceeded, StartedAt: at(1), Duration: 90 * time.Millisecond, Attempts: 1},
			"quick":   {Status: engine.StatusFailed, StartedAt: at(2), Duration: time.Millisecond, Attempts: 2, Error: &engine.Failure{Code: "timeout"}},
			"skipped": {Status: engine.StatusSkipped, StartedAt: at(0), SkippedBecause: &engine.Skip{NodeID: "quick", Reason: "failed"}},
			"never":   {Status: engine.StatusCancelled, StartedAt: at(0)},
		},
	}
	s := fold.Past(result)
	var names []string
	for _, n := range s.Rows() {
		names = append(names, n.Name)
	}
	require.Equal(t, []string{"slow", "quick", "skipped", "never"}, names)
	require.Equal(t, at(91), s.Node("slow").Ended)
	require.Zero(t, s.Node("never").Started, "what was never called has no times")
	require.Equal(t, result.Order, s.Result(nil).Order)
	require.Equal(t, result.Outputs, s.Outputs)
}

// What a journal tells of a run whose process has died.
func TestTheResultOfARunThatGoesOn(t *testing.T) {
	s := apply(
		engine.Event{Name: engine.EventStarted, RunID: "r", WorkflowID: "w", Time: at(0)},
		started("a", 1), started("loop", 2), started("loop/0/b", 3), ended("loop/0/b", 4, engine.StatusSucceeded, nil),
		engine.Event{Name: engine.EventNode, NodeID: "a", Status: engine.StatusSucceeded, Time: at(8), Duration: 7 * time.Millisecond, Attempts: 1, Outputs: map[string]any{"v": 1}},
		engine.Event{Name: engine.EventProgress, NodeID: "loop", Time: at(9), Message: "still here"},
	)
	require.Equal(t, &engine.Result{
		RunID: "r", WorkflowID: "w", Status: engine.StatusRunning, StartedAt: at(0), FinishedAt: at(9), Duration: 9 * time.Millisecond,
		Outputs: map[string]any{}, Order: []string{"a"}, Nodes: map[string]engine.NodeResult{
			"a": {Status: engine.StatusSucceeded, StartedAt: at(1), Duration: 7 * time.Millisecond, Attempts: 1, Outputs: map[string]any{"v": 1}},
			"loop": {Status: engine.StatusFailed, StartedAt: at(2), Duration: 7 * time.Millisecond, Attempts: 1, Error: &engine.Failure{
				Code: node.CodeInterrupted, Message: "the run was interrupted while the node was under way; nobody knows whether it was done",
			}},
			"never": {Status: engine.StatusCancelled},
		},
	}, s.Result([]string{"a", "loop", "never"}))
}
