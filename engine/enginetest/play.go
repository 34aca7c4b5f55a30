package enginetest

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/svcflow/svc/engine"
)

// Play is the result of a run with its events.
type Play struct {
	*engine.Result
	Run    *engine.Run
	Events []engine.Event
}

// PlayFlow compiles and runs f, and checks what holds for every run: its events are
// numbered without gaps and agree with the result, and both forms of the result are the
// same JSON.
func PlayFlow(tb testing.TB, r engine.Runner, k *Kit, f *Flow, inputs map[string]any) *Play {
	tb.Helper()
	return PlayPlan(tb.Context(), tb, r, k.Compile(tb, f), engine.Options{Inputs: inputs})
}

// PlayPlan runs p and checks what holds for every run. o.Observe may be set.
func PlayPlan(ctx context.Context, tb testing.TB, r engine.Runner, p *engine.Plan, o engine.Options) *Play {
	tb.Helper()
	play := &Play{}
	var mu sync.Mutex
	observe := o.Observe
	o.RunID = "run-1"
	o.Observe = func(e engine.Event) {
		mu.Lock()
		play.Events = append(play.Events, e)
		mu.Unlock()
		if observe != nil {
			observe(e)
		}
	}
	run, err := r.Run(ctx, p, o)
	require.NoError(tb, err)
	mu.Lock()
	defer mu.Unlock()
	play.Run, play.Result = run, run.Result()
	play.check(tb)
	return play
}

// check compares the events with each other and with the result.
func (p *Play) check(tb testing.TB) {
	tb.Helper()
	started, ended := map[string]bool{}, map[string]engine.Event{}
	for i, e := range p.Events {
		require.Equal(tb, i+1, e.Seq, "events are numbered without gaps")
		require.Equal(tb, "run-1", e.RunID)
		require.Equal(tb, i == len(p.Events)-1, e.Name.Terminal(), "event %d of %d: %s", e.Seq, len(p.Events), e.Name)
		require.Equal(tb, i == 0, e.Name == engine.EventStarted && e.NodeID == "", "event %d", e.Seq)
		if e.NodeID == "" {
			continue
		}
		require.NotContains(tb, ended, e.NodeID, "event %d (%s) of a node that had ended", e.Seq, e.Name)
		switch e.Name {
		case engine.EventStarted:
			require.NotContains(tb, started, e.NodeID, "a node starts once")
			started[e.NodeID] = true
		case engine.EventNode:
			ended[e.NodeID] = e
		case engine.EventProgress:
			if e.Error != nil { // the nodes inside are called again
				inside := func(path string) bool { return strings.HasPrefix(path, e.NodeID+"/") }
				maps.DeleteFunc(ended, func(path string, _ engine.Event) bool { return inside(path) })
				maps.DeleteFunc(started, func(path string, _ bool) bool { return inside(path) })
			}
		default:
		}
	}
	p.checkNodes(tb, ended)
	whole, err := json.Marshal(p.Result)
	require.NoError(tb, err)
	require.JSONEq(tb, string(whole), string(p.Run.AppendJSON(nil, engine.NoElision)))
	if brief, ok := p.Run.AppendBrief(nil, 1<<30); ok {
		unbriefed, err := engine.AppendExpanded(nil, brief)
		require.NoError(tb, err)
		require.Equal(tb, string(p.Run.AppendJSON(nil, engine.NoElision)), string(unbriefed))
	}
	require.Equal(tb, p.Status, p.Run.Status())
	require.Equal(tb, p.Error, p.Run.Err())
	require.Equal(tb, p.Outputs, p.Run.Outputs())
}

func (p *Play) checkNodes(tb testing.TB, ended map[string]engine.Event) {
	tb.Helper()
	order := map[string]bool{}
	for _, id := range p.Order {
		require.False(tb, order[id], "node %q ended twice", id)
		order[id] = true
	}
	for id, n := range p.Nodes {
		e, over := ended[id]
		neverStarted := n.Status == engine.StatusCancelled && n.Attempts == 0
		require.Equal(tb, !neverStarted, over, "an event of node %q, which is %s", id, n.Status)
		require.Equal(tb, over, order[id], "order holds the nodes that ended; %q", id)
		if over {
			require.Equal(tb, n.Status, e.Status)
			require.Equal(tb, n.Attempts, e.Attempts)
			require.Equal(tb, n.SkippedBecause, e.SkippedBecause)
			require.Equal(tb, n.Handled, e.Handled)
		}
	}
	last := p.Events[len(p.Events)-1]
	require.Equal(tb, p.Status == engine.StatusCompleted, last.Name == engine.EventCompleted)
	require.Equal(tb, p.Result, last.Result)
	require.Equal(tb, p.Error, last.Error)
}

// States returns a short description of each node's outcome: "succeeded", "failed timeout
// handled", "skipped (a failed)".
func (p *Play) States() map[string]string {
	states := make(map[string]string, len(p.Nodes))
	for id, n := range p.Nodes {
		s := n.Status.String()
		if n.Error != nil {
			s += " " + n.Error.Code
		}
		if n.Handled {
			s += " handled"
		}
		if b := n.SkippedBecause; b != nil {
			s += fmt.Sprintf(" (%s %s)", b.NodeID, b.Reason)
		}
		states[id] = s
	}
	return states
}

// Outputs of a node, or nil.
func (p *Play) node(id string) map[string]any { return maps.Clone(p.Nodes[id].Outputs) }

// seen returns the events of one kind about one node.
func (p *Play) seen(name engine.EventName, nodeID string) []engine.Event {
	var found []engine.Event
	for _, e := range p.Events {
		if e.Name == name && e.NodeID == nodeID {
			found = append(found, e)
		}
	}
	return found
}
