package doc_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/layout/geom"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/nodes"
	"github.com/svcflow/svc/ui/editor/doc"
	"github.com/svcflow/svc/ui/uitest/editortest"
)

// run compiles and runs a document, and returns its outputs.
func run(t *testing.T, d *doc.Document, inputs map[string]any) map[string]any {
	t.Helper()
	registry, err := node.NewRegistry(nodes.Builtin(nodes.Env{})...)
	require.NoError(t, err)
	plan, err := engine.Compile(t.Context(), d.Definition(), engine.Env{Registry: registry})
	require.NoError(t, err)
	r, err := (&engine.Local{}).Run(context.WithoutCancel(t.Context()), plan, engine.Options{Inputs: inputs})
	require.NoError(t, err)
	require.Equal(t, engine.StatusCompleted, r.Result().Status)
	return r.Result().Outputs
}

func TestCollapseAndExpandComputeTheSame(t *testing.T) {
	for _, ids := range [][]string{{"up"}, {"fmt"}, {"up", "fmt"}, {"fmt", "len"}, {"up", "fmt", "len"}} {
		d := editortest.Open(t, editortest.Chain)
		inputs := map[string]any{"who": "Ada"}
		want := run(t, d, inputs)
		require.Equal(t, map[string]any{"text": "Ada is ADA", "count": 10}, want)
		id, err := d.Collapse("control.subworkflow", ids...)
		require.NoError(t, err)
		require.Equal(t, want, run(t, d, inputs), "%v in a body", ids)
		require.Equal(t, "subworkflow", id)
		made, err := d.Expand(id)
		require.NoError(t, err)
		require.Equal(t, ids, made.Nodes)
		require.Equal(t, want, run(t, d, inputs), "%v out again", ids)
		require.ElementsMatch(t, editortest.Open(t, editortest.Chain).Connections(), d.Connections())
	}
}

func TestCollapseKeepsRepeatedWiresIntoLists(t *testing.T) {
	d := editortest.Open(t, editortest.Mixed)
	require.NoError(t, d.Connect(editortest.Out("enc", "text"), editortest.In("join", "parts")))
	require.NoError(t, d.Connect(editortest.Out("enc", "text"), editortest.In("join", "parts")))
	before := slices.Clone(d.Connections())
	id, err := d.Collapse("control.subworkflow", "enc", "join")
	require.NoError(t, err)
	_, err = d.Expand(id)
	require.NoError(t, err)
	require.ElementsMatch(t, before, d.Connections())
}

func TestCollapseAroundAnotherNode(t *testing.T) {
	d := editortest.Open(t, editortest.Chain)
	_, err := d.Collapse("control.subworkflow", "up", "len")
	require.ErrorIs(t, err, doc.ErrCannotCollapse)
	require.ErrorContains(t, err, `"fmt" lies between them`)
}

func TestCollapseTypesTheBorder(t *testing.T) {
	d := editortest.Open(t, editortest.Mixed)
	id, err := d.Collapse("control.subworkflow", "len")
	require.NoError(t, err)
	require.NoError(t, d.Enter(id))
	n, ok := d.Node("text")
	require.True(t, ok)
	require.Equal(t, map[string]any{"name": "text", "type": "string", "required": true}, n.Config)
}

func TestCollapseMovesGroups(t *testing.T) {
	d := editortest.Open(t, editortest.Chain)
	id, err := d.Collapse("control.subworkflow", "up", "fmt")
	require.NoError(t, err)
	require.Equal(t, []workflow.Group{{ID: "part", NodeIDs: []string{"who"}}}, d.Groups())
	require.NoError(t, d.Enter(id))
	require.Equal(t, "whole", d.Groups()[0].ID)
}

func TestCollapseIntoForeachLoopsOverTheList(t *testing.T) {
	d := editortest.Open(t, `{"id":"each","nodes":[`+
		`{"id":"words","type":"io.input","config":{"name":"words","required":true,"type":"list<string>"}},`+
		`{"id":"end","type":"io.input","config":{"name":"end","required":true,"type":"string"}},`+
		`{"id":"fmt","type":"text.format","config":{"template":"{word}{end}"}},`+
		`{"id":"out","type":"io.output","config":{"name":"all"}}],`+
		`"connections":[{"fromNodeId":"words","fromPort":"value","toNodeId":"fmt","toPort":"word"},`+
		`{"fromNodeId":"end","fromPort":"value","toNodeId":"fmt","toPort":"end"},`+
		`{"fromNodeId":"fmt","fromPort":"result","toNodeId":"out","toPort":"value"}]}`)
	_, err := d.Collapse("control.foreach", "fmt")
	require.NoError(t, err)
	got := run(t, d, map[string]any{"words": []any{"a", "b"}, "end": "!"})
	require.Equal(t, map[string]any{"all": []any{"a!", "b!"}}, got)
}

func TestEnterAndLeave(t *testing.T) {
	d := editortest.Open(t, `{"id":"x","nodes":[{"id":"loop","type":"control.foreach"}],"connections":[]}`)
	first := editortest.Text(t, d)
	require.NoError(t, d.Enter("loop"), "a container without a body gets one")
	require.Equal(t, []string{"loop"}, d.Path())
	_, err := d.Add("control.while", geom.Point{})
	require.NoError(t, err)
	require.NoError(t, d.Enter("while"))
	_, err = d.Add("text.slice", geom.Point{})
	require.NoError(t, err)
	last := editortest.Text(t, d)

	id, ok := d.Leave()
	require.True(t, ok)
	require.Equal(t, "while", id)
	d.Leave()
	require.Empty(t, d.Path())
	_, ok = d.Leave()
	require.False(t, ok)

	d.Undo()
	require.Equal(t, []string{"loop", "while"}, d.Path(), "undo goes where the step was")
	for d.CanUndo() != "" {
		d.Undo()
	}
	require.Empty(t, d.Path())
	require.Equal(t, first, editortest.Text(t, d))
	for d.CanRedo() != "" {
		d.Redo()
	}
	require.Equal(t, last, editortest.Text(t, d))
	require.ErrorIs(t, d.GoTo([]string{"loop", "gone"}), doc.ErrNoBody)
	require.NoError(t, d.GoTo([]string{"loop"}))
}

func TestCopyAndPaste(t *testing.T) {
	d := editortest.Open(t, editortest.Greet)
	data := d.Copy(doc.Set{Nodes: []string{"who", "fmt"}, Notes: []string{"n1"}})
	other := editortest.Open(t, editortest.Greet)
	made, err := other.Paste(data, geom.Point{X: 1000, Y: 1000})
	require.NoError(t, err)
	require.Equal(t, doc.Set{Nodes: []string{"who2", "fmt2"}, Groups: []string{"g2"}, Notes: []string{"n2"}}, made)
	require.Equal(t, editortest.Conn("who2", "value", "fmt2", "name"), other.Connections()[2])
	require.Len(t, other.Connections(), 3, "wires that leave the selection stay behind")
	require.Equal(t, []string{"fmt2"}, other.Groups()[1].NodeIDs)
	require.InDelta(t, 1000, other.Around(made).Center().X, geom.Pitch)
	n, _ := other.Node("fmt2")
	original, _ := d.Node("fmt")
	require.Equal(t, original.Config, n.Config)

	whole, err := workflow.Decode([]byte(editortest.Chain), workflow.DefaultLimits())
	require.NoError(t, err)
	made, err = other.Paste(whole.Format(), geom.Point{})
	require.NoError(t, err, "any workflow can be pasted")
	require.Len(t, made.Nodes, 6)
}

func TestPasteOfBodiesIsDeep(t *testing.T) {
	d := editortest.Open(t, `{"id":"x","nodes":[{"id":"loop","type":"control.foreach","body":{"nodes":[{"id":"a","type":"text.slice"}],"connections":[]}}],"connections":[]}`)
	made, err := d.Duplicate(doc.Set{Nodes: []string{"loop"}})
	require.NoError(t, err)
	require.NoError(t, d.Enter(made.Nodes[0]))
	require.NoError(t, d.SetLabel("a", "of the copy"))
	d.Leave()
	require.NoError(t, d.Enter("loop"))
	n, _ := d.Node("a")
	require.Empty(t, n.Label)
}

// The engine reports the second of two outputs with one name; the container shows one.
func TestAContainerHasEachPortOfItsBodyOnce(t *testing.T) {
	d := editortest.Open(t, `{"id":"w","nodes":[{"id":"each","type":"control.foreach","body":{"nodes":[`+
		`{"id":"item","type":"io.input","config":{"name":"item"}},`+
		`{"id":"one","type":"io.output","config":{"name":"made"}},{"id":"two","type":"io.output","config":{"name":"made"}},`+
		`{"id":"off","type":"io.output","disabled":true,"config":{"name":"more"}}],"connections":[]}}],"connections":[]}`)
	_, outputs, err := d.Ports("each")
	require.NoError(t, err)
	var names []string
	for _, p := range outputs {
		names = append(names, p.Name)
	}
	require.Equal(t, 1, strings.Count(strings.Join(names, " "), "made"), "%v", names)
	require.NotContains(t, names, "more")
}
