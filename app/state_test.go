package app

import (
	"context"
	"fmt"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/nodes/state"
	"github.com/svcflow/svc/nodes/trigger"
	"github.com/svcflow/svc/store"
	"github.com/svcflow/svc/store/memstore"
	"github.com/svcflow/svc/store/statelog"
)

// tally is a workflow that counts its runs.
const tally = `{"id":"tally","nodes":[
	{"id":"n","type":"state.incr","config":{"key":"n"}},
	{"id":"out","type":"io.output","config":{"name":"said"}}],
	"connections":[{"fromNodeId":"n","fromPort":"value","toNodeId":"out","toPort":"value"}]}`

func TestStateIsOfStoredWorkflows(t *testing.T) {
	for _, keep := range []bool{false, true} {
		a := newTestApp(t, Config{ExtraPlugins: []node.Plugin{state.Plugin()}, KeepState: keep})
		def := parse(t, tally)
		_, err := a.Save(t.Context(), def, workflow.Condition{})
		require.NoError(t, err)
		for n := 1; n <= 2; n++ {
			out, err := a.ExecuteStored(t.Context(), "tally", run.Request{})
			require.Equal(t, n, said(t, out, err))
		}
		id, err := a.StartStored(t.Context(), "tally", run.Request{})
		require.NoError(t, err)
		require.Equal(t, 3, ended(t, a, id).Result.Outputs["said"])
		want := 1
		if keep {
			want = 4
		}
		out, err := a.Execute(t.Context(), def, run.Request{}, nil)
		require.Equal(t, want, said(t, out, err))
		require.NoError(t, a.Delete(t.Context(), "tally", workflow.Condition{}))
		_, err = a.State(t.Context(), "tally", "n")
		require.ErrorIs(t, err, ErrNoState)
		require.NoError(t, a.Close(t.Context()))
	}
}

// stateful runs one node of the plugin, stored, and returns its outputs, or the code of its failure.
func stateful(t *testing.T, a *App, typ, config string) (map[string]any, string) {
	t.Helper()
	def := parse(t, fmt.Sprintf(`{"id":"one","nodes":[{"id":"n","type":%q,"config":%s}],"connections":[]}`, typ, config))
	_, err := a.Save(t.Context(), def, workflow.Condition{})
	require.NoError(t, err)
	out, err := a.ExecuteStored(t.Context(), "one", run.Request{})
	require.NoError(t, err)
	n := out.Result().Nodes["n"]
	if n.Error != nil {
		return nil, n.Error.Code
	}
	return n.Outputs, ""
}

func TestNodesOfState(t *testing.T) {
	a := newTestApp(t, Config{ExtraPlugins: []node.Plugin{state.Plugin()}})
	defer func() { require.NoError(t, a.Close(t.Context())) }()
	type record = map[string]any
	for i, tt := range []struct {
		typ, config string
		want        record
		code        string
	}{
		{"state.get", `{"key":"k"}`, record{"value": nil, "found": false, "revision": 0}, ""},
		{"state.get", `{"key":"k","default":7}`, record{"value": 7, "found": false, "revision": 0}, ""},
		{"state.set", `{"key":"k","value":{"a":[1,2.5,null]},"ifRevision":0}`, record{"value": record{"a": []any{1, 2.5, nil}}, "found": false, "revision": 1}, ""},
		{"state.get", `{"key":"k"}`, record{"value": record{"a": []any{1, 2.5, nil}}, "found": true, "revision": 1}, ""},
		{"state.get", `{"key":"k","scope":"shared"}`, record{"value": nil, "found": false, "revision": 0}, ""},
		{"state.set", `{"key":"k","value":1,"ifRevision":0}`, nil, "conflict"},
		{"state.incr", `{"key":"k"}`, nil, node.CodeTypeError},
		{"state.set", `{"key":"k","value":null,"ifRevision":1,"ttl":"1h"}`, record{"value": nil, "found": true, "revision": 2}, ""},
		{"state.get", `{"key":"k","default":7}`, record{"value": nil, "found": true, "revision": 2}, ""},
		{"state.delete", `{"key":"k"}`, record{"value": nil, "found": true}, ""},
		{"state.delete", `{"key":"k"}`, record{"value": nil, "found": false}, ""},
		{"state.incr", `{"key":"n","by":-3}`, record{"value": -3, "found": false}, ""},
		{"state.incr", `{"key":"n","by":9223372036854775807}`, record{"value": 9223372036854775804, "found": true}, ""},
		{"state.incr", `{"key":"n","by":9}`, nil, node.CodeLimitExceeded},
		{"state.incr", `{"key":"n","by":0}`, record{"value": 9223372036854775804, "found": true}, ""},
		{"state.get", `{"key":".."}`, record{"value": nil, "found": false, "revision": 0}, ""},
		{"state.set", `{"key":"..","value":1}`, nil, node.CodeInvalidInput},
		{"state.set", fmt.Sprintf(`{"key":"k","value":"%0*d"}`, 256<<10, 0), nil, node.CodeLimitExceeded},
	} {
		got, code := stateful(t, a, tt.typ, tt.config)
		require.Equal(t, tt.code, code, "%d", i)
		require.Equal(t, tt.want, got, "%d", i)
	}
}

// fresh is a workflow that goes through the new ones of two items, and does something for
// each.
const fresh = `{"id":"fresh","nodes":[
	{"id":"new","type":"state.new_items","config":{"list":["a","b","a"],"by":"item"}},
	{"id":"do","type":"test.count","config":{"label":"do"}},
	{"id":"out","type":"io.output","config":{"name":"said"}}],
	"connections":[{"fromNodeId":"new","fromPort":"new","toNodeId":"do","toPort":"item"},
		{"fromNodeId":"do","fromPort":"item","toNodeId":"out","toPort":"value"}]}`

// openFresh opens an App in which fresh is stored.
func openFresh(t *testing.T, c *counter, runs store.RunStore, kept store.StateStore) *App {
	t.Helper()
	a := newTestApp(t, Config{ExtraPlugins: []node.Plugin{c, state.Plugin()}, Runs: runs, State: kept})
	_, err := a.Save(t.Context(), parse(t, fresh), workflow.Condition{})
	require.NoError(t, err)
	return a
}

// seesNew runs fresh and returns which items were new to it.
func seesNew(t *testing.T, a *App) any {
	t.Helper()
	out, err := a.ExecuteStored(t.Context(), "fresh", run.Request{})
	return said(t, out, err)
}

func TestItemsAreSeenWhenARunCompletes(t *testing.T) {
	c := newCounter()
	a := openFresh(t, c, nil, nil)
	defer func() { require.NoError(t, a.Close(t.Context())) }()
	c.set(c.failing, "do [a b]")
	first, err := a.StartStored(t.Context(), "fresh", run.Request{})
	require.NoError(t, err)
	require.Equal(t, engine.StatusFailed, ended(t, a, first).Result.Status)
	second, err := a.StartStored(t.Context(), "fresh", run.Request{})
	require.NoError(t, err)
	require.Equal(t, engine.StatusFailed, ended(t, a, second).Result.Status)
	require.Equal(t, 2, c.count("do [a b]"), "the first has given them back")

	c.set(c.failing)
	resumed, err := a.Resume(t.Context(), first, run.Resumption{})
	require.NoError(t, err)
	require.Equal(t, engine.StatusCompleted, ended(t, a, resumed).Result.Status)
	require.Equal(t, []any{}, seesNew(t, a), "what the run was resumed for is seen, though its node was not called again")
}

func TestItemsStayLentToAnInterruptedRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, runs, kept := newCounter(), &memstore.Runs{}, &statelog.Memory{}
		a := openFresh(t, c, runs, kept)
		c.set(c.waiting, "do [a b]")
		first, err := a.StartStored(t.Context(), "fresh", run.Request{})
		require.NoError(t, err)
		synctest.Wait()
		require.Equal(t, []any{}, seesNew(t, a), "while it runs")
		over, cancel := context.WithCancel(t.Context())
		cancel()
		require.NoError(t, a.Close(over))

		c.set(c.waiting)
		a = openFresh(t, c, runs, kept)
		require.Equal(t, []any{}, seesNew(t, a), "it may go on")
		resumed, err := a.Resume(t.Context(), first, run.Resumption{})
		require.NoError(t, err)
		require.Equal(t, []any{"a", "b"}, ended(t, a, resumed).Result.Outputs["said"])
		require.Equal(t, []any{}, seesNew(t, a))
		require.NoError(t, a.Close(t.Context()))
	})
}

// fullState is a store of state that nothing can be settled in.
type fullState struct{ statelog.Memory }

// Settle implements [store.StateStore].
func (*fullState) Settle(context.Context, string, bool) error { return syscall.ENOSPC }

func TestARunWhoseItemsCannotBeMarkedFails(t *testing.T) {
	a := openFresh(t, newCounter(), nil, &fullState{})
	defer func() { require.NoError(t, a.Close(t.Context())) }()
	out, err := a.ExecuteStored(t.Context(), "fresh", run.Request{})
	require.NoError(t, err)
	require.Equal(t, node.CodeStorageFull, out.Err().Code)
	require.Equal(t, engine.StatusSucceeded, out.Result().Nodes["do"].Status)
}

// TestTriggersHaveTheStateOfTheirWorkflow lets a schedule count.
func TestTriggersHaveTheStateOfTheirWorkflow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newTestApp(t, Config{ExtraPlugins: []node.Plugin{state.Plugin(), trigger.Plugin(trigger.Config{})}, Triggers: true})
		def := parse(t, `{"id":"hourly","nodes":[{"id":"clock","type":"trigger.schedule","config":{"every":"1h"}},
			{"id":"n","type":"state.incr","config":{"key":"n"}}],"connections":[{"fromNodeId":"clock","fromPort":"$done","toNodeId":"n","toPort":"$after"}]}`)
		_, err := a.Save(t.Context(), def, workflow.Condition{})
		require.NoError(t, err)
		_, err = a.Activate(t.Context(), "hourly", run.Arming{})
		require.NoError(t, err)
		<-time.After(2*time.Hour + time.Minute)
		synctest.Wait()
		kept, err := a.State(t.Context(), "hourly", "n")
		require.NoError(t, err)
		require.Equal(t, 2, kept.Value)
		require.NoError(t, a.Close(t.Context()))
	})
}
