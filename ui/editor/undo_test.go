package editor

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/workflow"
)

func TestUnchangedDocumentComesBackByteForByte(t *testing.T) {
	for _, doc := range []string{greet, empty, strange} {
		d := open(t, doc)
		require.Len(t, d.Cards(), len(d.Nodes()))
		require.Equal(t, doc, text(t, d))
		require.False(t, d.Edited())
	}
}

func TestDocumentKeepsToItself(t *testing.T) {
	def, err := workflow.Decode([]byte(greet), workflow.DefaultLimits())
	require.NoError(t, err)
	d := New(def, testSpecs(t))
	def.Nodes[0].Config["name"] = "changed"
	require.Equal(t, greet, text(t, d), "what the caller does to his")
	require.NoError(t, d.SetLabel("fmt", "changed"))
	require.Empty(t, def.Nodes[1].Label, "the caller's definition")
	snapshot := d.Definition()
	require.NoError(t, d.SetLabel("fmt", "again"))
	require.Equal(t, "changed", snapshot.Nodes[1].Label, "an earlier snapshot")
}

// TestCommandsUndo runs each command on a document of its own: it changes the
// document in one step that can be undone and redone.
func TestCommandsUndo(t *testing.T) {
	tests := []struct {
		name string
		do   func(d *Document) error
		want string // a piece of the document afterwards
	}{
		{"add", func(d *Document) error { _, err := d.Add("text.format", Point{8, 16.4}); return err }, `{"id":"format","type":"text.format","position":{"x":8,"y":16}}`},
		{"add connected", func(d *Document) error {
			_, err := d.AddConnected("text.to_text", Point{}, out("who", "value"), "value")
			return err
		}, `{"fromNodeId":"who","fromPort":"value","toNodeId":"to_text","toPort":"value"}`},
		{"move", func(d *Document) error {
			return d.Move(Set{Nodes: []string{"who"}, Notes: []string{"n1"}}, Point{8, 8})
		}, `"position":{"x":8,"y":8}`},
		{"move group", func(d *Document) error { return d.Move(Set{Groups: []string{"g1"}}, Point{8, 8}) }, `"position":{"x":248,"y":8}`},
		{"delete", func(d *Document) error { return d.Delete(Set{Nodes: []string{"fmt"}}) }, `"connections":[],"groups":[]`},
		{"delete note", func(d *Document) error { return d.Delete(Set{Notes: []string{"n1"}}) }, `"notes":[]`},
		{"delete and reconnect", func(d *Document) error { return d.DeleteReconnect("fmt") }, `{"fromNodeId":"who","fromPort":"value","toNodeId":"out","toPort":"value"}`},
		{"duplicate", func(d *Document) error { _, err := d.Duplicate(Set{Nodes: []string{"who", "fmt"}}); return err }, `{"fromNodeId":"who2","fromPort":"value","toNodeId":"fmt2","toPort":"name"}`},
		{"disconnect", func(d *Document) error { return d.Disconnect(conn("who", "value", "fmt", "name")) }, `"connections":[{"fromNodeId":"fmt"`},
		{"reconnect", func(d *Document) error {
			return d.Reconnect(conn("fmt", "result", "out", "value"), out("who", "value"))
		}, `{"fromNodeId":"who","fromPort":"value","toNodeId":"out","toPort":"value"}`},
		{"connect replaces", func(d *Document) error { return d.Connect(in("out", "value"), out("who", "value")) }, `[{"fromNodeId":"who","fromPort":"value","toNodeId":"fmt","toPort":"name"},{"fromNodeId":"who","fromPort":"value","toNodeId":"out","toPort":"value"}]`},
		{"insert", func(d *Document) error {
			_, err := d.InsertNew("text.slice", Point{}, conn("who", "value", "fmt", "name"))
			return err
		}, `{"fromNodeId":"who","fromPort":"value","toNodeId":"slice","toPort":"text"},{"fromNodeId":"slice","fromPort":"text","toNodeId":"fmt","toPort":"name"}`},
		{"replace", func(d *Document) error { return d.Replace("fmt", "text.slice") }, `{"id":"fmt","type":"text.slice","label":"","position":{"x":240,"y":0},"disabled":false}`},
		{"config", func(d *Document) error { return d.SetConfig("fmt", "template", "Hi {name}") }, `"config":{"template":"Hi {name}"}`},
		{"clear config", func(d *Document) error { return d.ClearConfig("fmt", "template") }, `"type":"text.format","label":"","position"`},
		{"label", func(d *Document) error { return d.SetLabel("fmt", "Greeting") }, `"label":"Greeting"`},
		{"timeout", func(d *Document) error { return d.SetTimeout("fmt", 5000) }, `"timeoutMs":5000`},
		{"retry", func(d *Document) error { return d.SetRetry("fmt", &workflow.Retry{MaxAttempts: 5}) }, `"retry":{"maxAttempts":5}`},
		{"disable", func(d *Document) error { return d.SetDisabled(true, "fmt", "who") }, `"disabled":true`},
		{"rename node", func(d *Document) error { return d.Rename("fmt", "greeter") }, `"nodeIds":["greeter"]`},
		{"name", func(d *Document) error { return d.SetName("Greet") }, `"name":"Greet"`},
		{"description", func(d *Document) error { return d.SetDescription("Says hello") }, `"description":"Says hello"`},
		{"group", func(d *Document) error { _, err := d.Group("Both", "who", "fmt"); return err }, `"groups":[{"id":"group","label":"Both","nodeIds":["who","fmt"]}]`},
		{"ungroup", func(d *Document) error { return d.Ungroup("g1") }, `"groups":[]`},
		{"leave group", func(d *Document) error { return d.RemoveFromGroups("fmt") }, `"groups":[]`},
		{"group label", func(d *Document) error { return d.SetGroupLabel("g1", "") }, `{"id":"g1","nodeIds"`},
		{"group colour", func(d *Document) error { return d.SetGroupColor("g1", "#112233") }, `"color":"#112233"`},
		{"add note", func(d *Document) error { _, err := d.AddNote("hm", Point{1, 2}); return err }, `{"id":"note","text":"hm","position":{"x":1,"y":2},"size":{"w":160,"h":80}}`},
		{"note text", func(d *Document) error { return d.SetNoteText("n1", "x") }, `"text":"x"`},
		{"note colour", func(d *Document) error { return d.SetNoteColor("n1", "#445566") }, `"color":"#445566"`},
		{"note size", func(d *Document) error { return d.ResizeNote("n1", 1, 300) }, `"size":{"w":64,"h":300}`},
		{"align", func(d *Document) error { return d.Align(AlignLeft, "who", "fmt", "out") }, `"position":{"x":0,"y":0},"disabled":false`},
		{"distribute", func(d *Document) error { return d.Distribute(Horizontal, "who", "fmt", "out") }, `"position":`},
		{"layout", func(d *Document) error { return d.Layout() }, `"position":`},
		{"collapse", func(d *Document) error { _, err := d.Collapse("control.subworkflow", "fmt"); return err }, `"body":{"nodes":[{"id":"fmt"`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			d := open(t, greet)
			require.NoError(t, test.do(d))
			after := text(t, d)
			require.Contains(t, after, test.want)
			require.NotEqual(t, greet, after)
			require.True(t, d.Edited())
			name, ok := d.Undo()
			require.True(t, ok)
			require.NotEmpty(t, name)
			require.Equal(t, greet, text(t, d))
			require.False(t, d.Edited())
			_, ok = d.Undo()
			require.False(t, ok, "it was one step")
			_, ok = d.Redo()
			require.True(t, ok)
			require.Equal(t, after, text(t, d))
		})
	}
}

func TestCommandsThatFailChangeNothing(t *testing.T) {
	tests := []struct {
		name string
		do   func(d *Document) error
		want error // nil: any
	}{
		{"add unknown", func(d *Document) error { _, err := d.Add("acme.none", Point{}); return err }, ErrUnknownType},
		{"connect nowhere", func(d *Document) error { return d.Connect(out("who", "none"), in("out", "value")) }, ErrIllegalWire},
		{"connect a cycle", func(d *Document) error { return d.Connect(out("fmt", "result"), in("fmt", "name")) }, ErrIllegalWire},
		{"connect to a setting", func(d *Document) error { return d.Connect(out("who", "value"), in("fmt", "template")) }, ErrIllegalWire},
		{"insert into nothing", func(d *Document) error {
			_, err := d.InsertNew("text.slice", Point{}, conn("a", "b", "c", "d"))
			return err
		}, ErrIllegalWire},
		{"insert what has no output", func(d *Document) error {
			_, err := d.InsertNew("io.output", Point{}, conn("fmt", "result", "out", "value"))
			return err
		}, ErrIllegalWire},
		{"label of nobody", func(d *Document) error { return d.SetLabel("nobody", "x") }, ErrNoNode},
		{"timeout out of range", func(d *Document) error { return d.SetTimeout("fmt", -1) }, nil},
		{"retry out of range", func(d *Document) error { return d.SetRetry("fmt", &workflow.Retry{Factor: 1e9}) }, nil},
		{"no value", func(d *Document) error { return d.SetConfig("fmt", "template", func() {}) }, nil},
		{"rename to another's id", func(d *Document) error { return d.Rename("fmt", "who") }, ErrTaken},
		{"rename to no id", func(d *Document) error { return d.Rename("fmt", "a/b") }, nil},
		{"group nobody", func(d *Document) error { _, err := d.Group("x", "who", "nobody"); return err }, ErrNoNode},
		{"note of nobody", func(d *Document) error { return d.SetNoteText("none", "x") }, ErrNoSuchPart},
		{"group label of nobody", func(d *Document) error { return d.SetGroupLabel("none", "x") }, ErrNoSuchPart},
		{"paste rubbish", func(d *Document) error { _, err := d.Paste([]byte("hello"), Point{}); return err }, ErrNothingToPaste},
		{"paste nothing", func(d *Document) error { _, err := d.Paste([]byte(empty), Point{}); return err }, ErrNothingToPaste},
		{"collapse into no container", func(d *Document) error { _, err := d.Collapse("text.slice", "fmt"); return err }, ErrCannotCollapse},
		{"collapse around another", func(d *Document) error { _, err := d.Collapse("control.subworkflow", "who", "out"); return err }, ErrCannotCollapse},
		{"collapse nothing", func(d *Document) error { _, err := d.Collapse("control.subworkflow"); return err }, ErrCannotCollapse},
		{"enter what has no body", func(d *Document) error { return d.Enter("fmt") }, ErrNoBody},
		{"expand what has no body", func(d *Document) error { _, err := d.Expand("fmt"); return err }, ErrNoBody},
		{"replace by nothing", func(d *Document) error { return d.Replace("fmt", "acme.none") }, ErrUnknownType},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			d := open(t, greet)
			err := test.do(d)
			require.Error(t, err)
			if test.want != nil {
				require.ErrorIs(t, err, test.want)
			}
			require.Equal(t, greet, text(t, d))
			require.False(t, d.Edited())
			require.Empty(t, d.CanUndo())
		})
	}
}

func TestTypingAndNudgingAreOneStep(t *testing.T) {
	d := open(t, greet)
	for _, typed := range []string{"H", "Hi", "Hi!"} {
		require.NoError(t, d.SetConfig("fmt", "template", typed))
	}
	require.NoError(t, d.SetConfig("who", "default", "You"))
	for range 5 {
		require.NoError(t, d.Nudge(Set{Nodes: []string{"who", "out"}}, Point{8, 0}))
	}
	d.Undo()
	d.Undo()
	require.Contains(t, text(t, d), "Hi!")
	d.Undo()
	require.Equal(t, greet, text(t, d))
	for d.CanRedo() != "" {
		d.Redo()
	}
	require.Contains(t, text(t, d), `"position":{"x":40,"y":0}`)
	require.Contains(t, text(t, d), "Hi!")
}

func TestStepsAreApart(t *testing.T) {
	tests := []struct {
		name    string
		between func(d *Document)
	}{
		{"after Seal", (*Document).Seal},
		{"after a save", (*Document).MarkSaved},
		{"after another command", func(d *Document) { _ = d.SetName("x") }},
		{"after a look elsewhere", func(d *Document) { _ = d.Enter("loop"); d.Leave() }},
		{"after undo and redo", func(d *Document) { d.Undo(); d.Redo() }},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			d := open(t, strings.Replace(greet, `{"id":"out"`, `{"id":"loop","type":"control.foreach","body":{"nodes":[],"connections":[]}},{"id":"out"`, 1))
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
	d := open(t, greet)
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
