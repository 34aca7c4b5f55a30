package ui

import (
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/ui/kit"
	"github.com/svcflow/svc/ui/uitest"
	"github.com/svcflow/svc/ui/workspace"
)

// failing has two nodes that fail, one of them in a loop, and one that does not.
const failing = `{"id":"failing","name":"Failing","nodes":[` +
	`{"id":"in","type":"io.input","config":{"name":"list","type":"list<string>","default":["x","y"]},"position":{"x":0,"y":0}},` +
	`{"id":"loop","type":"control.foreach","position":{"x":240,"y":0},"body":{"nodes":[` +
	`{"id":"item","type":"io.input","config":{"name":"item","type":"string"}},{"id":"read","type":"json.patch","label":"Patch it","config":{"patch":[{"op":"test","path":"/a","value":1}]}},{"id":"out","type":"io.output","config":{"name":"result"}}],` +
	`"connections":[{"fromNodeId":"item","fromPort":"value","toNodeId":"read","toPort":"value"},{"fromNodeId":"read","fromPort":"value","toNodeId":"out","toPort":"value"}]}},` +
	`{"id":"also","type":"json.patch","config":{"value":1,"patch":[{"op":"remove","path":"/b"}]},"position":{"x":240,"y":300}},` +
	`{"id":"later","type":"control.delay","config":{"ms":50,"value":"x"},"position":{"x":480,"y":300}}],` +
	`"connections":[{"fromNodeId":"later","fromPort":"$done","toNodeId":"also","toPort":"$after"},{"fromNodeId":"in","fromPort":"value","toNodeId":"loop","toPort":"list"}]}`

func (b *bench) opens(text string) {
	b.t.Helper()
	def, err := workflow.Decode([]byte(text), workflow.DefaultLimits())
	require.NoError(b.t, err)
	b.workspace.Open(workspace.FromDefinition(def))
	b.settle()
}

// shows are the texts of the panel of values.
func (b *bench) shows() []string { return uitest.Texts(b.views.output.Object()) }

func TestAfterARunItsOutputsAreShown(t *testing.T) {
	inWindow(t, func(t *testing.T, b *bench) {
		b.Open("template:greeting")
		b.settle()
		require.True(t, b.board().Show(b.doc().Nodes()[0].ID))
		b.views.Refresh()
		b.run("run.start")
		b.wait(time.Second)
		require.Equal(t, tabOutput, b.views.panels.bottom.Selected())
		require.Contains(t, b.shows(), "greeting", "the outputs of the workflow, not of the selected node")
		id, ok := b.board().Selection.Sole()
		require.True(t, ok)
		require.Equal(t, b.doc().Nodes()[0].ID, id, "which stays selected")

		require.True(t, b.board().Show(b.doc().Nodes()[1].ID))
		b.views.Refresh()
		require.NotContains(t, b.shows(), "greeting", "now another one is")
	})
}

func TestAFailedRunShowsItsFailedNode(t *testing.T) {
	inWindow(t, func(t *testing.T, b *bench) {
		b.opens(failing)
		b.run("run.start")
		b.wait(time.Second)
		require.Equal(t, engine.StatusFailed, b.runs.Shown().Record.Status)
		require.Equal(t, tabOutput, b.views.panels.bottom.Selected())
		require.Contains(t, b.shows(), "Patch it", "the node that failed first, though it is in a body that is not open")
		require.Equal(t, "“Patch it” failed: operation 0 of the patch: there is nothing at /a", b.message())
		require.True(t, b.board().Selection.Empty())
		require.Contains(t, b.views.status.problems.Text(), "2 nodes failed · F8")

		for _, lead := range []func(){
			func() { b.run("view.next-problem") },
			func() { touch(t, b.views.status.whole, b.views.status.message) },
			func() { touch(t, b.views.summary.Object(), nil) },
			func() { b.views.timeline.OnShow("loop/read") },
		} {
			require.NoError(t, b.doc().GoTo(nil))
			b.views.panels.ShowTimeline()
			b.views.Refresh()
			lead()
			b.settle()
			require.Equal(t, "loop/read", b.views.selected())
			require.Equal(t, tabOutput, b.views.panels.bottom.Selected())
		}
		b.run("view.next-problem")
		require.Equal(t, "also", b.views.selected())
		b.run("view.next-problem")
		require.Equal(t, "loop/read", b.views.selected(), "and from the beginning")
		b.run("view.previous-problem")
		require.Equal(t, "also", b.views.selected())
	})
}

func TestACancelledRunDoesNotLeadAnywhere(t *testing.T) {
	inWindow(t, func(t *testing.T, b *bench) {
		b.opens(`{"id":"w","nodes":[{"id":"a","type":"control.delay","config":{"ms":3600000,"value":1}}],"connections":[]}`)
		b.run("run.start")
		b.wait(time.Second)
		b.run("run.cancel")
		b.wait(time.Second)
		require.Equal(t, tabTimeline, b.views.panels.bottom.Selected())
	})
}

// touch clicks what can be clicked in o, and has text in it unless that is nil.
func touch(t *testing.T, o fyne.CanvasObject, text *kit.Text) {
	t.Helper()
	for _, touch := range uitest.Seen[*kit.Touch](o) {
		for _, in := range uitest.Seen[*kit.Text](touch) {
			if text == nil || in == text {
				touch.Tapped(nil)
				return
			}
		}
	}
	require.Fail(t, "nothing can be clicked there")
}
