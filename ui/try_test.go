package ui

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/layout/cards"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/ui/kit"
	"github.com/svcflow/svc/ui/uitest"
	"github.com/svcflow/svc/ui/uitest/editortest"
	"github.com/svcflow/svc/ui/workspace"
)

// chained has three steps in a row.
const chained = `{"id":"chained","name":"Chained","nodes":[` +
	`{"id":"in","type":"io.input","config":{"name":"who","type":"string","default":"Ada"},"position":{"x":0,"y":0}},` +
	`{"id":"first","type":"text.format","config":{"template":"1 {x}"},"position":{"x":240,"y":0}},` +
	`{"id":"second","type":"text.format","config":{"template":"2 {x}"},"position":{"x":480,"y":0}},` +
	`{"id":"out","type":"io.output","config":{"name":"said"},"position":{"x":720,"y":0}},` +
	`{"id":"beside","type":"text.length","config":{"text":"x"},"position":{"x":0,"y":240}}],` +
	`"connections":[{"fromNodeId":"in","fromPort":"value","toNodeId":"first","toPort":"x"},{"fromNodeId":"first","fromPort":"result","toNodeId":"second","toPort":"x"},` +
	`{"fromNodeId":"second","fromPort":"result","toNodeId":"out","toPort":"value"}]}`

// ran runs a command that runs something, and waits for it.
func (b *bench) ran(id string) {
	b.t.Helper()
	b.run(id)
	b.wait(time.Second)
	require.False(b.t, b.runs.Running())
	require.Equal(b.t, engine.StatusCompleted, b.runs.Shown().Record.Status, "%v", b.runs.Shown().Record.Error)
}

func (b *bench) recorded() int {
	page, err := b.app.Runs(b.t.Context(), run.Query{})
	require.NoError(b.t, err)
	return len(page.Items)
}

func (b *bench) setTemplate(id, text string) {
	require.NoError(b.t, b.doc().SetConfig(id, "template", text))
	b.views.Refresh()
}

func TestAPinnedNodeIsNotCalled(t *testing.T) {
	inWindow(t, func(t *testing.T, b *bench) {
		b.opens(chained)
		require.True(t, b.board().Show("first"))
		require.False(t, b.commands.Enabled("run.pin"), "it has given nothing")
		b.ran("run.start")
		require.Equal(t, "2 1 Ada", b.runs.Shown().Record.Outputs["said"])
		b.run("run.pin")
		require.True(t, b.running.Pinned())
		require.Contains(t, b.drawn(), "pinned")
		require.Contains(t, b.message(), "1 node is pinned")
		require.False(t, b.doc().Edited(), "pins are not in the document")

		b.setTemplate("first", "other {x}")
		b.ran("run.start")
		require.Equal(t, "2 1 Ada", b.runs.Shown().Record.Outputs["said"])
		require.Equal(t, 1, b.recorded(), "a run with pins is not recorded")
		require.False(t, b.runs.Recorded())

		require.True(t, b.board().Show("first"))
		b.run("edit.delete")
		b.views.Refresh()
		require.NotContains(t, b.drawn(), "pinned")
		b.run("edit.undo")
		require.Contains(t, b.drawn(), "pinned", "what comes back is as it was")

		require.True(t, b.board().Show("first"))
		b.run("run.pin")
		require.NotContains(t, b.drawn(), "pinned")
		b.ran("run.start")
		require.Equal(t, "2 other Ada", b.runs.Shown().Record.Outputs["said"])
		require.Equal(t, 2, b.recorded())
	})
}

func TestPinsStayWithTheFile(t *testing.T) {
	inWindow(t, func(t *testing.T, b *bench) {
		s := &situation{bench: b}
		file := s.file()
		require.True(t, b.board().Show(b.doc().Nodes()[1].ID))
		b.ran("run.start")
		b.run("run.pin")
		b.workspace.CloseEverywhere(func() {})
		b.settle()
		b.Open(file)
		b.settle()
		require.True(t, b.workspace.Active().Pinned(b.doc().Nodes()[1].ID))
		b.workspace.Open(workspace.FromDefinition(stored("new")))
		b.settle()
		require.False(t, b.workspace.Active().Pinned(b.doc().Nodes()[1].ID), "another one has its own")
	})
}

func TestOneNodeIsRunWithItsLastInputs(t *testing.T) {
	inWindow(t, func(t *testing.T, b *bench) {
		b.opens(chained)
		require.True(t, b.board().Show("second"))
		require.False(t, b.commands.Enabled("run.only"), "nothing is known yet")
		b.ran("run.start")
		b.setTemplate("first", "other {x}")
		b.setTemplate("second", "new {x}")
		b.ran("run.only")
		r := b.runs.Shown().Record
		require.Equal(t, "new 1 Ada", r.Node("second").Last.Outputs["result"], "the first was not called")
		require.Nil(t, r.Node("out"))
		require.Nil(t, r.Node("beside"))

		b.ran("run.from")
		r = b.runs.Shown().Record
		require.Equal(t, "new 1 Ada", r.Outputs["said"], "what follows is run")
		require.Nil(t, r.Node("beside"), "what has nothing to do with it is not")
		require.Equal(t, 1, b.recorded())

		require.True(t, b.board().Show("first"))
		b.ran("run.from")
		require.Equal(t, "new other Ada", b.runs.Shown().Record.Outputs["said"])

		b.editing.AddAt("text.length", b.board().View.Visible().Center())
		made := b.doc().Nodes()[len(b.doc().Nodes())-1].ID
		b.editing.AddAt("text.format", b.board().View.Visible().Center())
		after := b.doc().Nodes()[len(b.doc().Nodes())-1].ID
		require.NoError(t, b.doc().SetConfig(after, "template", "{n}"))
		require.NoError(t, b.doc().Connect(editortest.Out(made, "length"), editortest.In(after, "n")))
		require.True(t, b.board().Show(after))
		b.run("run.only")
		require.Contains(t, b.message(), "is not known: run the workflow")
	})
}

func TestATrialEndsWhenItIsNotShownAnyMore(t *testing.T) {
	inWindow(t, func(t *testing.T, b *bench) {
		b.opens(`{"id":"w","nodes":[{"id":"a","type":"text.length","config":{"text":"x"}},{"id":"b","type":"control.delay","config":{"ms":3600000,"value":1}}],"connections":[` +
			`{"fromNodeId":"a","fromPort":"$done","toNodeId":"b","toPort":"$after"}]}`)
		b.workspace.Pin(map[string]engine.Pin{"a": {Outputs: map[string]any{"length": 5}}})
		b.run("run.start")
		b.wait(time.Second)
		require.True(t, b.runs.Running())
		require.Equal(t, 5, b.runs.Shown().Record.Node("a").Last.Outputs["length"])
		b.run("run.cancel")
		b.wait(time.Second)
		require.False(t, b.runs.Running())
		require.Equal(t, engine.StatusCancelled, b.runs.Shown().Record.Status)

		b.run("run.start")
		b.wait(time.Second)
		b.runs.Forget()
		b.settle() // the goroutine of the run is waited for at the end of the test
		require.Nil(t, b.runs.Shown())
	})
}

func TestAPinThatDoesNotFitIsAProblem(t *testing.T) {
	inWindow(t, func(t *testing.T, b *bench) {
		b.opens(chained)
		b.workspace.Pin(map[string]engine.Pin{"first": {Outputs: map[string]any{"result": []any{1}}}})
		b.run("run.start")
		b.wait(time.Second)
		require.False(t, b.runs.Running())
		require.Equal(t, tabProblems, b.views.panels.right.Selected())
	})
}

func TestRunToHereReusesUnchangedOutputs(t *testing.T) {
	inWindow(t, func(t *testing.T, b *bench) {
		b.opens(chained)
		require.True(t, b.board().Show("second"))
		b.ran("run.to")
		require.Equal(t, 1, b.recorded(), "nothing has run before: an ordinary run")
		first := b.runs.Shown().Record.Node("first").Last
		b.setTemplate("second", "new {x}")
		b.ran("run.to")
		require.Equal(t, "new 1 Ada", b.runs.Shown().Record.Node("second").Last.Outputs["result"])
		require.Equal(t, 1, b.recorded(), "the first was not called")
		require.Contains(t, b.message(), "1 node repeats its last outputs")
		b.setTemplate("first", "other {x}")
		b.ran("run.to")
		require.Equal(t, "new other Ada", b.runs.Shown().Record.Node("second").Last.Outputs["result"])
		require.NotEqual(t, first, b.runs.Shown().Record.Node("first").Last)
	})
}

func TestAPinIsWrittenByHand(t *testing.T) {
	inWindow(t, func(t *testing.T, b *bench) {
		b.opens(chained)
		require.False(t, b.commands.Enabled("run.pin-write"), "nothing is selected")
		require.True(t, b.board().Show("first"))
		b.run("run.pin-write")
		entry := uitest.First[*kit.Entry](t, b.win.Canvas().Overlays().Top())
		require.JSONEq(t, `{"result":""}`, entry.Text, "what it could give")
		entry.SetText(`{"result":1}`)
		require.ErrorContains(t, entry.Validate(), "result: ")
		entry.SetText(`{"other":"x"}`)
		require.ErrorContains(t, entry.Validate(), "no output “other”")
		entry.SetText(`{"result":"by hand"}`)
		b.press("Pin")
		require.Contains(t, b.drawn(), "pinned")
		require.False(t, b.doc().Edited(), "pins are not in the document")
		b.ran("run.start")
		require.Equal(t, "2 by hand", b.runs.Shown().Record.Outputs["said"])

		require.True(t, b.board().Show("first"))
		b.run("run.pin-write")
		entry = uitest.First[*kit.Entry](t, b.win.Canvas().Overlays().Top())
		require.JSONEq(t, `{"result":"by hand"}`, entry.Text, "as it is pinned")
		entry.SetText(`{"$error":{"code":"failed","message":"on purpose"}}`)
		b.press("Pin")
		b.run("run.start")
		b.wait(time.Second)
		require.Equal(t, engine.StatusFailed, b.runs.Shown().Record.Status)
		require.Equal(t, "on purpose", b.runs.Shown().Record.Node("first").Last.Error.Message)
	})
}

// press presses a button of the topmost dialog.
func (b *bench) press(title string) {
	b.t.Helper()
	for _, button := range uitest.Seen[*kit.Button](b.win.Canvas().Overlays().Top()) {
		if button.Text == title {
			button.Tapped(nil)
			b.settle()
			return
		}
	}
	require.Fail(b.t, "no button", title)
}

func TestNodesWithSideEffectsAreNotReused(t *testing.T) {
	inWindow(t, func(t *testing.T, b *bench) {
		acts := func(text string) bool {
			def := uitest.Definition(t, `{"id":"w","nodes":[`+text+`],"connections":[]}`)
			return cards.Acts(b.config.Registry, def, &def.Nodes[0])
		}
		require.False(t, acts(`{"id":"a","type":"text.format","config":{"template":"x"}}`))
		require.False(t, acts(`{"id":"a","type":"io.http_request","config":{"url":"http://x","method":"GET"}}`))
		require.True(t, acts(`{"id":"a","type":"io.http_request","config":{"url":"http://x","method":"POST"}}`), "by its config")
		require.True(t, acts(`{"id":"a","type":"no.such"}`))
		const loop = `{"id":"a","type":"control.foreach","body":{"nodes":[{"id":"i","type":"io.input","config":{"name":"item"}},%s,{"id":"o","type":"io.output","config":{"name":"result"}}],"connections":[]}}`
		require.False(t, acts(strings.Replace(loop, "%s", `{"id":"b","type":"text.format","config":{"template":"x"}}`, 1)))
		require.True(t, acts(strings.Replace(loop, "%s", `{"id":"b","type":"io.http_request","config":{"url":"http://x","method":"POST"}}`, 1)))
	})
}
