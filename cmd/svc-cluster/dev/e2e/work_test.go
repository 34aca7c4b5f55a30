package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/app"
	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/enginetest/trials"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/workflow"
)

// subworkflow is a workflow that another one calls.
const subworkflow = `{"id":"sub","nodes":[
	{"id":"in","type":"io.input","config":{"name":"text","type":"string"}},{"id":"a","type":"here.note","config":{"ms":200}},{"id":"out","type":"io.output","config":{"name":"text"}}],
	"connections":[{"fromNodeId":"in","fromPort":"value","toNodeId":"a","toPort":"text"},{"fromNodeId":"a","fromPort":"text","toNodeId":"out","toPort":"value"}]}`

// wide is the number of nodes that one node leads to.
const wide = 20

// sizes are sizes of values; the last one is far too large for a frame.
var sizes = []int{1, 63 << 10, 65 << 10, 20 << 20} //nolint:gochecknoglobals // never changed

// work returns a workflow with everything a workflow can have: a sequence, a fan-out, nested loops,
// a subworkflow, retries, a handled error, skipped nodes, a node that must not run twice, and
// values of all sizes.
func work() []byte {
	nodes, wires := []string{
		`{"id":"c1","type":"here.note","config":{"ms":400,"text":"c"}}`, `{"id":"c2","type":"here.note","config":{"ms":400}}`, `{"id":"c3","type":"here.note","config":{"ms":400}}`,
		`{"id":"loop","type":"control.foreach","config":{"list":[1,2,3],"concurrency":1},"body":{"nodes":[
			{"id":"again","type":"control.foreach","config":{"list":["x",2.5],"concurrency":1},"body":{"nodes":[
				{"id":"n","type":"here.note","config":{"ms":200,"text":"deep"}},{"id":"o","type":"io.output","config":{"name":"got"}}],
				"connections":[{"fromNodeId":"n","fromPort":"text","toNodeId":"o","toPort":"value"}]}},
			{"id":"o","type":"io.output","config":{"name":"got"}}],
			"connections":[{"fromNodeId":"again","fromPort":"got","toNodeId":"o","toPort":"value"}]}}`,
		`{"id":"while","type":"control.while","config":{"n":0},"body":{"nodes":[
			{"id":"n","type":"io.input","config":{"name":"n","type":"int"}},{"id":"note","type":"here.note","config":{"ms":300}},
			{"id":"next","type":"json.query","config":{"filter":". + 1"}},{"id":"more","type":"json.query","config":{"filter":". < 3"}},
			{"id":"to","type":"io.output","config":{"name":"n"}},{"id":"continue","type":"io.output","config":{"name":"continue"}}],
			"connections":[{"fromNodeId":"n","fromPort":"value","toNodeId":"next","toPort":"value"},{"fromNodeId":"next","fromPort":"result","toNodeId":"to","toPort":"value"},
			{"fromNodeId":"next","fromPort":"result","toNodeId":"more","toPort":"value"},{"fromNodeId":"more","fromPort":"result","toNodeId":"continue","toPort":"value"}]}}`,
		`{"id":"sub","type":"control.subworkflow","config":{"workflowId":"sub","text":"below"}}`,
		`{"id":"flaky","type":"here.flaky","config":{"ms":200},"retry":{"maxAttempts":5,"initialMs":100}}`,
		`{"id":"bad","type":"control.fail","config":{"message":"bad"}}`, `{"id":"problem","type":"io.output","config":{"name":"problem"}}`,
		`{"id":"way","type":"control.branch","config":{"condition":false}}`, `{"id":"never","type":"here.note"}`,
		`{"id":"once","type":"here.once","config":{"ms":500}}`, `{"id":"unknown","type":"io.output","config":{"name":"unknown"}}`,
	}, []string{"c1.text c2.text", "c2.text c3.text", "bad.$error problem.value", "way.truePath never.$after", "once.$error unknown.value"}
	for i, size := range sizes {
		nodes = append(nodes, fmt.Sprintf(`{"id":"m%d","type":"here.make","config":{"bytes":%d}}`, i, size), fmt.Sprintf(`{"id":"k%d","type":"here.note","config":{"ms":100}}`, i))
		wires = append(wires, fmt.Sprintf("m%d.text k%d.text", i, i))
	}
	for i := range wide {
		nodes, wires = append(nodes, fmt.Sprintf(`{"id":"f%d","type":"here.note","config":{"ms":%d}}`, i, 100*i)), append(wires, fmt.Sprintf("m0.text f%d.text", i))
	}
	return document("work", nodes, wires)
}

// document returns a workflow of nodes and of wires such as "a.text b.value".
func document(id string, nodes, wires []string) []byte {
	for i, wire := range wires {
		from, to, _ := strings.Cut(wire, " ")
		fromNode, fromPort, _ := strings.Cut(from, ".")
		toNode, toPort, _ := strings.Cut(to, ".")
		wires[i] = fmt.Sprintf(`{"fromNodeId":%q,"fromPort":%q,"toNodeId":%q,"toPort":%q}`, fromNode, fromPort, toNode, toPort)
	}
	return []byte(`{"id":"` + id + `","nodes":[` + strings.Join(nodes, ",") + `],"connections":[` + strings.Join(wires, ",") + `]}`)
}

// outcome returns the results of a run by node. It leaves out results that depend on when the
// driver was killed: of the node that must not run twice, and of the one that fails once.
func (w *world) outcome(a *app.App, id string) map[string]string {
	w.t.Helper()
	ended, err := a.Run(w.t.Context(), id)
	require.NoError(w.t, err)
	require.Equal(w.t, engine.StatusCompleted, ended.Status)
	all := map[string]string{}
	for id, n := range ended.Result.Nodes {
		outputs, err := json.Marshal(n.Outputs)
		require.NoError(w.t, err)
		if len(outputs) > 100 {
			outputs = fmt.Appendf(nil, "%d bytes", len(outputs))
		}
		all[id] = fmt.Sprint(n.Status, string(outputs), n.Handled, n.Attempts, n.Error)
	}
	at := func(id string) int { return slices.Index(ended.Result.Order, id) }
	require.Less(w.t, at("c1"), at("c2"))
	require.Less(w.t, at("c2"), at("c3"))
	delete(all, "once")
	delete(all, "unknown")
	delete(all, "flaky")
	return all
}

// TestWorkWhoseDriverIsKilled kills drivers of runs that use all features. The runs end like
// undisturbed ones, and recorded nodes do not run again.
func TestWorkWhoseDriverIsKilled(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	members := []*process{w.member(10, ""), w.member(10, "")}
	a := w.instance()
	sub, err := workflow.Decode([]byte(subworkflow), workflow.DefaultLimits())
	require.NoError(t, err)
	_, err = a.Save(t.Context(), sub, workflow.Condition{})
	require.NoError(t, err)
	begin := func() string {
		id, err := a.StartJSON(t.Context(), work(), run.Request{})
		require.NoError(t, err)
		return id
	}
	first := begin()
	require.Equal(t, engine.StatusCompleted, w.ended([]string{first}, time.Minute)[first])
	want, calls := w.outcome(a, first), len(w.noted("begin"))
	kills, random := trials.Of(t, 2, 100), trials.Random(t)
	var takeovers []time.Duration
	for range kills {
		id := begin()
		driver := ""
		w.until(time.Minute, "somebody drives it", func() bool { driver = w.changes([]string{id})[id].Driver; return driver != "" })
		<-time.After(time.Duration(random.IntN(2500)) * time.Millisecond)
		i := slices.IndexFunc(members, func(p *process) bool { return p.name == driver })
		members[i].kill()
		killed := time.Now()
		recorded, before := w.recordedNodes(id), w.noteBytes()
		members[i] = w.member(10, "")
		w.until(time.Minute, "somebody has taken the run over", func() bool {
			c := w.changes([]string{id})[id]
			return c.Status != engine.StatusRunning || c.Driver != driver && c.Frames > len(recorded)
		})
		takeovers = append(takeovers, time.Since(killed))
		require.Equal(t, engine.StatusCompleted, w.ended([]string{id}, 2*time.Minute)[id])
		require.Equal(t, want, w.outcome(a, id))
		w.told(a, id)
		w.calledAgain(id, calls, recorded, before)
	}
	slices.Sort(takeovers)
	t.Logf("%d kills; taken over: p50 %s, p95 %s", kills, takeovers[len(takeovers)/2].Round(time.Millisecond), takeovers[len(takeovers)*95/100].Round(time.Millisecond))
}

// recordedNodes returns the keys of the nodes whose end is recorded.
func (w *world) recordedNodes(id string) map[string]bool {
	w.t.Helper()
	frames, err := w.runs.Frames(w.t.Context(), id, 0, 1<<30)
	require.NoError(w.t, err)
	all := map[string]bool{}
	for i := range frames {
		if frames[i].Name == engine.EventNode {
			all[id+"/"+frames[i].Node] = true
		}
	}
	return all
}

// noteBytes returns the size of the notes.
func (w *world) noteBytes() int {
	w.t.Helper()
	text, err := os.ReadFile(w.noteFile())
	require.NoError(w.t, err)
	return bytes.LastIndexByte(text, '\n') + 1
}

// calledAgain checks how often the nodes of a run were called. Its driver was killed when the notes
// had before bytes, and the nodes in recorded had ended.
func (w *world) calledAgain(id string, calls int, recorded map[string]bool, before int) {
	w.t.Helper()
	text, err := os.ReadFile(w.noteFile())
	require.NoError(w.t, err)
	for line := range strings.Lines(string(text[before:])) {
		if key, begins := strings.CutPrefix(line, "begin "); begins {
			key, _, _ = strings.Cut(key, " ")
			require.False(w.t, recorded[key], "%s was recorded", key)
		}
	}
	all := w.noted("begin")
	maps.DeleteFunc(all, func(key string, _ []string) bool { return !strings.HasPrefix(key, id) })
	require.LessOrEqual(w.t, len(all[id+"/once"]), 1, "what must not be done twice")
	delete(all, id+"/once") // the driver may have died before its call
	require.Len(w.t, all, calls-1)
	for key, by := range all {
		require.LessOrEqual(w.t, len(by), 2, key)
	}
}
