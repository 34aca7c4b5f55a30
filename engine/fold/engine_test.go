package fold_test

import (
	"bytes"
	"context"
	"maps"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/enginetest"
	"github.com/svcflow/svc/engine/fold"
)

// folding is a runner that holds the fold of each run's events against its result.
type folding struct {
	t    *testing.T
	mu   *sync.Mutex
	runs *int
}

// Run implements [engine.Runner].
func (f folding) Run(ctx context.Context, p *engine.Plan, o engine.Options) (*engine.Run, error) {
	var mu sync.Mutex
	var events []engine.Event
	observe := o.Observe
	o.Observe = func(e engine.Event) {
		mu.Lock()
		events = append(events, e)
		mu.Unlock()
		if observe != nil {
			observe(e)
		}
	}
	run, err := new(engine.Local).Run(ctx, p, o)
	if err != nil {
		return nil, err
	}
	mu.Lock()
	defer mu.Unlock()
	f.compare(events, run.Result())
	return run, nil
}

// compare folds all events but what the last tells of nodes, which is no news: it must
// not be what makes the fold right. Only what a secret that became known later hides in
// the result is told by none before.
func (f folding) compare(events []engine.Event, want *engine.Result) {
	f.mu.Lock()
	defer f.mu.Unlock()
	*f.runs++
	nodes := slices.Collect(maps.Keys(want.Nodes))
	s, whole := &fold.State{}, &fold.State{}
	steps, done := 0, 0
	for _, e := range events {
		whole.Apply(e)
		if e.Name.Terminal() {
			bare := *e.Result
			bare.Nodes, bare.Order = nil, nil
			e.Result = &bare
		}
		steps += len(s.Apply(e))
	}
	for _, n := range s.Rows() {
		done += n.Done
		require.Empty(f.t, n.Running)
	}
	require.Equal(f.t, done, steps, "each step ends once")
	if !bytes.Contains(want.AppendJSON(nil, engine.NoElision), []byte("[redacted]")) {
		same(f.t, want, s.Result(nodes))
	}
	same(f.t, want, whole.Result(nodes))
	same(f.t, want, fold.Past(want).Result(nodes))
}

// same compares all but the moments at which nodes began: an event tells when a node has
// ended and how long it took, by two clocks.
func same(t *testing.T, want, got *engine.Result) {
	t.Helper()
	got.Order = append([]string{}, got.Order...)
	for id, n := range got.Nodes {
		n.StartedAt = want.Nodes[id].StartedAt
		got.Nodes[id] = n
	}
	require.Equal(t, want, got)
}

// TestTheFoldOfAnyRunIsItsResult runs every flow of the conformance suite of runners.
func TestTheFoldOfAnyRunIsItsResult(t *testing.T) {
	f := folding{t: t, mu: &sync.Mutex{}, runs: new(int)}
	enginetest.Runner(t, func() engine.Runner { return f })
	require.Greater(t, *f.runs, 100, "there is something to compare")
}
