package ui

import (
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/widget"
	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/layout/geom"
	"github.com/svcflow/svc/ui/commands"
	"github.com/svcflow/svc/ui/editor/board"
	"github.com/svcflow/svc/ui/editor/doc"
	"github.com/svcflow/svc/ui/editor/scene"
	"github.com/svcflow/svc/ui/kit"
	"github.com/svcflow/svc/ui/uitest"
)

// colourful has every kind of card in every state that a run leaves, notes, groups, and
// what is wrong.
const colourful = `{"id":"colourful","name":"Colourful","nodes":[` +
	`{"id":"ok","type":"text.split","config":{"text":"a,b","separator":","},"position":{"x":0,"y":0}},` +
	`{"id":"bad","type":"control.fail","config":{"message":"no"},"position":{"x":300,"y":0}},` +
	`{"id":"skipped","type":"text.length","position":{"x":600,"y":0}},` +
	`{"id":"off","type":"text.length","config":{"text":"x"},"disabled":true,"position":{"x":900,"y":0}},` +
	`{"id":"unknown","type":"none.such","position":{"x":900,"y":200}},` +
	`{"id":"loop","type":"control.foreach","config":{"items":[1,2]},"body":{"nodes":[{"id":"in","type":"io.input","config":{"name":"item"}}],"connections":[]},"position":{"x":0,"y":300}},` +
	`{"id":"seen","type":"preview.table","config":{"rows":[{"name":"Ada","born":1815}]},"position":{"x":300,"y":300},"size":{"w":280,"h":200}}],` +
	`"connections":[{"fromNodeId":"bad","fromPort":"$done","toNodeId":"skipped","toPort":"$after"},{"fromNodeId":"ok","fromPort":"parts","toNodeId":"skipped","toPort":"text"}],` +
	`"groups":[{"id":"g","label":"Group of a colour","nodeIds":["ok"],"color":"#D9A441"}],` +
	`"notes":[{"id":"n","text":"A note that says something","position":{"x":0,"y":600},"size":{"w":200,"h":80}}]}`

// TestEverythingCanBeRead goes through the window in every theme, and measures every text.
func TestEverythingCanBeRead(t *testing.T) {
	for _, scheme := range []string{commands.SchemeLight, commands.SchemeDark, commands.SchemeContrast} {
		t.Run(scheme, func(t *testing.T) {
			inWindow(t, func(t *testing.T, b *bench) {
				b.run("theme." + scheme)
				b.win.Resize(fyne.NewSize(1440, 900))
				read, all := 0, map[string]string{}
				look := func(what string) {
					t.Helper()
					b.settle()
					bad, texts := uitest.Illegible(t, b.win.Canvas())
					read += texts
					for _, text := range bad {
						all[text] = what
					}
				}
				look("start page")
				b.opens(colourful)
				b.board().FitAll()
				b.views.Refresh()
				b.readTabs(look)
				b.readBoard(look)
				require.NoError(t, b.doc().Delete(doc.Set{Nodes: []string{"unknown"}}))
				b.views.Refresh()
				b.run("run.start")
				b.wait(time.Second)
				b.readTabs(look)
				b.readBoard(look)
				b.readLit(look)
				b.readOver(look)
				require.Greater(t, read, 1000)
				for text, what := range all {
					t.Errorf("%s: %s", what, text)
				}
			})
		})
	}
}

// readTabs goes through all tabs of the panels.
func (b *bench) readTabs(look func(string)) {
	for name, tabs := range map[string]*kit.Tabs{"left": b.views.panels.left, "right": b.views.panels.right, "bottom": b.views.panels.bottom} {
		for tab := range 3 {
			tabs.Select(tab)
			look(name + " tab")
		}
	}
	b.views.panels.right.Select(tabInspector)
}

// readBoard selects and hovers all there is, at several sizes.
func (b *bench) readBoard(look func(string)) {
	for _, zoom := range []float64{1, 0.5, 0.2} {
		b.board().View.ZoomTo(zoom, geom.Point{})
		b.views.Refresh()
		for _, card := range b.doc().Cards() {
			b.hover(card.Rect.Center())
			b.board().Selection.Clear()
			look("hovering " + card.Node.ID)
			b.board().Selection.Replace(doc.Set{Nodes: []string{card.Node.ID}})
			b.views.Refresh()
			look("selected " + card.Node.ID)
			for i := range card.Ports {
				b.hover(card.Ports[i].At)
				look("hovering a port")
			}
		}
	}
	b.board().FitAll()
	b.board().Selection.Replace(doc.Set{Notes: []string{"n"}, Groups: []string{"g"}})
	b.views.Refresh()
	look("note and group")
	b.board().Selection.Replace(doc.Set{Nodes: []string{"loop"}})
	b.run("node.unfold")
	look("an unfolded body")
	b.run("node.enter")
	look("in an unfolded body")
	b.run("node.leave")
	b.run("node.unfold")
}

// readLit brings the pointer over all that lights up.
func (b *bench) readLit(look func(string)) {
	for _, tabs := range []*kit.Tabs{b.views.panels.left, b.views.panels.right, b.views.panels.bottom} {
		for tab := range 3 {
			tabs.Select(tab)
			b.settle()
			for _, o := range uitest.Seen[desktop.Hoverable](tabs.Object()) {
				o.MouseIn(&desktop.MouseEvent{PointEvent: fyne.PointEvent{Position: fyne.NewPos(8, 8)}})
				look("lit")
				o.MouseOut()
			}
		}
	}
}

// readOver opens the dialogs and popups over the window.
func (b *bench) readOver(look func(string)) {
	leave := func() {
		for over := b.win.Canvas().Overlays(); over.Top() != nil; {
			over.Remove(over.Top())
		}
	}
	for _, menu := range b.commands.MainMenu().Items {
		widget.ShowPopUpMenuAtPosition(menu, b.win.Canvas(), fyne.NewPos(10, 10))
		look("menu " + menu.Label)
		leave()
	}
	b.editing.Request(board.Request{Kind: board.RequestMenu, Hit: scene.Hit{Kind: scene.HitNode}})
	look("context menu")
	leave()
	for _, c := range b.table() {
		if c.Do != nil && c.ID != "file.quit" && !strings.HasPrefix(c.ID, "theme.") {
			b.commands.Run(c.ID)
			look(c.ID)
			leave()
		}
	}
}
