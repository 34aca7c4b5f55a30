package ui

import (
	"fmt"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/ui/canvas"
	"github.com/svcflow/svc/ui/kit"
	"github.com/svcflow/svc/ui/uitest"
)

// TestNoTextIsCovered measures the window in small sizes: those of a screen of
// 1024 × 640 pixels, as it is and at a scale of 1.5, and of the smallest window.
func TestNoTextIsCovered(t *testing.T) {
	for _, size := range []fyne.Size{{Width: 1440, Height: 900}, {Width: 1024, Height: 640}, {Width: 683, Height: 427}, {Width: 640, Height: 400}} {
		t.Run(fmt.Sprintf("%v", size), func(t *testing.T) {
			inWindow(t, func(t *testing.T, b *bench) {
				b.win.Resize(size)
				b.uncovered("start page")
				b.opens(colourful)
				require.NoError(t, b.doc().SetName("A workflow that somebody has given a very long name indeed, and then some"))
				b.views.Refresh()
				b.tabsUncovered()
				b.run("run.start")
				b.wait(time.Second)
				b.tabsUncovered()
				b.views.panels.showBottom(tabRuns)
				b.settle()
				uitest.First[*kit.LongList](b.t, b.views.history.Object()).Select(0)
				b.uncovered("a run selected")
				b.running.open(b.runs.Shown().ID)
				b.wait(time.Second)
				b.uncovered("past run")
				b.running.Leave()
				b.settle()
				b.inBody()
				b.uncovered("within a body")
			})
		})
	}
}

func (b *bench) tabsUncovered() {
	b.t.Helper()
	for name, tabs := range map[string]*kit.Tabs{"left": b.views.panels.left, "right": b.views.panels.right, "bottom": b.views.panels.bottom} {
		for tab := range 3 {
			switch name {
			case "left":
				b.views.panels.showLeft(tab)
			case "right":
				b.views.panels.showRight(tab)
			}
			tabs.Select(tab)
			b.uncovered(fmt.Sprintf("%s tab %d", name, tab))
		}
	}
}

// uncovered makes sure that nothing in the window runs under anything.
func (b *bench) uncovered(what string) {
	b.t.Helper()
	b.settle()
	bad := uitest.Covered(b.t, b.win.Content(), func(o fyne.CanvasObject) bool {
		_, board := o.(*canvas.Canvas)
		return board
	})
	require.Empty(b.t, bad, what)
	if b.views.stage.chart.Visible() {
		require.LessOrEqual(b.t, 4*b.views.minimap.MinSize().Width, b.views.canvas.Size().Width, "%s: the map hides the document", what)
	}
}

// A window that is too small for both folds one of the panels at its sides, and shows the
// one that is asked for.
func TestPanelsFoldByThemselves(t *testing.T) {
	inWindow(t, func(t *testing.T, b *bench) {
		b.opens(colourful)
		ticked := func(id string) bool {
			c, ok := b.commands.Get(id)
			require.True(t, ok)
			return c.Checked()
		}
		b.win.Resize(fyne.NewSize(683, 427))
		b.settle()
		require.Equal(t, []bool{false, true}, []bool{ticked("view.left"), ticked("view.right")})
		b.run("view.left")
		require.Equal(t, []bool{true, false}, []bool{ticked("view.left"), ticked("view.right")}, "what is asked for is there")
		b.run("run.inputs")
		require.Equal(t, []bool{false, true}, []bool{ticked("view.left"), ticked("view.right")})
		b.run("view.right")
		require.Equal(t, []bool{true, false}, []bool{ticked("view.left"), ticked("view.right")}, "and leaves its room to the other")
		b.run("view.right")
		b.win.Resize(fyne.NewSize(1280, 800))
		b.settle()
		require.Equal(t, []bool{true, true}, []bool{ticked("view.left"), ticked("view.right")})
		require.Equal(t, kit.DefaultSides(), b.views.settings.sides(), "which is how it is kept")
	})
}
