package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/app/runs"
	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/limit"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/store"
	"github.com/svcflow/svc/store/memstore"
)

const greet = `{"id":"greet","nodes":[{"id":"in","type":"io.input","config":{"name":"who"}},
	{"id":"fmt","type":"text.format","config":{"template":"Hello, {text}!"}},{"id":"out","type":"io.output","config":{"name":"said"}}],
	"connections":[{"fromNodeId":"in","fromPort":"value","toNodeId":"fmt","toPort":"text"},
	{"fromNodeId":"fmt","fromPort":"result","toNodeId":"out","toPort":"value"}]}`

func saveText(t *testing.T, a *App, text string) {
	t.Helper()
	def, err := workflow.Decode([]byte(text), a.Limits())
	require.NoError(t, err)
	_, err = a.Save(t.Context(), def, workflow.Condition{})
	require.NoError(t, err)
}

func recordedRuns(t *testing.T, a *App) []run.Record {
	t.Helper()
	page, err := a.Runs(t.Context(), run.Query{})
	require.NoError(t, err)
	return page.Items
}

// A run of a stored workflow that somebody waited for is one among the others: it is
// listed, has its outcome and its events, and is there after a restart.
func TestRunsThatAreWaitedForAreRecorded(t *testing.T) {
	for name, who := range map[string]string{"small": "Ada", "large": strings.Repeat("Ada ", 40_000)} {
		t.Run(name, func(t *testing.T) {
			inBubbles(t, func(t *testing.T, open func() store.RunStore) {
				a := newTestApp(t, Config{Runs: open()})
				saveText(t, a, greet)
				inputs := map[string]any{"who": who}
				ended, err := a.ExecuteStored(t.Context(), "greet", run.Request{Inputs: inputs})
				require.NoError(t, err)
				check := func(a *App) {
					t.Helper()
					all := recordedRuns(t, a)
					require.Len(t, all, 1)
					require.Equal(t, ended.ID(), all[0].RunID)
					require.Equal(t, "greet", all[0].WorkflowID)
					record, err := a.Run(t.Context(), ended.ID())
					require.NoError(t, err)
					require.Equal(t, string(ended.Result().AppendJSON(nil, engine.NoElision)), string(record.Result.AppendJSON(nil, engine.NoElision)))
					events := everything(t, a, ended.ID(), 0)
					require.Len(t, events, 5)
					require.Equal(t, engine.EventStarted, events[0].Name)
					require.Equal(t, []string{"in", "fmt", "out"}, []string{events[1].NodeID, events[2].NodeID, events[3].NodeID})
					require.Equal(t, engine.EventCompleted, events[4].Name)
					started, err := a.RunInputs(t.Context(), ended.ID())
					require.NoError(t, err)
					require.Equal(t, inputs, started)
				}
				check(a)
				require.ErrorIs(t, a.Cancel(t.Context(), ended.ID()), runs.ErrRunEnded)
				require.NoError(t, a.Close(t.Context()))
				a = newTestApp(t, Config{Runs: open()})
				check(a)
				require.NoError(t, a.DeleteRun(t.Context(), ended.ID()))
				require.Empty(t, recordedRuns(t, a))
				require.NoError(t, a.Close(t.Context()))
			})
		})
	}
}

// A run is printed into room that the one before it has left, which changes nothing of that.
func TestEachRecordedRunHasATextOfItsOwn(t *testing.T) {
	a := newTestApp(t, Config{})
	saveText(t, a, greet)
	ask := func(who string) Outcome {
		ended, err := a.ExecuteStored(t.Context(), "greet", run.Request{Inputs: map[string]any{"who": who}})
		require.NoError(t, err)
		return ended
	}
	first := ask("Ada")
	text := string(first.AppendJSON(nil, limit.Shown))
	require.Contains(t, text, "Hello, Ada!")
	require.Contains(t, string(ask("Bob").AppendJSON(nil, limit.Shown)), "Hello, Bob!")
	require.Equal(t, text, string(first.AppendJSON(nil, limit.Shown)))
}

// One that has failed can be resumed like any other.
func TestRecordedRunIsResumed(t *testing.T) {
	c := newCounter()
	inBubble(t, Config{ExtraPlugins: []node.Plugin{c}}, func(t *testing.T, a *App) {
		saveText(t, a, counted)
		c.set(c.failing, "last [1 2 3]")
		ended, err := a.ExecuteStored(t.Context(), "counted", run.Request{})
		require.NoError(t, err)
		require.Equal(t, engine.StatusFailed, ended.Status())
		before := c.count("then 2")
		c.set(c.failing)
		id, err := a.Resume(t.Context(), ended.ID(), run.Resumption{})
		require.NoError(t, err)
		require.Equal(t, engine.StatusCompleted, everything(t, a, id, 0)[len(everything(t, a, id, 0))-1].Result.Status)
		require.Equal(t, before, c.count("then 2"), "it is not called again")
	})
}

// What is recorded is what somebody has decided.
func TestWhatIsRecorded(t *testing.T) {
	for _, test := range []struct {
		record Recording
		asked  bool
		want   int
	}{{RecordStored, false, 1}, {RecordStored, true, 2}, {RecordAll, false, 2}, {RecordNone, false, 0}, {RecordNone, true, 1}} {
		t.Run(fmt.Sprint(test), func(t *testing.T) {
			inBubble(t, Config{Record: test.record}, func(t *testing.T, a *App) {
				saveText(t, a, greet)
				q := run.Request{Inputs: map[string]any{"who": "Ada"}}
				_, err := a.ExecuteStored(t.Context(), "greet", q)
				require.NoError(t, err)
				q.Record = test.asked
				_, err = a.ExecuteJSON(t.Context(), []byte(greet), q)
				require.NoError(t, err)
				require.Len(t, recordedRuns(t, a), test.want)
			})
		})
	}
}

// heldRuns keep runs once they may.
type heldRuns struct {
	store.RunStore
	may chan struct{}
}

func (h heldRuns) Keep(ctx context.Context, ended []run.Kept) []error {
	<-h.may
	return h.RunStore.Keep(ctx, ended)
}

// A disk that is slow delays nobody: what does not fit into the queue is counted.
func TestRecordingDelaysNobody(t *testing.T) {
	runs := heldRuns{&memstore.Runs{}, make(chan struct{})}
	inBubble(t, Config{Runs: runs}, func(t *testing.T, a *App) {
		goOn := sync.OnceFunc(func() { close(runs.may) })
		t.Cleanup(goOn)
		saveText(t, a, greet)
		const more = 100
		const queued = 16384 // the limit of the recorder in localruns
		for range queued + more {
			_, err := a.ExecuteStored(t.Context(), "greet", run.Request{Inputs: map[string]any{"who": "Ada"}})
			require.NoError(t, err)
		}
		require.Equal(t, more, a.Stats().Dropped)
		goOn()
		page, err := a.Runs(t.Context(), run.Query{Limit: run.MaxLimit})
		require.NoError(t, err)
		require.Len(t, page.Items, run.MaxLimit)
	})
}

// A run that cannot be recorded is counted, and its caller gets the answer.
func TestRecordingFails(t *testing.T) {
	inBubble(t, Config{Runs: brokenKeep{&memstore.Runs{}}}, func(t *testing.T, a *App) {
		saveText(t, a, greet)
		ended, err := a.ExecuteStored(t.Context(), "greet", run.Request{Inputs: map[string]any{"who": "Ada"}})
		require.NoError(t, err)
		require.Equal(t, map[string]any{"said": "Hello, Ada!"}, ended.Outputs())
		require.Empty(t, recordedRuns(t, a))
		require.Equal(t, 1, a.Stats().Dropped)
	})
}

type brokenKeep struct{ store.RunStore }

func (brokenKeep) Keep(_ context.Context, ended []run.Kept) []error {
	return slices.Repeat([]error{errors.New("broken")}, len(ended))
}

// When a run exceeds the bytes that it may record, the node at that point fails and the run ends.
func TestRunBytes(t *testing.T) {
	text := []byte(`{"id":"w","nodes":[{"id":"small","type":"text.format","config":{"template":"x"}},
		{"id":"large","type":"text.format","config":{"template":"` + strings.Repeat("x", 2*limit.Shown) + `"}},
		{"id":"after","type":"control.value"},{"id":"out","type":"io.output","config":{"name":"all"}}],
		"connections":[{"fromNodeId":"small","fromPort":"result","toNodeId":"large","toPort":"$after"},
		{"fromNodeId":"large","fromPort":"result","toNodeId":"after","toPort":"value"},
		{"fromNodeId":"large","fromPort":"result","toNodeId":"out","toPort":"value"}]}`)
	inBubble(t, Config{Runs: &memstore.Runs{RunBytes: limit.Shown}}, func(t *testing.T, a *App) {
		id, err := a.StartJSON(t.Context(), text, run.Request{})
		require.NoError(t, err)
		last := ended(t, a, id)
		require.Equal(t, engine.StatusFailed, last.Result.Status)
		require.Equal(t, node.CodeLimitExceeded, last.Error.Code)
		require.Equal(t, "large", last.Error.NodeID)
		require.Contains(t, last.Error.Message, "large")
		require.Contains(t, last.Error.Message, "65536")
		require.Equal(t, engine.StatusFailed, last.Result.Nodes["large"].Status)
		require.Equal(t, map[string]any{"result": "x"}, last.Result.Nodes["small"].Outputs)
		require.NotEqual(t, engine.StatusSucceeded, last.Result.Nodes["after"].Status)
		record, err := a.Run(t.Context(), id)
		require.NoError(t, err)
		require.Equal(t, last.Result, record.Result)
	})
}
