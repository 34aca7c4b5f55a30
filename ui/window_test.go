package ui

import (
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/widget"
	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/ui/editor/scene"
	"github.com/svcflow/svc/ui/kit"
)

func TestAWindowOpensATemplateAndRunsIt(t *testing.T) {
	inWindow(t, func(t *testing.T, b *bench) {
		require.False(t, b.commands.Enabled("run.start"), "nothing is open")
		b.Open("template:greeting")
		b.settle()
		require.Equal(t, "Greeting", b.desk.doc.Name())
		require.False(t, b.desk.doc.Edited())
		b.run("run.start")
		b.wait(time.Second)
		require.False(t, b.running())
		require.Equal(t, engine.StatusCompleted, b.shown.record.Status)
		require.Equal(t, map[string]any{"greeting": "Hello, World!"}, b.shown.record.Outputs)
		require.Contains(t, b.summary.Text(), "completed")
		require.NotNil(t, b.board().Run, "the canvas shows it")
	})
}

func TestAProblemIsShownWhileOneEdits(t *testing.T) {
	inWindow(t, func(t *testing.T, b *bench) {
		b.run("file.new")
		b.wait(time.Second)
		require.Empty(t, b.board().Problems().All())
		b.addNode("text.split", b.board().View.Visible().Center())
		require.Empty(t, b.board().Problems().All(), "it is not quiet yet")
		b.wait(time.Second)
		problems := b.board().Problems().All()
		require.NotEmpty(t, problems)
		require.Equal(t, engine.CodeMissingRequiredInput, problems[0].Code)
		require.Equal(t, len(problems), b.problems.Count())
		require.Contains(t, b.status.problems.Text(), "F8")

		b.run("view.next-problem")
		id, ok := b.board().Selection.Sole()
		require.True(t, ok)
		require.Equal(t, problems[0].NodeID, id)

		b.run("run.start") // the backend refuses it
		b.wait(time.Second)
		require.False(t, b.running())
		require.Equal(t, tabProblems, b.side.Selected())

		b.run("edit.undo")
		b.wait(time.Second)
		require.Empty(t, b.board().Problems().All())
	})
}

func TestAPastRunIsShownReadOnlyAndTheDraftStays(t *testing.T) {
	inWindow(t, func(t *testing.T, b *bench) {
		b.Open("template:greeting")
		b.settle()
		b.run("run.start")
		b.wait(time.Second)
		first := b.shown.record.RunID

		b.run("edit.select-all")
		b.run("edit.delete")
		b.openRun(run.Record{RunID: first})
		b.wait(time.Second)
		require.NotNil(t, b.past())
		require.Len(t, b.board().Document().Nodes(), 3, "what was run is shown, not the draft")
		require.Same(t, b.past(), b.canvas.Board())
		for _, id := range []string{"edit.undo", "edit.delete", "edit.paste", "file.save", "run.start", "node.add"} {
			require.False(t, b.commands.Enabled(id), "%s would change what is over", id)
		}

		b.run("run.leave")
		require.Nil(t, b.past())
		require.Empty(t, b.board().Document().Nodes(), "the draft is as it was left")
		b.run("edit.undo")
		require.Len(t, b.board().Document().Nodes(), 3)
	})
}

func TestRunToHereRunsWhatLeadsThere(t *testing.T) {
	inWindow(t, func(t *testing.T, b *bench) {
		b.Open("template:greeting")
		b.settle()
		require.False(t, b.commands.Enabled("run.to"), "nothing is selected")
		require.True(t, b.board().Show(b.desk.doc.Nodes()[1].ID))
		b.run("run.to")
		b.wait(time.Second)
		require.Equal(t, engine.StatusCompleted, b.shown.record.Status)
		require.Empty(t, b.shown.record.Outputs)
		require.Len(t, b.shown.record.Rows(), 2)
	})
}

func TestARunCanBeCancelled(t *testing.T) {
	inWindow(t, func(t *testing.T, b *bench) {
		b.run("file.new")
		b.addNode("control.delay", b.board().View.Visible().Center())
		id := b.desk.doc.Nodes()[0].ID
		require.NoError(t, b.desk.doc.SetConfig(id, "ms", 3_600_000))
		require.NoError(t, b.desk.doc.SetConfig(id, "value", "x"))
		b.refresh()
		b.run("run.start")
		b.wait(time.Second)
		require.True(t, b.running())
		require.Equal(t, "Cancel", b.top.run.Text)
		require.False(t, b.commands.Enabled("run.start"), "one run at a time")
		b.run("run.cancel")
		b.wait(time.Second)
		require.False(t, b.running())
		require.Equal(t, engine.StatusCancelled, b.shown.record.Status)
		require.Equal(t, "Run", b.top.run.Text)
	})
}

func TestClipboardIsJSON(t *testing.T) {
	inWindow(t, func(t *testing.T, b *bench) {
		b.Open("template:greeting")
		b.settle()
		b.run("edit.select-all")
		b.run("edit.copy")
		require.Contains(t, b.config.App.Clipboard().Content(), `"text.format"`)
		b.run("edit.cut")
		require.Empty(t, b.desk.doc.Nodes())
		b.run("edit.paste")
		require.Len(t, b.desk.doc.Nodes(), 3)
		require.Len(t, b.desk.doc.Connections(), 2, "with the wires between them")
		b.run("edit.undo")
		require.Empty(t, b.desk.doc.Nodes(), "one paste is one step")

		b.config.App.Clipboard().SetContent("no workflow")
		b.commands.Run("edit.paste")
		require.Contains(t, b.status.message.Text(), "nothing to paste")
	})
}

func TestWiresAreMadeByKeysAlone(t *testing.T) {
	inWindow(t, func(t *testing.T, b *bench) {
		b.run("file.new")
		b.addNode("io.input", b.board().View.Visible().Center())
		b.addNode("io.output", b.board().View.Visible().Center())
		input, output := b.desk.doc.Nodes()[0].ID, b.desk.doc.Nodes()[1].ID
		require.NoError(t, b.desk.doc.SetConfig(input, "name", "in"))
		require.NoError(t, b.desk.doc.SetConfig(output, "name", "out"))
		require.True(t, b.board().Show(input))
		b.run("node.connect")
		b.pressEnter() // the output port is the first one
		b.pressEnter() // and the nearest place that it can lead to
		require.Len(t, b.desk.doc.Connections(), 1)
		require.Equal(t, output, b.desk.doc.Connections()[0].ToNodeID)
	})
}

// pressEnter presses Enter where the keyboard is.
func (b *bench) pressEnter() {
	b.t.Helper()
	focused := b.win.Canvas().Focused()
	require.NotNil(b.t, focused)
	focused.TypedKey(&fyne.KeyEvent{Name: fyne.KeyReturn})
	b.settle()
}

func TestTheThemeStays(t *testing.T) {
	inWindow(t, func(t *testing.T, b *bench) {
		b.run("theme.contrast")
		require.Equal(t, "contrast", settings{b.config.App.Preferences()}.scheme())
		menu, ok := b.commands.Get("theme.contrast")
		require.True(t, ok)
		require.True(t, menu.Checked())
	})
}

func TestEveryCommandIsInAMenu(t *testing.T) {
	inWindow(t, func(t *testing.T, b *bench) {
		for _, c := range b.commandTable() {
			require.NotEmpty(t, c.Menu, c.ID)
		}
		for kind := range 10 {
			for _, id := range b.menuFor(scene.HitKind(kind)) {
				if id != "" {
					_, ok := b.commands.Get(id)
					require.True(t, ok, "the menu of a click names %s", id)
				}
			}
		}
	})
}

func TestTheStartPageOffersTemplates(t *testing.T) {
	inWindow(t, func(t *testing.T, b *bench) {
		require.True(t, b.stage.start.Visible())
		require.False(t, b.stage.work.Visible())
		require.True(t, b.panels.Sides().LeftFolded, "the page has the whole window")
		require.Equal(t, kit.DefaultSides(), b.sides(), "which is not how the user divides it")
		b.Open("template:nothing")
		b.settle()
		require.True(t, b.stage.start.Visible())
		require.Contains(t, b.status.message.Text(), "no such template")
		b.run("file.new")
		require.True(t, b.stage.work.Visible())
		require.Equal(t, kit.DefaultSides(), b.panels.Sides())
		require.NotEmpty(t, b.stage.hint.Objects, "an empty canvas says what to do")
		b.addNode("io.input", b.board().View.Visible().Center())
		require.Empty(t, b.stage.hint.Objects)
	})
}

// buttonOf finds a button of what lies over the window.
func (b *bench) buttonOf(text string) fyne.Tappable {
	b.t.Helper()
	overlay := b.win.Canvas().Overlays().Top()
	require.NotNil(b.t, overlay, "nothing asks for %q", text)
	for _, o := range test.LaidOutObjects(overlay) {
		switch button := o.(type) {
		case *widget.Button:
			if button.Text == text {
				return button
			}
		case *dialogButton:
			if button.Text == text {
				return button
			}
		}
	}
	require.Fail(b.t, "there is no button", "%q", text)
	return nil
}

// answer presses a button of what the window asks.
func (b *bench) answer(text string) {
	b.t.Helper()
	b.buttonOf(text).Tapped(&fyne.PointEvent{})
	b.settle()
}

func TestDialogsCloseByEscape(t *testing.T) {
	inWindow(t, func(t *testing.T, b *bench) {
		for _, id := range []string{"help.about", "place.accounts", "place.serve"} {
			b.run(id)
			require.NotNil(t, b.win.Canvas().Overlays().Top(), id)
			b.win.Canvas().OnTypedKey()(&fyne.KeyEvent{Name: fyne.KeyEscape})
			b.settle()
			require.Nil(t, b.win.Canvas().Overlays().Top(), id)
			require.Nil(t, b.escape)
		}
		b.run("file.new")
		b.win.Canvas().OnTypedKey()(&fyne.KeyEvent{Name: fyne.KeyF8})
		require.Contains(t, b.status.message.Text(), "No problems", "other keys go where they did")
	})
}

func TestNothingIsRunOrSavedWhileNothingIsOpen(t *testing.T) {
	inWindow(t, func(t *testing.T, b *bench) {
		require.True(t, b.top.run.Disabled())
		require.True(t, b.top.save.Disabled())
		b.run("file.new")
		require.False(t, b.top.run.Disabled())
		require.False(t, b.top.save.Disabled())
	})
}
