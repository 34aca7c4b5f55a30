package ui

import (
	"context"
	"errors"
	"iter"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/ui/commands"
	"github.com/svcflow/svc/ui/editor/board"
	"github.com/svcflow/svc/ui/editor/scene"
	"github.com/svcflow/svc/ui/hosts"
	"github.com/svcflow/svc/ui/kit"
	"github.com/svcflow/svc/ui/uitest"
)

func TestAWindowOpensATemplateAndRunsIt(t *testing.T) {
	inWindow(t, func(t *testing.T, b *bench) {
		require.False(t, b.commands.Enabled("run.start"), "nothing is open")
		b.Open("template:greeting")
		b.settle()
		require.Equal(t, "Greeting", b.doc().Name())
		require.False(t, b.doc().Edited())
		b.run("run.start")
		b.wait(time.Second)
		require.False(t, b.runs.Running())
		require.Equal(t, engine.StatusCompleted, b.runs.Shown().Record.Status)
		require.Equal(t, map[string]any{"greeting": "Hello, World!"}, b.runs.Shown().Record.Outputs)
		require.Contains(t, b.views.summary.Text(), "completed")
		require.NotNil(t, b.board().Run, "the canvas shows it")
	})
}

func TestAProblemIsShownWhileOneEdits(t *testing.T) {
	inWindow(t, func(t *testing.T, b *bench) {
		b.run("file.new")
		b.wait(time.Second)
		require.Empty(t, b.board().Problems().All())
		b.editing.AddAt("text.split", b.board().View.Visible().Center())
		require.Empty(t, b.board().Problems().All(), "it is not quiet yet")
		b.wait(time.Second)
		problems := b.board().Problems().All()
		require.NotEmpty(t, problems)
		require.Equal(t, engine.CodeMissingRequiredInput, problems[0].Code)
		require.Equal(t, len(problems), b.views.problems.Count())
		require.Contains(t, b.views.status.problems.Text(), "F8")

		b.run("view.next-problem")
		id, ok := b.board().Selection.Sole()
		require.True(t, ok)
		require.Equal(t, problems[0].NodeID, id)

		b.run("run.start") // the backend refuses it
		b.wait(time.Second)
		require.False(t, b.runs.Running())
		require.Equal(t, tabProblems, b.views.panels.right.Selected())

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
		first := b.runs.Shown().Record.RunID

		b.run("edit.select-all")
		b.run("edit.delete")
		b.running.open(first)
		b.wait(time.Second)
		require.NotNil(t, b.runs.Past())
		require.Len(t, b.board().Document().Nodes(), 3, "what was run is shown, not the draft")
		require.Same(t, b.runs.Past(), b.views.canvas.Board())
		for _, id := range []string{"edit.undo", "edit.delete", "edit.paste", "file.save", "run.start", "node.add"} {
			require.False(t, b.commands.Enabled(id), "%s would change what is over", id)
		}

		b.run("run.leave")
		require.Nil(t, b.runs.Past())
		require.Empty(t, b.board().Document().Nodes(), "the draft is as it was left")
		b.run("edit.undo")
		require.Len(t, b.board().Document().Nodes(), 3)
	})
}

func TestTheTriggerThatTheUserChoosesFires(t *testing.T) {
	inWindow(t, func(t *testing.T, b *bench) {
		b.run("file.new")
		require.False(t, b.commands.Enabled("run.with"), "there is nothing to fire")
		b.editing.AddAt("trigger.manual", b.board().View.Visible().Center())
		first := b.doc().Nodes()[0].ID
		b.run("run.start")
		b.wait(time.Second)
		require.Nil(t, b.win.Canvas().Overlays().Top(), "there is one only")
		require.Contains(t, b.message(), first)
		require.Equal(t, engine.StatusSucceeded, b.runs.Shown().Record.Node(first).State())

		b.editing.AddAt("trigger.manual", b.board().View.Visible().Center())
		second := b.doc().Nodes()[1].ID
		b.run("run.start")
		over := b.win.Canvas().Overlays().Top()
		require.NotNil(t, over, "which one?")
		which := uitest.First[*kit.Select](t, over)
		require.Len(t, which.Options, 2)
		event := uitest.First[*kit.Entry](t, over)
		require.Contains(t, event.Text, "payload", "the last event of the first")
		which.SetSelectedIndex(1)
		require.Empty(t, event.Text, "the other has none yet")
		event.SetText("[]")
		b.answer("Run")
		require.NotNil(t, b.win.Canvas().Overlays().Top(), "this is no event")
		event.SetText(`{"payload": 7}`)
		b.answer("Run")
		b.wait(time.Second)
		r := b.runs.Shown().Record
		require.Equal(t, 7, r.Node(second).Last.Outputs["payload"])
		require.Equal(t, engine.StatusSkipped, r.Node(first).State())

		b.run("run.start")
		b.wait(time.Second)
		require.Nil(t, b.win.Canvas().Overlays().Top(), "it was said")
		require.Equal(t, 7, b.runs.Shown().Record.Node(second).Last.Outputs["payload"])
		b.run("run.with")
		require.Equal(t, 1, uitest.First[*kit.Select](t, b.win.Canvas().Overlays().Top()).SelectedIndex())
		require.JSONEq(t, `{"payload": 7}`, uitest.First[*kit.Entry](t, b.win.Canvas().Overlays().Top()).Text)
		(&situation{bench: b}).escape()
		require.Nil(t, b.win.Canvas().Overlays().Top())
	})
}

func TestRunToHereRunsTheNodesBefore(t *testing.T) {
	inWindow(t, func(t *testing.T, b *bench) {
		b.Open("template:greeting")
		b.settle()
		require.False(t, b.commands.Enabled("run.to"), "nothing is selected")
		require.True(t, b.board().Show(b.doc().Nodes()[1].ID))
		b.run("run.to")
		b.wait(time.Second)
		require.Equal(t, engine.StatusCompleted, b.runs.Shown().Record.Status)
		require.Empty(t, b.runs.Shown().Record.Outputs)
		require.Len(t, b.runs.Shown().Record.Rows(), 2)
	})
}

func TestARunCanBeCancelled(t *testing.T) {
	inWindow(t, func(t *testing.T, b *bench) {
		b.run("file.new")
		b.editing.AddAt("control.delay", b.board().View.Visible().Center())
		id := b.doc().Nodes()[0].ID
		require.NoError(t, b.doc().SetConfig(id, "ms", 3_600_000))
		require.NoError(t, b.doc().SetConfig(id, "value", "x"))
		b.views.Refresh()
		b.run("run.start")
		b.wait(time.Second)
		require.True(t, b.runs.Running())
		require.Equal(t, "Cancel", b.views.top.run.Text)
		require.False(t, b.commands.Enabled("run.start"), "one run at a time")
		b.run("run.cancel")
		b.wait(time.Second)
		require.False(t, b.runs.Running())
		require.Equal(t, engine.StatusCancelled, b.runs.Shown().Record.Status)
		require.Equal(t, "Run", b.views.top.run.Text)
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
		require.Empty(t, b.doc().Nodes())
		b.run("edit.paste")
		require.Len(t, b.doc().Nodes(), 3)
		require.Len(t, b.doc().Connections(), 2, "with the wires between them")
		b.run("edit.undo")
		require.Empty(t, b.doc().Nodes(), "one paste is one step")

		b.config.App.Clipboard().SetContent("no workflow")
		b.commands.Run("edit.paste")
		require.Contains(t, b.message(), "nothing to paste")
	})
}

func TestWiresAreMadeByKeysAlone(t *testing.T) {
	inWindow(t, func(t *testing.T, b *bench) {
		b.run("file.new")
		b.editing.AddAt("io.input", b.board().View.Visible().Center())
		b.editing.AddAt("io.output", b.board().View.Visible().Center())
		input, output := b.doc().Nodes()[0].ID, b.doc().Nodes()[1].ID
		require.NoError(t, b.doc().SetConfig(input, "name", "in"))
		require.NoError(t, b.doc().SetConfig(output, "name", "out"))
		require.True(t, b.board().Show(input))
		b.run("node.connect")
		b.pressEnter() // the output port is the first one
		b.pressEnter() // and the nearest port that it can connect to
		require.Len(t, b.doc().Connections(), 1)
		require.Equal(t, output, b.doc().Connections()[0].ToNodeID)
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
		for _, c := range b.table() {
			require.NotEmpty(t, c.Menu, c.ID)
		}
		for kind := range 10 {
			for _, id := range commands.MenuFor(scene.HitKind(kind), b.containers) {
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
		require.True(t, b.views.stage.start.Visible())
		require.False(t, b.views.stage.work.Visible())
		require.True(t, b.views.panels.shell.Sides().LeftFolded, "the page has the whole window")
		require.Equal(t, kit.DefaultSides(), b.views.panels.Sides(), "which is not how the user divides it")
		b.Open("template:nothing")
		b.settle()
		require.True(t, b.views.stage.start.Visible())
		require.Contains(t, b.message(), "no such template")
		b.run("file.new")
		require.True(t, b.views.stage.work.Visible())
		require.Equal(t, kit.DefaultSides(), b.views.panels.shell.Sides())
		require.NotEmpty(t, b.views.stage.hint.Objects, "an empty canvas says what to do")
		b.editing.AddAt("io.input", b.board().View.Visible().Center())
		require.Empty(t, b.views.stage.hint.Objects)
	})
}

// buttonOf finds a button of the topmost dialog.
func (b *bench) buttonOf(text string) fyne.Tappable {
	b.t.Helper()
	overlay := b.win.Canvas().Overlays().Top()
	require.NotNil(b.t, overlay, "nothing asks for %q", text)
	for _, o := range test.LaidOutObjects(overlay) {
		if button, ok := o.(*kit.Button); ok && button.Text == text {
			return button
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
		}
		b.run("file.new")
		b.win.Canvas().OnTypedKey()(&fyne.KeyEvent{Name: fyne.KeyF8})
		require.Contains(t, b.message(), "No problems", "other keys go where they did")
	})
}

func TestNothingIsRunOrSavedWhileNothingIsOpen(t *testing.T) {
	inWindow(t, func(t *testing.T, b *bench) {
		require.True(t, b.views.top.run.Disabled())
		require.True(t, b.views.top.save.Disabled())
		b.run("file.new")
		require.False(t, b.views.top.run.Disabled())
		require.False(t, b.views.top.save.Disabled())
	})
}

// TestNothingPanicsWhileNothingIsOpen runs every command as if it were enabled, and opens
// every tab.
func TestNothingPanicsWhileNothingIsOpen(t *testing.T) {
	inWindow(t, func(t *testing.T, b *bench) {
		for _, c := range b.table() {
			if c.Do == nil || c.ID == "file.quit" {
				continue
			}
			c.Do()
			b.settle()
			for b.win.Canvas().Overlays().Top() != nil {
				b.win.Canvas().Overlays().Remove(b.win.Canvas().Overlays().Top())
			}
			if b.workspace.Active() != nil {
				b.workspace.CloseEverywhere(b.files.showStart)
			}
		}
		for _, tabs := range []*kit.Tabs{b.views.panels.left, b.views.panels.right, b.views.panels.bottom} {
			for tab := range 3 {
				tabs.Select(tab)
				b.settle()
			}
		}
		for kind := range 7 {
			b.editing.Request(board.Request{Kind: board.RequestKind(kind)})
		}
		require.Nil(t, b.workspace.Active())
	})
}

func TestARunOfALostServerIsNotShownAsRunning(t *testing.T) {
	inWindow(t, func(t *testing.T, b *bench) {
		gone := &goneBackend{Backend: b.app, gone: make(chan struct{})}
		b.servers.places["https://gone.example.org"] = hosts.Host{URL: "https://gone.example.org", Backend: gone, Accounts: noAccounts{}}
		b.hosts.Connect(hosts.Address{URL: "https://gone.example.org"}, nil)
		b.settle()
		b.Open("template:greeting")
		b.run("run.start")
		b.wait(time.Second)
		require.True(t, b.runs.Running())
		require.Contains(t, b.views.summary.Text(), "running")
		close(gone.gone)
		b.wait(time.Second)
		require.False(t, b.runs.Running())
		require.Contains(t, b.views.summary.Text(), "lost after")
		before := b.views.summary.Text()
		b.wait(time.Minute)
		b.views.Refresh()
		require.Equal(t, before, b.views.summary.Text(), "it does not seem to go on")
		require.Contains(t, b.message(), "does not answer")
		require.True(t, b.commands.Enabled("run.start"))
	})
}

// goneBackend runs something that never ends, until its server is gone.
type goneBackend struct {
	hosts.Backend

	gone chan struct{}
}

func (g *goneBackend) Start(context.Context, *workflow.Definition, run.Request) (string, error) {
	return "r1", nil
}

func (g *goneBackend) Events(ctx context.Context, _ string, _ int) iter.Seq2[engine.Event, error] {
	return func(yield func(engine.Event, error) bool) {
		if !yield(engine.Event{Seq: 1, RunID: "r1", Time: time.Now(), Name: engine.EventStarted}, nil) {
			return
		}
		select {
		case <-g.gone:
			yield(engine.Event{}, errors.New("the server does not answer"))
		case <-ctx.Done():
		}
	}
}
