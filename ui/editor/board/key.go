package board

import (
	"slices"

	"github.com/svcflow/svc/engine/layout/cards"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/ui/editor/doc"
	"github.com/svcflow/svc/ui/editor/scene"
)

// Key is a key that the canvas handles itself. All other keys belong to commands of the view.
type Key uint8

// The keys.
const (
	KeyLeft Key = iota // in the order of Direction
	KeyRight
	KeyUp
	KeyDown
	KeyTab
	KeyEnter
	KeyEscape
	KeyDelete
)

// Key handles the press of a key. Arrows select the nearest node, and with Ctrl move the
// selection; Tab walks through the nodes; Enter opens the node; Delete deletes, and with Ctrl
// reconnects the neighbours; Escape cancels the gesture, then clears the selection, then
// leaves a body that is shown on a card. While a wire is drawn, arrows and Tab walk through
// the ports it can connect to, and Enter connects. handled is false if the key does nothing.
func (b *Board) Key(k Key, mods Mods) (r Request, handled bool) {
	b.sync()
	if k == KeyEscape {
		return Request{}, b.Cancel() || b.Inside() && b.Leave()
	}
	if _, drawing := b.gesture.(*wiring); drawing {
		return b.wiringKey(k, mods)
	}
	switch k {
	case KeyLeft, KeyRight, KeyUp, KeyDown:
		return b.arrow(scene.Direction(k), mods)
	case KeyTab:
		step := 1
		if mods&Shift != 0 {
			step = -1
		}
		return Request{}, b.showNext(step)
	case KeyEnter:
		id, ok := b.Selection.Sole()
		if !ok {
			return Request{}, false
		}
		return Request{Kind: RequestOpen, Hit: scene.Hit{Kind: scene.HitNode, ID: id}}, true
	case KeyDelete:
		return b.deleteKey(mods)
	case KeyEscape:
	}
	return Request{}, false
}

func (b *Board) wiringKey(k Key, mods Mods) (r Request, handled bool) {
	switch {
	case k == KeyEnter:
		return b.Finish(), true
	case k == KeyLeft, k == KeyUp, k == KeyTab && mods&Shift != 0:
		b.aimNext(-1)
	case k == KeyRight, k == KeyDown, k == KeyTab:
		b.aimNext(1)
	default:
		return Request{}, false
	}
	return Request{}, true
}

func (b *Board) arrow(d scene.Direction, mods Mods) (r Request, handled bool) {
	if mods&Ctrl != 0 {
		if b.ReadOnly || b.Selection.Empty() {
			return Request{}, false
		}
		return tell(b.Nudge(d)), true
	}
	scene := b.Scene()
	from, ok := b.Selection.Sole()
	if !ok {
		id, found := scene.NearestTo(b.View.Visible().Center())
		return Request{}, found && b.Show(id)
	}
	id, found := scene.Nearest(from, d)
	if found && mods&Shift != 0 {
		b.Selection.Add(doc.Set{Nodes: []string{id}})
		return Request{}, true
	}
	return Request{}, found && b.Show(id)
}

// showNext selects the node after the selected one in the document.
func (b *Board) showNext(step int) bool {
	nodes := b.doc.Nodes()
	if len(nodes) == 0 {
		return false
	}
	at := -1
	if id, ok := b.Selection.Sole(); ok {
		at = slices.IndexFunc(nodes, func(n workflow.Node) bool { return n.ID == id })
	} else if step < 0 {
		at = 0
	}
	return b.Show(nodes[(at+step+len(nodes))%len(nodes)].ID)
}

func (b *Board) deleteKey(mods Mods) (r Request, handled bool) {
	if b.ReadOnly || b.Selection.Empty() {
		return Request{}, false
	}
	set := b.Selection.Set()
	if mods&Ctrl != 0 && len(set.Nodes) > 0 {
		return tell(b.doc.DeleteReconnect(set.Nodes...)), true
	}
	return tell(b.doc.Delete(set)), true
}

// Ports returns the ports of a node where a wire can be started by keyboard: outputs first,
// controls last.
func (b *Board) Ports(id string) []cards.PortRef {
	card, ok := b.Scene().Card(id)
	if !ok {
		return nil
	}
	var refs []cards.PortRef
	for i := range card.Ports {
		if a := &card.Ports[i]; !a.Fixed() {
			refs = append(refs, a.PortRef)
		}
	}
	for i := range card.Controls {
		refs = append(refs, card.Controls[i].PortRef)
	}
	slices.SortStableFunc(refs, func(x, y cards.PortRef) int { return portOrder(x) - portOrder(y) })
	return refs
}

func portOrder(r cards.PortRef) (order int) {
	if cards.IsControl(r.Port) {
		order += 2
	}
	if !r.Output {
		order++
	}
	return order
}
