package ui

import (
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/widget"

	"github.com/svcflow/svc/engine/layout/cards"

	"github.com/svcflow/svc/engine/layout/geom"
	"github.com/svcflow/svc/ui/editor/board"
	"github.com/svcflow/svc/ui/editor/doc"
	"github.com/svcflow/svc/ui/editor/scene"
	"github.com/svcflow/svc/ui/kit"
	"github.com/svcflow/svc/ui/palette"
)

// request does what a gesture on the canvas has asked for.
func (w *Window) request(r board.Request) {
	switch r.Kind {
	case board.RequestNone:
	case board.RequestPick:
		w.pickPartner(r.Port, r.At)
	case board.RequestPalette:
		w.pickNode(r.At)
	case board.RequestOpen:
		w.openNode(r.Hit.ID)
	case board.RequestEdit:
		w.edit("")
	case board.RequestMenu:
		w.showMenu(r)
	case board.RequestTell:
		w.status.tell(r.Text, true)
	}
}

// pickNode lets the user pick a node type for a place of the document.
func (w *Window) pickNode(at geom.Point) {
	w.pickAt(at, kit.Picker{
		Placeholder: lang.L("Add a node"),
		Empty:       lang.L("No node type matches"),
		Search: func(query string) []kit.Choice {
			return palette.Choices(w.specs.Search(query), func(c doc.Choice) { w.addNode(c.Spec.Type, at) })
		},
	})
}

// addNode adds a node with its middle at a place of the document.
func (w *Window) addNode(typ string, at geom.Point) {
	w.do(func() error {
		id, err := w.board().Drop(typ, w.board().View.ToScreen(at))
		w.palette.Used(typ)
		w.settings.SetStringList(settingTypes, w.palette.Recent())
		if err == nil {
			w.board().Show(id)
		}
		return err
	})
}

// room is where a node goes that was given no place: the middle of the view, or to the
// right of the nodes that are there already, which it would hide.
func (w *Window) room() geom.Point {
	const width, height, gap = 200, 150, 24 // about what a node takes
	at := w.board().View.Visible().Center()
	cards := w.board().Document().Cards()
	for i := 0; i < len(cards); i++ {
		half := geom.Point{X: width / 2, Y: height / 2}
		if r := cards[i].Rect; r.Overlaps(geom.Rect{Min: at.Sub(half), Max: at.Add(half)}) {
			at.X = r.Max.X + gap + half.X
			i = -1 // it may hide others there
		}
	}
	return at
}

// pickPartner lets the user pick what is at the other end of a wire.
func (w *Window) pickPartner(end cards.PortRef, at geom.Point) {
	d := w.board().Document()
	w.pickAt(at, kit.Picker{
		Placeholder: lang.L("Connect to a new node"),
		Empty:       lang.L("No node type can be connected here"),
		Search: func(query string) []kit.Choice {
			found, err := d.Partners(end, query)
			if err != nil {
				w.complain(err)
			}
			return palette.Choices(found, func(c doc.Choice) {
				w.do(func() error {
					id, err := d.AddConnected(c.Spec.Type, at, end, c.Port)
					if err == nil {
						w.board().Show(id)
					}
					return err
				})
			})
		},
	})
}

// pickAt shows a picker beside a place of the document.
func (w *Window) pickAt(at geom.Point, p kit.Picker) {
	p.Closed = w.focusCanvas
	p.ShowAt(w.win.Canvas(), w.onScreen(at))
}

// openNode enters the body of a node, or shows its settings.
func (w *Window) openNode(id string) {
	doc := w.board().Document()
	n, ok := doc.Node(id)
	if !ok {
		return
	}
	if spec, known := w.specs.Lookup(n.Type); n.Body != nil || known && spec.Container {
		w.do(func() error { return doc.Enter(id) })
		return
	}
	w.edit("")
}

// edit leads to the settings of what is selected; port may name one of them.
func (w *Window) edit(port string) {
	w.panels.SetRightVisible(true)
	w.side.Select(tabInspector)
	w.inspector.Update(w.board())
	w.inspector.Focus(port)
}

// menuFor returns what a click of the other button offers; "" is a line.
func (w *Window) menuFor(kind scene.HitKind) []string {
	switch kind {
	case scene.HitNode, scene.HitPort:
		into := []string{}
		for _, c := range w.specs.Containers() {
			into = append(into, collapseID(c))
		}
		return slices.Concat([]string{
			"run.to", "node.enter", "edit.rename", "", "node.connect", "node.replace", "edit.disable", "",
			"edit.cut", "edit.copy", "edit.duplicate", "",
			"arrange.group",
		}, into, []string{"node.expand", "", "edit.delete", "edit.delete-reconnect"})
	case scene.HitWire:
		return []string{"edit.delete"}
	case scene.HitNote, scene.HitNoteCorner, scene.HitGroup:
		return []string{"edit.rename", "edit.cut", "edit.copy", "edit.duplicate", "", "arrange.ungroup", "edit.delete"}
	case scene.HitNothing:
	}
	return []string{"edit.paste", "node.note", "", "edit.select-all", "view.fit", "arrange.layout"}
}

// showMenu shows what can be done with what was clicked.
func (w *Window) showMenu(r board.Request) {
	menu := w.commands.Menu(w.menuFor(r.Hit.Kind)...)
	if r.Hit.Kind == scene.HitNothing && !w.board().ReadOnly {
		add := fyne.NewMenuItem(lang.L("Add a node here…"), func() { w.pickNode(r.At) })
		menu.Items = append([]*fyne.MenuItem{add}, menu.Items...)
	}
	widget.NewPopUpMenu(menu, w.win.Canvas()).ShowAtPosition(w.onScreen(r.At))
}

// onScreen returns where a place of the document is in the window.
func (w *Window) onScreen(at geom.Point) fyne.Position {
	corner := fyne.CurrentApp().Driver().AbsolutePositionForObject(w.canvas)
	on := w.board().View.ToScreen(at)
	return corner.AddXY(float32(on.X), float32(on.Y))
}
