package ui

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"fyne.io/fyne/v2"
	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/ui/kit"
	"github.com/svcflow/svc/ui/uitest"
)

// second returns the bench at the second window, to which the tab in front is moved.
func (b *bench) second() *bench {
	b.t.Helper()
	b.run("tab.window")
	return b.secondWindow()
}

// secondWindow returns the bench at the second window.
func (b *bench) secondWindow() *bench {
	b.t.Helper()
	require.Greater(b.t, len(b.windows.all), 1)
	at := *b
	at.Window = b.windows.all[1]
	return &at
}

func TestATabKeepsItsStateInANewWindow(t *testing.T) {
	inWindow(t, func(t *testing.T, b *bench) {
		require.False(t, b.commands.Enabled("tab.window"), "nothing is open")
		b.Open("template:greeting")
		b.settle()
		work := b.workspace.Active()
		b.change("Moved")
		b.run("edit.select-all")
		selected := len(b.board().Selection.Set().Nodes)
		b.run("view.zoom-in")
		zoom := b.board().View.Zoom
		b.ran("run.start")
		shown := b.runs.Shown()
		b.named("Stays")
		b.run("tab.1")
		require.False(t, b.commands.Enabled("tab.back"), "it is in the first window")

		o := b.second()
		require.Equal(t, []string{"Stays"}, b.titles())
		require.Equal(t, "Stays", b.doc().Name())
		require.Equal(t, "• Stays – Svc", b.views.title)
		require.Equal(t, []string{"Moved"}, o.titles())
		require.Equal(t, "• Moved – Svc", o.views.title)
		require.Same(t, work, o.workspace.Active())
		require.Same(t, work.Board, o.views.canvas.Board())
		require.Same(t, o.views.canvas, o.win.Canvas().Focused())
		require.Len(t, o.board().Selection.Set().Nodes, selected)
		require.InDelta(t, zoom, o.board().View.Zoom, 1e-9)
		require.Same(t, shown, o.runs.Shown())
		require.Nil(t, b.runs.Shown())
		require.False(t, o.commands.Enabled("tab.window"), "its window has only this tab")

		o.run("edit.undo")
		require.Equal(t, "Greeting", o.doc().Name())
		require.Equal(t, "Stays", b.doc().Name(), "only here")
		o.run("edit.redo")
		o.run("tab.back")
		require.Equal(t, []string{"Stays", "Moved"}, b.titles())
		require.Same(t, work, b.workspace.Active())
		require.Same(t, shown, b.runs.Shown())
		require.True(t, o.hidden, "nothing is left in it")
		require.NotSame(t, work.Board, o.views.canvas.Board())
		require.Same(t, work, b.second().workspace.Active(), "it can go again")
		require.Len(t, b.windows.all, 2, "to the same window")
	})
}

func TestARunIsFollowedInTheWindowOfItsTab(t *testing.T) {
	inWindow(t, func(t *testing.T, b *bench) {
		b.opens(strings.Replace(waiter, "3600000", "5000", 1))
		b.run("run.start")
		b.wait(time.Second)
		shown := b.runs.Shown()
		o := b.second()
		require.True(t, o.commands.Enabled("run.cancel"))
		require.False(t, b.commands.Enabled("run.cancel"))
		require.Equal(t, kit.HeadRuns, o.views.headOf(o.workspace.Active()).State)
		b.named("Other")
		o.wait(10 * time.Second)
		require.Equal(t, engine.StatusCompleted, shown.Record.Status)
		require.Equal(t, tabOutput, o.views.panels.bottom.Selected(), "its outcome is shown there")
		require.NotEqual(t, tabOutput, b.views.panels.bottom.Selected())
		require.Contains(t, strings.Join(uitest.Texts(o.views.summary.Object()), ""), "completed")
	})
}

func TestARunWaitsInTheWindowOfItsTab(t *testing.T) {
	inWindow(t, func(t *testing.T, b *bench) {
		b.opens(waiter)
		require.True(t, b.board().Show("b"))
		b.run("run.stop")
		b.run("run.step")
		b.wait(time.Second)
		require.True(t, b.running.Waiting())
		o := b.second()
		require.True(t, o.running.Waiting())
		o.run("run.step")
		o.wait(time.Second)
		require.Contains(t, o.message(), "The run waits at")
		require.NotContains(t, b.message(), "The run waits at")
		o.run("run.cancel")
	})
}

func TestClosingAWindowAsksAsClosingItsTabs(t *testing.T) {
	inWindow(t, func(t *testing.T, b *bench) {
		b.named("A")
		b.named("B")
		o := b.second()
		o.closing()
		o.settle()
		require.Nil(t, b.win.Canvas().Overlays().Top(), "the other window is left alone")
		o.answer("Cancel")
		require.Equal(t, []string{"B"}, o.titles())
		require.False(t, o.hidden)
		o.closing()
		o.settle()
		o.answer("Don't save")
		require.True(t, o.hidden)
		require.Equal(t, []string{"A"}, b.titles())
		require.False(t, b.windows.over.Load())
		b.run("file.new")
		o = b.second()
		require.False(t, o.hidden)
		o.run("tab.close")
		require.True(t, o.hidden, "with its last tab")
		b.run("file.new")
		o = b.second()
		o.run("file.start")
		o.views.strip.OnClose(0)
		o.settle()
		o.closing()
		require.True(t, o.hidden)
	})
}

func TestQuitAsksInTheWindowOfEachTab(t *testing.T) {
	inWindow(t, func(t *testing.T, b *bench) {
		b.named("A")
		b.named("B")
		o := b.second()
		o.run("file.quit")
		b.answer("Don't save")
		o.answer("Cancel")
		require.Len(t, b.workspace.AllSessions(), 2)
		b.closing()
		b.settle()
		b.answer("Don't save")
		o.answer("Don't save")
		b.over()
	})
}

func TestARunInAnotherWindowIsNotEndedWithoutAsking(t *testing.T) {
	inWindow(t, func(t *testing.T, b *bench) {
		b.opens(waiter)
		b.run("run.start")
		b.wait(time.Second)
		b.second()
		b.run("file.quit")
		b.answer("Cancel")
		require.Len(t, b.workspace.AllSessions(), 1)
	})
}

func TestAWorkflowOpenInAnotherWindowIsShownThere(t *testing.T) {
	inWindow(t, func(t *testing.T, b *bench) {
		file := (&situation{bench: b}).file()
		o := b.second()
		b.named("Other")
		b.Open(file)
		b.settle()
		require.Equal(t, []string{"Other"}, b.titles())
		require.Same(t, o.Window, b.windows.used)
		found := b.views.openTabs()
		require.Len(t, found, 1)
		b.windows.use(b.Window)
		found[0].Pick()
		require.Same(t, o.Window, b.windows.used)
	})
}

func TestAllWindowsSwitchHostsTogether(t *testing.T) {
	inWindow(t, func(t *testing.T, b *bench) {
		b.named("A")
		b.named("B")
		o := b.second()
		s := &situation{bench: o}
		o.run("place.connect")
		require.Nil(t, b.win.Canvas().Overlays().Top(), "who was asked is asked")
		require.NotNil(t, o.win.Canvas().Overlays().Top())
		s.leave(t, "place.connect")
		s.away()
		require.Same(t, b.specs, o.specs)
		require.Contains(t, elsewhere, b.views.top.place.Text)
		require.Equal(t, b.views.top.place.Text, o.views.top.place.Text)
		s.server.fail(errGone)
		s.wait(10 * time.Second)
		require.True(t, b.views.banner.whole.Visible())
		require.True(t, o.views.banner.whole.Visible())
		s.server.fail(nil)
	})
}

func TestWindowsComeBackAfterAKill(t *testing.T) {
	left := t.TempDir()
	inWindow(t, func(t *testing.T, b *bench) {
		(&situation{bench: b}).file()
		b.change("In a file, changed")
		o := b.second()
		b.named("New")
		o.named("Beside")
		b.wait(10 * time.Second)
		require.NoError(t, os.CopyFS(filepath.Join(left, "drafts"), os.DirFS(filepath.Join(b.dir, "drafts")))) // as it is on the disk now
		text, err := os.ReadFile(filepath.Join(b.dir, "tabs.json"))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(left, "tabs.json"), text, 0o600))
	})
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, left)
		require.True(t, b.Restore())
		b.settle()
		require.Equal(t, []string{"New"}, b.titles())
		o := b.secondWindow()
		require.False(t, o.hidden)
		require.Equal(t, []string{"In a file, changed", "Beside"}, o.titles())
		require.Equal(t, "Beside", o.doc().Name(), "the one that was in front there")
		require.True(t, o.doc().Edited())
	})
}

func TestATabDraggedOutGetsANewWindow(t *testing.T) {
	inWindow(t, func(t *testing.T, b *bench) {
		b.named("A")
		b.named("B")
		b.views.strip.OnOut(0)
		b.settle()
		require.Equal(t, []string{"B"}, b.titles())
		o := b.secondWindow()
		require.Equal(t, []string{"A"}, o.titles())
		o.views.strip.OnOut(0)
		o.settle()
		require.Equal(t, []string{"A"}, o.titles(), "it has one already")
		require.Len(t, b.windows.visible(), 2)
	})
}

func TestTheMenuOfATabIsAboutThatTab(t *testing.T) {
	inWindow(t, func(t *testing.T, b *bench) {
		b.named("A")
		b.named("B")
		b.views.strip.OnMenu(0, fyne.NewPos(20, 80))
		require.Equal(t, "A", b.doc().Name())
		require.NotNil(t, b.win.Canvas().Overlays().Top())
		(&situation{bench: b}).escape()
		require.Nil(t, b.win.Canvas().Overlays().Top())
	})
}

func TestProblemsAreFoundInEachWindow(t *testing.T) {
	inWindow(t, func(t *testing.T, b *bench) {
		b.named("A")
		b.named("B")
		o := b.second()
		for _, at := range []*bench{b, o} {
			at.editing.AddAt("text.split", at.board().View.Visible().Center())
			at.run("file.save-as")
			at.typeOver(filepath.Join(at.dir, at.doc().Name()))
			at.answer("Save")
			at.wait(time.Second)
			require.Contains(t, at.views.status.problems.Text(), "1 problem")
		}
	})
}

// The window does what the toolkit would do after the last window closes: the toolkit may
// hang over it.
func TestTheWindowShutsDownForTheToolkit(t *testing.T) {
	inWindow(t, func(t *testing.T, b *bench) {
		done, cycle := 0, b.config.App.Lifecycle()
		cycle.SetOnStopped(func() { done++ })
		b.ShowAndRun()
		require.Equal(t, 1, done)
		require.Nil(t, cycle.(interface{ OnStopped() func() }).OnStopped())
	})
}
