package editing

import (
	"fyne.io/fyne/v2/lang"

	"github.com/svcflow/svc/engine/layout/cards"
	"github.com/svcflow/svc/engine/layout/geom"
	"github.com/svcflow/svc/ui/editor/board"
	"github.com/svcflow/svc/ui/editor/doc"
	"github.com/svcflow/svc/ui/kit"
	"github.com/svcflow/svc/ui/palette"
)

// Pick lets the user pick a node type, and adds such a node at a free position.
func (h *EditCommands) Pick() {
	if b := h.board(); b != nil {
		h.pickNode(room(b))
	}
}

// Add adds a node at a free position.
func (h *EditCommands) Add(typ string) {
	if b := h.board(); b != nil {
		h.AddAt(typ, room(b))
	}
}

// AddAt adds a node centred at a point of the document.
func (h *EditCommands) AddAt(typ string, at geom.Point) {
	h.Do(func(b *board.Board) error {
		id, err := b.Drop(typ, b.View.ToScreen(at))
		h.config.View.Used(typ)
		if err == nil {
			b.Show(id)
		}
		return err
	})
}

// room returns where to put a node that was added without a position: the middle of the view,
// or to the right of nodes that it would hide there.
func room(b *board.Board) geom.Point {
	const width, height, gap = 200, 150, 24 // roughly the size of a node
	at := b.View.Visible().Center()
	cards := b.Document().Cards()
	for i := 0; i < len(cards); i++ {
		half := geom.Point{X: width / 2, Y: height / 2}
		if r := cards[i].Rect; r.Overlaps(geom.Rect{Min: at.Sub(half), Max: at.Add(half)}) {
			at.X = r.Max.X + gap + half.X
			i = -1 // it may hide other nodes there
		}
	}
	return at
}

// pickNode lets the user pick a node type to add at a point of the document.
func (h *EditCommands) pickNode(at geom.Point) {
	h.pickType(at, lang.L("Add a node"), func(typ string) { h.AddAt(typ, at) })
}

// Replace lets the user pick another type for the selected node.
func (h *EditCommands) Replace() {
	_, card, ok := h.soleCard()
	if !ok {
		return
	}
	h.pickType(below(card), lang.L("Replace by"), func(typ string) {
		h.Do(func(b *board.Board) error { return b.Document().Replace(card.Node.ID, typ) })
	})
}

// below returns the position of a picker for a node.
func below(card *cards.Card) geom.Point {
	return geom.Point{X: card.Rect.Min.X, Y: card.Rect.Max.Y}
}

func (h *EditCommands) pickType(at geom.Point, title string, then func(typ string)) {
	specs := h.board().Document().Specs()
	h.pickAt(at, kit.Picker{
		Placeholder: title,
		Empty:       lang.L("No node type matches"),
		Search: func(query string) []kit.Choice {
			return palette.Choices(specs.Search(query), func(c doc.Choice) { then(c.Spec.Type) })
		},
	})
}

// pickPartner lets the user pick the other end of a wire.
func (h *EditCommands) pickPartner(end cards.PortRef, at geom.Point) {
	d := h.board().Document()
	h.pickAt(at, kit.Picker{
		Placeholder: lang.L("Connect to a new node"),
		Empty:       lang.L("No node type can be connected here"),
		Search: func(query string) []kit.Choice {
			found, err := d.Partners(end, query)
			if err != nil {
				h.config.View.Complain(err)
			}
			return palette.Choices(found, func(c doc.Choice) {
				h.Do(func(b *board.Board) error {
					id, err := d.AddConnected(c.Spec.Type, at, end, c.Port)
					if err == nil {
						b.Show(id)
					}
					return err
				})
			})
		},
	})
}

// Connect draws a wire by keyboard: the user picks a port of the selected node, and then the
// other end.
func (h *EditCommands) Connect() {
	b, card, ok := h.soleCard()
	if !ok {
		return
	}
	at := below(card)
	h.pickPort(at, lang.L("Which port of {{.Node}}?", map[string]any{"Node": card.Title()}), b.Ports(card.Node.ID), func(from cards.PortRef) {
		if !b.StartWire(from) {
			return
		}
		targets := b.Targets()
		b.Cancel()
		h.config.View.Refresh()
		h.pickPort(at, lang.L("Connect {{.Port}} to", map[string]any{"Port": from.Port}), targets, func(to cards.PortRef) {
			h.Do(func(*board.Board) error { return b.Document().Connect(from, to) })
		})
	})
}

// pickPort lets the user pick one of several ports.
func (h *EditCommands) pickPort(at geom.Point, title string, ports []cards.PortRef, then func(cards.PortRef)) {
	scene := h.board().Scene()
	var all []kit.Choice
	for _, ref := range ports {
		choice := kit.Choice{Title: ref.Port, Pick: func() { then(ref) }}
		if card, ok := scene.Card(ref.Node); ok {
			choice.Detail = card.Title()
		}
		if anchor, ok := scene.Anchor(ref); ok && anchor.Spec != nil {
			choice.Trailing = anchor.Spec.Type.String()
		}
		all = append(all, choice)
	}
	h.pickAt(at, kit.Picker{
		Placeholder: title, Empty: lang.L("There is no port that fits"),
		Search: func(query string) []kit.Choice { return kit.Matching(all, query) },
	})
}

// pickAt shows a picker beside a point of the document.
func (h *EditCommands) pickAt(at geom.Point, p kit.Picker) {
	p.Closed = h.config.View.Back
	p.ShowAt(h.config.Canvas, h.config.View.OnScreen(at))
}
