package e2e

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/app"
	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/enginetest/trials"
	"github.com/svcflow/svc/engine/limit"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/store/memstore"
)

// extreme is a workflow at or above a limit, or one that takes long.
type extreme struct {
	name     string
	document []byte
}

// computes returns a node that evaluates a jq filter.
func computes(id, filter string) string {
	return fmt.Sprintf(`{"id":%q,"type":"json.query","config":{"value":0,"filter":%q}}`, id, filter)
}

// out returns an output of a workflow.
func out(id string) string {
	return fmt.Sprintf(`{"id":%q,"type":"io.output","config":{"name":%q}}`, id, id)
}

// extremes returns workflows for a given size limit of a run.
func extremes(t *testing.T, runBytes int) []extreme {
	t.Helper()
	makes := func(id string, bytes int) string {
		return fmt.Sprintf(`{"id":%q,"type":"here.make","config":{"bytes":%d}}`, id, bytes)
	}
	long := func(bytes int) string { return fmt.Sprintf(`"x" * %d`, bytes) }
	items, nodes, spell := trials.Of(t, 1000, 1_000_000), trials.Of(t, 1000, limit.Nodes), trials.Of(t, 15, 60)
	many := func(n int) (all []string) {
		for i := range n {
			all = append(all, computes(fmt.Sprint("n", i), fmt.Sprint(". + ", i)))
		}
		return all
	}
	loop := `{"id":"each","type":"control.foreach","body":{"nodes":[{"id":"x","type":"io.input","config":{"name":"item"}},
		{"id":"y","type":"json.query","config":{"filter":". + 1"}},{"id":"z","type":"io.output","config":{"name":"got"}}],
		"connections":[{"fromNodeId":"x","fromPort":"value","toNodeId":"y","toPort":"value"},{"fromNodeId":"y","fromPort":"result","toNodeId":"z","toPort":"value"}]}}`
	return []extreme{
		{"a value that fits", document("x", []string{makes("a", runBytes*3/4)}, nil)},
		{"a value that is too long", document("x", []string{makes("a", runBytes+1)}, nil)},
		{"a value that only computes and is too long", document("x", []string{computes("a", long(runBytes+1))}, nil)},
		{"values that are too long together", document("x", []string{makes("a", runBytes/2), makes("b", runBytes/2+1), makes("c", 10)}, []string{"a.text b.$after", "b.text c.$after"})},
		{
			"values whose join is too long", document("x", []string{computes("a", long(runBytes/3)), `{"id":"join","type":"json.query","config":{"filter":". * 3"}}`, out("o")},
				[]string{"a.result join.value", "join.result o.value"}),
		},
		{"a list of a million", document("x", []string{computes("a", "[range(1000000)] | length"), out("o")}, []string{"a.result o.value"})},
		{"a loop over many items", document("x", []string{computes("a", fmt.Sprintf("[range(%d)]", items)), loop, out("o")}, []string{"a.result each.list", "each.got o.value"})},
		{"many nodes", document("x", many(nodes), nil)},
		{"more nodes than may be", document("x", many(limit.Nodes+1), nil)},
		{"what computes for long", document("x", []string{
			fmt.Sprintf(`{"id":"a","type":"pure.wait","config":{"ms":%d,"text":"waited"}}`, 1000*spell), computes("b", "1"), out("o"),
		}, []string{"a.text o.value"})},
	}
}

// TestExtremesAreAsOnOneMachine runs large and slow workflows in a cluster and on one machine, and
// compares the results.
func TestExtremesAreAsOnOneMachine(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.runBytes = int64(trials.Of(t, 4<<20, limit.RunBytes))
	w.member(10, "")
	w.member(10, "")
	shared, alone := w.instance(), w.alone()
	for _, x := range extremes(t, int(w.runBytes)) {
		want := w.comesTo(alone, x.document)
		t.Logf("%s: %s", x.name, want[""])
		require.Equal(t, inRounds(want), inRounds(w.comesTo(shared, x.document)), x.name)
	}
	for _, a := range []*app.App{shared, alone} {
		last := w.revised(a, trials.Of(t, 30, 1000))
		id, err := a.StartStored(t.Context(), "revised", run.Request{})
		require.NoError(t, err)
		require.Contains(t, w.end(a, id)[""], fmt.Sprintf(`{"o":%d}`, last))
	}
}

var round = regexp.MustCompile(`(at the node [^/ ]+)/\S+,`) //nolint:gochecknoglobals // never changed

// inRounds removes the number of the loop iteration from errors. Frames with longer durations are
// larger, so the iteration in which a run reaches its size limit varies.
func inRounds(said map[string]string) map[string]string {
	for key, text := range said {
		said[key] = round.ReplaceAllString(text, "$1,")
	}
	return said
}

// revised saves and runs a workflow repeatedly, and returns the last output.
func (w *world) revised(a *app.App, times int) (last int) {
	w.t.Helper()
	for n := range times {
		text := document("revised", []string{computes("a", fmt.Sprint(n)), out("o")}, []string{"a.result o.value"})
		def, err := workflow.Decode(text, workflow.DefaultLimits())
		require.NoError(w.t, err)
		_, err = a.Save(w.t.Context(), def, workflow.Condition{})
		require.NoError(w.t, err)
		last = n
	}
	return last
}

// alone returns an app on one machine.
func (w *world) alone() *app.App {
	w.t.Helper()
	a, err := app.New(app.Config{
		Store: &memstore.Workflows{}, Runs: &memstore.Runs{RunBytes: w.runBytes}, ExtraPlugins: []node.Plugin{noting{w.noteFile(), "alone"}.bundle()},
		Log: slog.New(slog.DiscardHandler),
	})
	require.NoError(w.t, err)
	w.t.Cleanup(func() { assert.NoError(w.t, a.Close(context.Background())) })
	return a
}

// comesTo returns the results of a workflow by node; "" is the run itself.
func (w *world) comesTo(a *app.App, document []byte) map[string]string {
	w.t.Helper()
	id, err := a.StartJSON(w.t.Context(), document, run.Request{})
	if problems, invalid := errors.AsType[engine.ValidationErrors](err); invalid {
		return map[string]string{"": "refused: " + problems[0].Code}
	}
	if err != nil {
		return map[string]string{"": "refused: " + err.Error()}
	}
	return w.end(a, id)
}

// end waits for the end of a run, and returns its results without times. For a failed run it
// returns only the error, since the other results depend on timing.
func (w *world) end(a *app.App, id string) map[string]string {
	w.t.Helper()
	w.until(5*time.Minute, "the run has ended", func() bool {
		r, err := a.Record(w.t.Context(), id)
		require.NoError(w.t, err)
		return !r.Status.GoesOn()
	})
	ended, err := a.Run(w.t.Context(), id)
	require.NoError(w.t, err)
	if ended.Status != engine.StatusCompleted {
		return map[string]string{"": fmt.Sprint(ended.Status, told(w.t, ended.Result.Error))}
	}
	all := map[string]string{"": told(w.t, ended.Result.Outputs)}
	for _, id := range slices.Sorted(maps.Keys(ended.Result.Nodes)) {
		n := ended.Result.Nodes[id]
		all[id] = fmt.Sprint(n.Status, n.Attempts, told(w.t, n.Error), told(w.t, n.Outputs))
	}
	return all
}

// told returns a value as JSON, or a digest if it is long.
func told(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	require.NoError(t, err)
	if len(text) <= 200 {
		return string(text)
	}
	sum := sha256.Sum256(text)
	return fmt.Sprintf("%d bytes, %s", len(text), hex.EncodeToString(sum[:4]))
}
