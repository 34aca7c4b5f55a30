package doc_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/layout/geom"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/ui/editor/doc"
	"github.com/svcflow/svc/ui/uitest/editortest"
)

func TestUnchangedDocumentComesBackByteForByte(t *testing.T) {
	for _, doc := range []string{editortest.Greet, editortest.Empty, editortest.Strange} {
		d := editortest.Open(t, doc)
		require.Len(t, d.Cards(), len(d.Nodes()))
		require.Equal(t, doc, editortest.Text(t, d))
		require.False(t, d.Edited())
	}
}

func TestDocumentKeepsToItself(t *testing.T) {
	def, err := workflow.Decode([]byte(editortest.Greet), workflow.DefaultLimits())
	require.NoError(t, err)
	d := doc.New(def, editortest.Specs(t))
	def.Nodes[0].Config["name"] = "changed"
	require.Equal(t, editortest.Greet, editortest.Text(t, d), "what the caller does to his")
	require.NoError(t, d.SetLabel("fmt", "changed"))
	require.Empty(t, def.Nodes[1].Label, "the caller's definition")
	snapshot := d.Definition()
	require.NoError(t, d.SetLabel("fmt", "again"))
	require.Equal(t, "changed", snapshot.Nodes[1].Label, "an earlier snapshot")
}

// TestCommandsUndo runs each command on a new document: it changes the document in one step
// that can be undone and redone.
func TestCommandsUndo(t *testing.T) {
	tests := []struct {
		name string
		do   func(d *doc.Document) error
		want string // a piece of the document afterwards
	}{
		{"add", func(d *doc.Document) error { _, err := d.Add("text.format", geom.Point{X: 8, Y: 616.4}); return err }, `{"id":"format","type":"text.format","position":{"x":8,"y":616}}`},
		{"add connected", func(d *doc.Document) error {
			_, err := d.AddConnected("text.to_text", geom.Point{}, editortest.Out("who", "value"), "value")
			return err
		}, `{"fromNodeId":"who","fromPort":"value","toNodeId":"to_text","toPort":"value"}`},
		{"move", func(d *doc.Document) error {
			return d.Move(doc.Set{Nodes: []string{"who"}, Notes: []string{"n1"}}, geom.Point{X: 8, Y: 8})
		}, `"position":{"x":8,"y":8}`},
		{"move group", func(d *doc.Document) error { return d.Move(doc.Set{Groups: []string{"g1"}}, geom.Point{X: 8, Y: 8}) }, `"position":{"x":248,"y":8}`},
		{"delete", func(d *doc.Document) error { return d.Delete(doc.Set{Nodes: []string{"fmt"}}) }, `"connections":[],"groups":[]`},
		{"delete note", func(d *doc.Document) error { return d.Delete(doc.Set{Notes: []string{"n1"}}) }, `"notes":[]`},
		{"delete and reconnect", func(d *doc.Document) error { return d.DeleteReconnect("fmt") }, `{"fromNodeId":"who","fromPort":"value","toNodeId":"out","toPort":"value"}`},
		{"duplicate", func(d *doc.Document) error { _, err := d.Duplicate(doc.Set{Nodes: []string{"who", "fmt"}}); return err }, `{"fromNodeId":"who2","fromPort":"value","toNodeId":"fmt2","toPort":"name"}`},
		{"disconnect", func(d *doc.Document) error { return d.Disconnect(editortest.Conn("who", "value", "fmt", "name")) }, `"connections":[{"fromNodeId":"fmt"`},
		{"reconnect", func(d *doc.Document) error {
			return d.Reconnect(editortest.Conn("fmt", "result", "out", "value"), editortest.Out("who", "value"))
		}, `{"fromNodeId":"who","fromPort":"value","toNodeId":"out","toPort":"value"}`},
		{"connect replaces", func(d *doc.Document) error {
			return d.Connect(editortest.In("out", "value"), editortest.Out("who", "value"))
		}, `[{"fromNodeId":"who","fromPort":"value","toNodeId":"fmt","toPort":"name"},{"fromNodeId":"who","fromPort":"value","toNodeId":"out","toPort":"value"}]`},
		{"insert", func(d *doc.Document) error {
			_, err := d.InsertNew("text.slice", geom.Point{}, editortest.Conn("who", "value", "fmt", "name"))
			return err
		}, `{"fromNodeId":"who","fromPort":"value","toNodeId":"slice","toPort":"text"},{"fromNodeId":"slice","fromPort":"text","toNodeId":"fmt","toPort":"name"}`},
		{"replace", func(d *doc.Document) error { return d.Replace("fmt", "text.slice") }, `{"id":"fmt","type":"text.slice","label":"","position":{"x":240,"y":0},"disabled":false}`},
		{"config", func(d *doc.Document) error { return d.SetConfig("fmt", "template", "Hi {name}") }, `"config":{"template":"Hi {name}"}`},
		{"clear config", func(d *doc.Document) error { return d.ClearConfig("fmt", "template") }, `"type":"text.format","label":"","position"`},
		{"label", func(d *doc.Document) error { return d.SetLabel("fmt", "Greeting") }, `"label":"Greeting"`},
		{"timeout", func(d *doc.Document) error { return d.SetTimeout("fmt", 5000) }, `"timeoutMs":5000`},
		{"retry", func(d *doc.Document) error { return d.SetRetry("fmt", &workflow.Retry{MaxAttempts: 5}) }, `"retry":{"maxAttempts":5}`},
		{"disable", func(d *doc.Document) error { return d.SetDisabled(true, "fmt", "who") }, `"disabled":true`},
		{"rename node", func(d *doc.Document) error { return d.Rename("fmt", "greeter") }, `"nodeIds":["greeter"]`},
		{"name", func(d *doc.Document) error { return d.SetName("Greet") }, `"name":"Greet"`},
		{"description", func(d *doc.Document) error { return d.SetDescription("Says hello") }, `"description":"Says hello"`},
		{"group", func(d *doc.Document) error { _, err := d.Group("Both", "who", "fmt"); return err }, `"groups":[{"id":"group","label":"Both","nodeIds":["who","fmt"]}]`},
		{"ungroup", func(d *doc.Document) error { return d.Ungroup("g1") }, `"groups":[]`},
		{"leave group", func(d *doc.Document) error { return d.RemoveFromGroups("fmt") }, `"groups":[]`},
		{"group label", func(d *doc.Document) error { return d.SetGroupLabel("g1", "") }, `{"id":"g1","nodeIds"`},
		{"group colour", func(d *doc.Document) error { return d.SetGroupColor("g1", "#112233") }, `"color":"#112233"`},
		{"add note", func(d *doc.Document) error { _, err := d.AddNote("hm", geom.Point{X: 1, Y: 602}); return err }, `{"id":"note","text":"hm","position":{"x":1,"y":602},"size":{"w":160,"h":80}}`},
		{"note text", func(d *doc.Document) error { return d.SetNoteText("n1", "x") }, `"text":"x"`},
		{"note colour", func(d *doc.Document) error { return d.SetNoteColor("n1", "#445566") }, `"color":"#445566"`},
		{"note size", func(d *doc.Document) error { return d.ResizeNote("n1", 1, 300) }, `"size":{"w":64,"h":300}`},
		{"align", func(d *doc.Document) error { return d.Align(doc.AlignLeft, "who", "fmt", "out") }, `"position":{"x":0,"y":0},"disabled":false`},
		{"distribute", func(d *doc.Document) error { return d.Distribute(doc.Horizontal, "who", "fmt", "out") }, `"position":`},
		{"layout", func(d *doc.Document) error { return d.Layout() }, `"position":`},
		{"collapse", func(d *doc.Document) error { _, err := d.Collapse("control.subworkflow", "fmt"); return err }, `"body":{"nodes":[{"id":"fmt"`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			d := editortest.Open(t, editortest.Greet)
			require.NoError(t, test.do(d))
			after := editortest.Text(t, d)
			require.Contains(t, after, test.want)
			require.NotEqual(t, editortest.Greet, after)
			require.True(t, d.Edited())
			name, ok := d.Undo()
			require.True(t, ok)
			require.NotEmpty(t, name)
			require.Equal(t, editortest.Greet, editortest.Text(t, d))
			require.False(t, d.Edited())
			_, ok = d.Undo()
			require.False(t, ok, "it was one step")
			_, ok = d.Redo()
			require.True(t, ok)
			require.Equal(t, after, editortest.Text(t, d))
		})
	}
}

func TestCommandsThatFailChangeNothing(t *testing.T) {
	tests := []struct {
		name string
		do   func(d *doc.Document) error
		want error // nil: any
	}{
		{"add unknown", func(d *doc.Document) error { _, err := d.Add("acme.none", geom.Point{}); return err }, doc.ErrUnknownType},
		{"connect nowhere", func(d *doc.Document) error {
			return d.Connect(editortest.Out("who", "none"), editortest.In("out", "value"))
		}, doc.ErrIllegalWire},
		{"connect a cycle", func(d *doc.Document) error {
			return d.Connect(editortest.Out("fmt", "result"), editortest.In("fmt", "name"))
		}, doc.ErrIllegalWire},
		{"connect to a setting", func(d *doc.Document) error {
			return d.Connect(editortest.Out("who", "value"), editortest.In("fmt", "template"))
		}, doc.ErrIllegalWire},
		{"insert into nothing", func(d *doc.Document) error {
			_, err := d.InsertNew("text.slice", geom.Point{}, editortest.Conn("a", "b", "c", "d"))
			return err
		}, doc.ErrIllegalWire},
		{"insert what has no output", func(d *doc.Document) error {
			_, err := d.InsertNew("io.output", geom.Point{}, editortest.Conn("fmt", "result", "out", "value"))
			return err
		}, doc.ErrIllegalWire},
		{"label of nobody", func(d *doc.Document) error { return d.SetLabel("nobody", "x") }, doc.ErrNoNode},
		{"timeout out of range", func(d *doc.Document) error { return d.SetTimeout("fmt", -1) }, nil},
		{"retry out of range", func(d *doc.Document) error { return d.SetRetry("fmt", &workflow.Retry{Factor: 1e9}) }, nil},
		{"no value", func(d *doc.Document) error { return d.SetConfig("fmt", "template", func() {}) }, nil},
		{"rename to another's id", func(d *doc.Document) error { return d.Rename("fmt", "who") }, doc.ErrTaken},
		{"rename to no id", func(d *doc.Document) error { return d.Rename("fmt", "a/b") }, nil},
		{"group nobody", func(d *doc.Document) error { _, err := d.Group("x", "who", "nobody"); return err }, doc.ErrNoNode},
		{"note of nobody", func(d *doc.Document) error { return d.SetNoteText("none", "x") }, doc.ErrNoSuchPart},
		{"group label of nobody", func(d *doc.Document) error { return d.SetGroupLabel("none", "x") }, doc.ErrNoSuchPart},
		{"paste rubbish", func(d *doc.Document) error { _, err := d.Paste([]byte("hello"), geom.Point{}); return err }, doc.ErrNothingToPaste},
		{"paste nothing", func(d *doc.Document) error { _, err := d.Paste([]byte(editortest.Empty), geom.Point{}); return err }, doc.ErrNothingToPaste},
		{"collapse into no container", func(d *doc.Document) error { _, err := d.Collapse("text.slice", "fmt"); return err }, doc.ErrCannotCollapse},
		{"collapse around another", func(d *doc.Document) error { _, err := d.Collapse("control.subworkflow", "who", "out"); return err }, doc.ErrCannotCollapse},
		{"collapse nothing", func(d *doc.Document) error { _, err := d.Collapse("control.subworkflow"); return err }, doc.ErrCannotCollapse},
		{"enter what has no body", func(d *doc.Document) error { return d.Enter("fmt") }, doc.ErrNoBody},
		{"expand what has no body", func(d *doc.Document) error { _, err := d.Expand("fmt"); return err }, doc.ErrNoBody},
		{"replace by nothing", func(d *doc.Document) error { return d.Replace("fmt", "acme.none") }, doc.ErrUnknownType},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			d := editortest.Open(t, editortest.Greet)
			err := test.do(d)
			require.Error(t, err)
			if test.want != nil {
				require.ErrorIs(t, err, test.want)
			}
			require.Equal(t, editortest.Greet, editortest.Text(t, d))
			require.False(t, d.Edited())
			require.Empty(t, d.CanUndo())
		})
	}
}

func TestTypingAndNudgingAreOneStep(t *testing.T) {
	d := editortest.Open(t, editortest.Greet)
	for _, typed := range []string{"H", "Hi", "Hi!"} {
		require.NoError(t, d.SetConfig("fmt", "template", typed))
	}
	require.NoError(t, d.SetConfig("who", "default", "You"))
	for range 5 {
		require.NoError(t, d.Nudge(doc.Set{Nodes: []string{"who", "out"}}, geom.Point{X: 8, Y: 0}))
	}
	d.Undo()
	d.Undo()
	require.Contains(t, editortest.Text(t, d), "Hi!")
	d.Undo()
	require.Equal(t, editortest.Greet, editortest.Text(t, d))
	for d.CanRedo() != "" {
		d.Redo()
	}
	require.Contains(t, editortest.Text(t, d), `"position":{"x":40,"y":0}`)
	require.Contains(t, editortest.Text(t, d), "Hi!")
}

func TestStepsAreApart(t *testing.T) {
	tests := []struct {
		name    string
		between func(d *doc.Document)
	}{
		{"after Seal", (*doc.Document).Seal},
		{"after a save", (*doc.Document).MarkSaved},
		{"after another command", func(d *doc.Document) { _ = d.SetName("x") }},
		{"after a look elsewhere", func(d *doc.Document) { _ = d.Enter("loop"); d.Leave() }},
		{"after undo and redo", func(d *doc.Document) { d.Undo(); d.Redo() }},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			d := editortest.Open(t, strings.Replace(editortest.Greet, `{"id":"out"`, `{"id":"loop","type":"control.foreach","body":{"nodes":[],"connections":[]}},{"id":"out"`, 1))
			require.NoError(t, d.SetLabel("fmt", "a"))
			test.between(d)
			require.NoError(t, d.SetLabel("fmt", "ab"))
			d.Undo()
			n, _ := d.Node("fmt")
			require.Equal(t, "a", n.Label)
		})
	}
}

func TestSavedState(t *testing.T) {
	d := editortest.Open(t, editortest.Greet)
	require.NoError(t, d.SetName("a"))
	d.MarkSaved()
	require.False(t, d.Edited())
	d.Undo()
	require.True(t, d.Edited())
	d.Redo()
	require.False(t, d.Edited())
	d.Undo()
	require.NoError(t, d.SetName("b"))
	require.True(t, d.Edited(), "what was saved is out of reach")
	d.Undo()
	require.True(t, d.Edited())
}
