package app

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/app/runs"
	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/workflow"
)

// A run is resumed with a repaired workflow; unchanged nodes are not called again.
func TestResumeWithARepairedWorkflow(t *testing.T) {
	for name, test := range map[string]struct {
		old, new string // what is changed
		how      run.Resumption
		calls    map[string]int // in the resumed run
	}{
		"a node behind":       {`"label":"last"`, `"label":"end"`, run.Resumption{}, map[string]int{"end [1 2 3]": 1}},
		"what does not count": {`"type":"test.count","config":{"label":"first"}`, `"type":"test.count","label":"1st","timeoutMs":99,"retry":{"maxAttempts":2},"config":{"label":"first"}`, run.Resumption{From: "last"}, map[string]int{"last [1 2 3]": 1}},
		"a node in a body":    {`"label":"then"`, `"label":"so"`, run.Resumption{}, map[string]int{"so 1": 1, "so 2": 1, "so 3": 1, "last [1 2 3]": 0}},
		"a value on the way":  {`[1,2,3]`, `[1,5,3]`, run.Resumption{}, map[string]int{"item 5": 1, "then 5": 1, "last [1 5 3]": 1}},
		"from a node":         {"", "", run.Resumption{From: "first"}, map[string]int{"first": 1}},
		"from a body":         {"", "", run.Resumption{From: "loop/then"}, map[string]int{"then 1": 1, "then 2": 1, "then 3": 1, "last [1 2 3]": 1}},
		"from a container":    {"", "", run.Resumption{From: "loop"}, map[string]int{"item 1": 1, "item 2": 1, "item 3": 1, "then 1": 1, "then 2": 1, "then 3": 1, "last [1 2 3]": 1}},
	} {
		t.Run(name, func(t *testing.T) {
			c := newCounter()
			inBubble(t, Config{ExtraPlugins: []node.Plugin{c}}, func(t *testing.T, a *App) {
				id, err := a.StartJSON(t.Context(), []byte(counted), run.Request{})
				require.NoError(t, err)
				require.Equal(t, engine.EventCompleted, ended(t, a, id).Name)
				_, err = a.Resume(t.Context(), id, run.Resumption{})
				require.ErrorIs(t, err, runs.ErrRunNotResumable, "nothing is changed")
				c.mu.Lock()
				clear(c.calls)
				c.mu.Unlock()
				how := test.how
				how.Workflow = parse(t, strings.Replace(counted, test.old, test.new, 1))
				id, err = a.Resume(t.Context(), id, how)
				require.NoError(t, err)
				last := ended(t, a, id)
				require.Equal(t, engine.EventCompleted, last.Name, "%v", last.Error)
				for label, calls := range test.calls {
					require.Equal(t, calls, c.count(label), label)
				}
				total := 0
				for _, calls := range c.calls {
					total += calls
				}
				want := 0
				for _, calls := range test.calls {
					want += calls
				}
				require.Equal(t, want, total, "%v", c.calls)
			})
		})
	}
}

func TestResumeWithTheCurrentWorkflowAndInputs(t *testing.T) {
	c := newCounter()
	inBubble(t, Config{ExtraPlugins: []node.Plugin{c}}, func(t *testing.T, a *App) {
		const doc = `{"id":"w","nodes":[{"id":"in","type":"io.input","config":{"name":"in","type":"any","default":1}},
			{"id":"a","type":"test.count","config":{"label":"a"}},{"id":"b","type":"test.count","config":{"label":"b"}}],
			"connections":[{"fromNodeId":"in","fromPort":"value","toNodeId":"a","toPort":"item"}]}`
		save := func(text string) {
			_, err := a.Save(t.Context(), parse(t, text), workflow.Condition{})
			require.NoError(t, err)
		}
		save(doc)
		first, err := a.StartStored(t.Context(), "w", run.Request{})
		require.NoError(t, err)
		ended(t, a, first)
		save(strings.Replace(doc, `"label":"b"`, `"label":"c"`, 1))
		id, err := a.Resume(t.Context(), first, run.Resumption{Current: true})
		require.NoError(t, err)
		ended(t, a, id)
		require.Equal(t, []int{1, 1, 1}, []int{c.count("a 1"), c.count("b"), c.count("c")})
		id, err = a.Resume(t.Context(), first, run.Resumption{Inputs: map[string]any{"in": 2}})
		require.NoError(t, err)
		ended(t, a, id)
		require.Equal(t, []int{1, 1, 1}, []int{c.count("a 1"), c.count("a 2"), c.count("b")})
		_, err = a.Resume(t.Context(), first, run.Resumption{From: "nobody"})
		require.ErrorIs(t, err, ErrNoSuchNode)
		_, err = a.Resume(t.Context(), first, run.Resumption{Inputs: map[string]any{"in": 1}})
		require.NoError(t, err, "it was a default before")
	})
}
