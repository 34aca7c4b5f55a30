package ui

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"fyne.io/fyne/v2"
	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/layout/geom"
	"github.com/svcflow/svc/ui/kit"
	"github.com/svcflow/svc/ui/uitest"
)

// titles are what the tabs say, in their order.
func (b *bench) titles() []string { return uitest.Texts(b.views.strip.Object()) }

// named begins an empty workflow of that name.
func (b *bench) named(name string) {
	b.t.Helper()
	b.run("file.new")
	b.change(name)
	b.settle()
}

// waiter runs for an hour.
const waiter = `{"id":"w","name":"Slow","nodes":[{"id":"a","type":"text.length","config":{"text":"x"}},` +
	`{"id":"b","type":"control.delay","config":{"ms":3600000,"value":1}}],"connections":[]}`

func TestTabsAreGoneThroughByKeys(t *testing.T) {
	inWindow(t, func(t *testing.T, b *bench) {
		require.False(t, b.views.strip.Object().Visible(), "nothing is open")
		for _, id := range []string{"tab.close", "tab.next", "tab.previous", "tab.1", "tab.last", "tab.left", "tab.right"} {
			require.False(t, b.commands.Enabled(id), id)
		}
		for _, name := range []string{"A", "B", "C"} {
			b.named(name)
		}
		require.Equal(t, []string{"A", "B", "C"}, b.titles())
		for _, step := range []struct{ id, front string }{
			{"tab.next", "A"}, {"tab.next", "B"}, {"tab.previous", "A"}, {"tab.previous", "C"}, {"tab.2", "B"}, {"tab.8", "B"}, {"tab.last", "C"}, {"tab.1", "A"},
		} {
			b.run(step.id)
			require.Equal(t, step.front, b.doc().Name(), step.id)
			require.Equal(t, "• "+step.front+" – Svc", b.views.title)
			require.Same(t, b.workspace.Active().Board, b.views.canvas.Board())
			require.Same(t, b.views.canvas, b.win.Canvas().Focused())
		}
		b.run("tab.right")
		require.Equal(t, []string{"B", "A", "C"}, b.titles())
		b.run("tab.left")
		b.run("tab.left")
		require.Equal(t, []string{"A", "B", "C"}, b.titles())

		b.run("file.start")
		require.Equal(t, []string{"A", "B", "C", "Start"}, b.titles())
		require.True(t, b.views.stage.start.Visible())
		require.True(t, b.views.top.save.Disabled())
		b.run("tab.close")
		require.Equal(t, "C", b.doc().Name())
		b.run("file.start")
		b.run("tab.next")
		require.Equal(t, "A", b.doc().Name())
		require.False(t, b.views.stage.start.Visible())
		b.run("file.start")
		b.Open("template:greeting")
		b.settle()
		require.Equal(t, []string{"A", "B", "C", "Greeting"}, b.titles(), "it takes the place of the start page")
	})
}

func TestEachTabHasItsOwnHistorySelectionAndView(t *testing.T) {
	inWindow(t, func(t *testing.T, b *bench) {
		b.Open("template:greeting")
		b.settle()
		first := b.workspace.Active()
		b.run("edit.select-all")
		selected := len(b.board().Selection.Set().Nodes)
		require.Positive(t, selected)
		b.run("view.zoom-in")
		zoom := b.board().View
		b.change("First")
		b.named("Second")
		require.True(t, b.board().Selection.Empty())
		require.NotEqual(t, zoom, b.board().View)
		b.run("edit.undo")
		require.Equal(t, "Untitled", b.doc().Name(), "its own change")
		require.False(t, b.commands.Enabled("edit.undo") && first.Document.Name() != "First")
		b.run("tab.1")
		require.Equal(t, "First", b.doc().Name())
		require.Len(t, b.board().Selection.Set().Nodes, selected)
		require.Equal(t, zoom, b.board().View)
		b.run("edit.undo")
		require.Equal(t, "Greeting", b.doc().Name())
	})
}

func TestAGestureEndsWhenAnotherTabIsShown(t *testing.T) {
	inWindow(t, func(t *testing.T, b *bench) {
		s := &situation{bench: b}
		b.Open("template:greeting")
		b.settle()
		b.named("Other")
		b.run("tab.1")
		at := b.doc().Definition().Nodes[0].Position
		s.press(s.node())
		s.drag(fyne.NewPos(300, 300))
		require.True(t, b.board().Busy())
		b.run("tab.2")
		s.release(fyne.NewPos(300, 300))
		require.Empty(t, b.doc().Nodes())
		b.run("tab.1")
		require.False(t, b.board().Busy())
		require.Equal(t, at, b.doc().Definition().Nodes[0].Position, "nothing was moved")
	})
}

func TestARunContinuesWhenItsTabIsNotInFront(t *testing.T) {
	inWindow(t, func(t *testing.T, b *bench) {
		b.opens(waiter)
		slow := b.workspace.Active()
		b.run("run.start")
		b.wait(time.Second)
		shown := b.runs.Shown()
		b.run("file.new")
		other := b.workspace.Active()
		require.Nil(t, b.runs.Shown(), "the other one runs nothing")
		require.True(t, b.commands.Enabled("run.start"))
		require.False(t, b.commands.Enabled("run.cancel"))
		require.Equal(t, kit.HeadRuns, b.views.headOf(slow).State)
		revision := shown.Record.Revision()
		b.wait(2 * time.Hour)
		require.Greater(t, shown.Record.Revision(), revision, "it was followed")
		require.Equal(t, engine.StatusCompleted, shown.Record.Status)
		require.Nil(t, other.Board.Run, "no event of it came to another document")
		require.Equal(t, kit.HeadDone, b.views.headOf(slow).State)
		require.Contains(t, b.message(), "Slow")
		b.views.status.about()
		b.settle()
		require.Same(t, slow, b.workspace.Active(), "which leads there")
		require.Same(t, shown, b.runs.Shown())
		require.Equal(t, kit.HeadIdle, b.views.headOf(slow).State, "it was seen")
		require.Equal(t, tabOutput, b.views.panels.bottom.Selected())
	})
}

func TestAFailureBehindIsSaid(t *testing.T) {
	inWindow(t, func(t *testing.T, b *bench) {
		b.opens(`{"id":"w","name":"Fails","nodes":[{"id":"d","type":"control.delay","config":{"ms":60000,"value":"x"}},` +
			`{"id":"j","type":"json.patch","config":{"value":1,"patch":[{"op":"remove","path":"/b"}]}}],"connections":[{"fromNodeId":"d","fromPort":"$done","toNodeId":"j","toPort":"$after"}]}`)
		work := b.workspace.Active()
		b.run("run.start")
		b.wait(time.Second)
		b.run("file.new")
		b.wait(2 * time.Minute)
		require.Equal(t, kit.HeadFailed, b.views.headOf(work).State)
		require.Contains(t, b.message(), "A run has failed in “Fails”")
		b.run("tab.previous")
		require.NotContains(t, b.message(), "A run has failed in")
		require.Equal(t, []string{"j"}, b.views.failures())
	})
}

func TestProblemsOfARunBehindStayThere(t *testing.T) {
	inWindow(t, func(t *testing.T, b *bench) {
		b.opens(`{"id":"w","name":"Wrong","nodes":[{"id":"a","type":"text.length"}],"connections":[]}`)
		wrong := b.workspace.Active()
		b.commands.Run("run.start")
		b.files.New() // before the host has answered
		b.wait(time.Second)
		require.Empty(t, b.board().Problems().All())
		require.NotEmpty(t, wrong.Board.Problems().All())
		require.Contains(t, b.message(), "cannot run yet")
	})
}

func TestRunsWaitInTheirOwnTab(t *testing.T) {
	inWindow(t, func(t *testing.T, b *bench) {
		b.opens(`{"id":"w","name":"Later","nodes":[{"id":"d","type":"control.delay","config":{"ms":60000,"value":"x"}},` +
			`{"id":"second","type":"text.length"}],"connections":[{"fromNodeId":"d","fromPort":"value","toNodeId":"second","toPort":"text"}]}`)
		first := b.workspace.Active()
		require.True(t, b.board().Show("second"))
		b.run("run.stop")
		b.run("run.start")
		b.opens(chained)
		b.wait(2 * time.Minute)
		require.Equal(t, kit.HeadWaits, b.views.headOf(first).State)
		require.Contains(t, b.message(), "A run waits in")
		require.False(t, b.running.Waiting(), "not that of this tab")
		require.True(t, b.board().Show("second"))
		require.False(t, b.running.Stopped())
		b.ran("run.start")
		require.Equal(t, engine.StatusCompleted, b.runs.Shown().Record.Status)
		b.workspace.Front(first)
		b.settle()
		require.True(t, b.running.Waiting())
		b.run("run.continue")
		b.wait(time.Second)
		require.Equal(t, engine.StatusCompleted, b.runs.Shown().Record.Status)
	})
}

func TestInputsOfARunBelongToTheirTab(t *testing.T) {
	inWindow(t, func(t *testing.T, b *bench) {
		b.Open("template:greeting")
		b.settle()
		b.run("run.inputs")
		b.views.runTab.FocusInputs(b.win.Canvas())
		b.typeOver("Grace")
		b.Open("template:greeting")
		b.settle()
		given, err := b.views.runTab.Inputs()
		require.NoError(t, err)
		require.NotContains(t, given, "who")
		b.run("tab.1")
		given, err = b.views.runTab.Inputs()
		require.NoError(t, err)
		require.Equal(t, "Grace", given["who"])
	})
}

func TestThePastRunOfTheStartPageOpensInANewTab(t *testing.T) {
	inWindow(t, func(t *testing.T, b *bench) {
		b.Open("template:greeting")
		b.settle()
		b.run("run.start")
		b.wait(time.Second)
		id := b.runs.Shown().ID
		b.run("file.start")
		b.running.open(id)
		b.wait(time.Second)
		require.Equal(t, []string{"Greeting", "Untitled"}, b.titles())
		require.NotNil(t, b.runs.Past())
		b.run("tab.1")
		require.Nil(t, b.runs.Past())
		b.run("tab.2")
		require.NotNil(t, b.runs.Past(), "it is still there")
		require.Same(t, b.runs.Past(), b.views.canvas.Board())
	})
}

func TestClosingAsksAboutUnsavedChanges(t *testing.T) {
	inWindow(t, func(t *testing.T, b *bench) {
		b.named("A")
		b.named("B")
		b.run("file.new")
		b.run("tab.close")
		require.Nil(t, b.win.Canvas().Overlays().Top(), "there is nothing to lose")
		b.views.strip.OnClose(0)
		b.settle()
		require.Equal(t, "A", b.doc().Name(), "what is asked about is seen")
		b.answer("Cancel")
		require.Equal(t, []string{"A", "B"}, b.titles())
		b.run("tab.close")
		b.answer("Don't save")
		require.Equal(t, []string{"B"}, b.titles())
		b.run("tab.close")
		b.answer("Don't save")
		require.True(t, b.views.stage.start.Visible())
		require.False(t, b.views.strip.Object().Visible())
	})
}

func TestQuitAsksForEachTab(t *testing.T) {
	inWindow(t, func(t *testing.T, b *bench) {
		b.named("A")
		b.run("file.new")
		b.named("B")
		b.run("file.quit")
		b.answer("Don't save")
		require.Equal(t, "B", b.doc().Name())
		b.answer("Cancel")
		require.Len(t, b.workspace.Sessions(), 3)
		require.False(t, b.windows.over.Load())
		b.run("file.quit")
		b.answer("Don't save")
		b.answer("Don't save")
		b.over()
	})
}

func TestARunBehindIsNotEndedWithoutAsking(t *testing.T) {
	inWindow(t, func(t *testing.T, b *bench) {
		b.opens(waiter)
		b.run("run.start")
		b.wait(time.Second)
		b.run("file.new")
		b.run("file.quit")
		b.answer("Cancel")
		require.Len(t, b.workspace.Sessions(), 2)
	})
}

func TestALostServerIsLostForAllTabs(t *testing.T) {
	atServer(t, func(t *testing.T, s *situation) {
		s.long()
		behind := s.workspace.Active()
		s.run("file.new")
		s.server.fail(errGone)
		s.wait(6 * time.Second)
		require.Equal(t, kit.HeadIdle, s.views.headOf(behind).State, "nobody knows")
		s.server.fail(nil)
		s.wait(40 * time.Second)
		require.Equal(t, kit.HeadRuns, s.views.headOf(behind).State)
		require.Nil(t, s.runs.Shown())
		s.workspace.Front(behind)
		s.settle()
		s.run("run.cancel")
		s.wait(time.Second)
		require.Equal(t, engine.StatusCancelled, s.runs.Shown().Record.Status)
	})
}

func TestTabsComeBackAfterAKill(t *testing.T) {
	left := t.TempDir()
	inWindow(t, func(t *testing.T, b *bench) {
		file := (&situation{bench: b}).file()
		b.change("In a file, changed")
		b.named("New")
		_, err := b.doc().AddNote(precious, geom.Point{})
		require.NoError(t, err)
		b.views.Refresh()
		b.run("tab.1")
		b.wait(10 * time.Second)
		require.FileExists(t, file)
		for _, name := range []string{"drafts", "tabs.json", "recent.json"} { // as it is on the disk now
			from := os.DirFS(filepath.Join(b.dir, name))
			if name == "drafts" {
				require.NoError(t, os.CopyFS(filepath.Join(left, name), from))
				continue
			}
			text, err := os.ReadFile(filepath.Join(b.dir, name))
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(filepath.Join(left, name), text, 0o600))
		}
	})
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, left)
		require.True(t, b.Restore())
		b.settle()
		require.Equal(t, []string{"In a file, changed", "New"}, b.titles())
		require.Equal(t, "In a file, changed", b.doc().Name(), "the one that was in front")
		require.True(t, b.doc().Edited())
		require.Nil(t, b.win.Canvas().Overlays().Top(), "nobody is asked")
		b.run("tab.2")
		require.Equal(t, precious, b.doc().Notes()[0].Text)
	})
}

func TestTheCommandFieldFindsOpenTabs(t *testing.T) {
	inWindow(t, func(t *testing.T, b *bench) {
		b.named("Report for Ada")
		b.named("Other")
		i := slices.IndexFunc(b.views.openTabs(), func(c kit.Choice) bool { return c.Title == "Report for Ada" })
		require.GreaterOrEqual(t, i, 0)
		b.views.openTabs()[i].Pick()
		b.settle()
		require.Equal(t, "Report for Ada", b.doc().Name())
	})
}
