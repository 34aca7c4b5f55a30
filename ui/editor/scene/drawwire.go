package scene

import (
	"slices"
	"strconv"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/fold"
	"github.com/svcflow/svc/engine/layout/cards"
	"github.com/svcflow/svc/engine/layout/geom"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/ui/editor/doc"
)

// quiet is the opacity of uninvolved parts, in percent.
const quiet = 35

func (p *Pen) drawWire(s *Scene, w *Wire) {
	if p.look.Lifted != nil && *p.look.Lifted == w.Connection {
		return // its loose end is drawn by the gesture
	}
	way, bends := p.wayOf(w)
	ink := InkOf(w.Type)
	line := Item{Stroke: Plain(ink), Width: WireWidth}
	items, known, none := 0, false, false
	if n := p.ran(w.FromNodeID); n != nil {
		items, known = n.Items[w.FromPort]
		none = n.Over() && !known && !gave(n, w.FromPort) // it never will
	}
	switch {
	case p.look.Selected.Wire(w.Connection):
		line.Stroke, line.Width = Plain(InkAccent), WireWidth+1
	case p.look.Hover.Kind == HitWire && p.look.Hover.Wire == w.Connection:
		line.Width = WireWidth + 1
	case p.look.Compared != nil && p.look.Compared.New[w.Bare()]:
		line.Stroke, line.Width = Plain(InkOK), WireWidth+1
	case none || s.Cards[w.From].Node.Disabled || s.Cards[w.To].Node.Disabled:
		line.Stroke = line.Stroke.Faded(quiet)
	}
	p.Way(way, bends, line)
	p.drawPoints(w, line)
	if known && w.Type.Kind() == value.KindList && p.look.View.Detail() == Full {
		p.counts = append(p.counts, counted{way.Middle(), items})
	}
}

// wayOf returns the path of a wire during a drag: moved as a whole if both ends are dragged;
// without its bends around cards if one end is.
func (p *Pen) wayOf(w *Wire) (way Way, bends []geom.Point) {
	if p.look.Dragged == nil && len(p.look.Points) == 0 {
		return w.Way, w.bends
	}
	from, to := w.Way.Ends()
	shift, other := p.shift(w.FromNodeID), p.shift(w.ToNodeID)
	still := shift == other && shift == geom.Point{}
	via := Via(w.Connection)
	switch {
	case len(via) == 0 && still:
		return w.Way, w.bends
	case len(via) == 0 && shift == other:
		return w.Way.moved(shift), nil
	case len(via) == 0:
		return bare(from.Add(shift), to.Add(other)), nil
	}
	points := workflow.Route(slices.Clone(via))
	for k := range points {
		if !still && shift == other || p.look.Points[doc.Point{Wire: w.Connection, At: k}] {
			points[k] = workflow.Position(geom.Point(points[k]).Add(p.look.By))
		}
	}
	return wayOver(from.Add(shift), to.Add(other), &points), nil
}

// drawPoints marks the visible points that the user has routed a wire through.
func (p *Pen) drawPoints(w *Wire, line Item) {
	const radius, marked = 4, 6
	if p.look.View.Detail() != Full {
		return
	}
	shift := p.shift(w.FromNodeID)
	whole := shift != geom.Point{} && shift == p.shift(w.ToNodeID)
	for k, via := range Via(w.Connection) {
		at, ref := geom.Point(via), doc.Point{Wire: w.Connection, At: k}
		if whole || p.look.Points[ref] {
			at = at.Add(p.look.By)
		}
		dot, size := Item{Fill: line.Stroke, Stroke: Plain(InkCanvas), Width: 1.5}, float64(radius)
		if p.look.Selected.Point(ref) {
			dot.Fill, size = Plain(InkAccent), marked
		} else if p.look.Hover.Kind == HitPoint && p.look.Hover.Point() == ref {
			size = marked
		}
		p.Circle(at, size, dot)
	}
}

// gave reports whether an ended node has sent something on a control: the outputs of a run do
// not have these.
func gave(n *fold.Node, port string) bool {
	switch port {
	case node.DonePort:
		return n.State() == engine.StatusSucceeded
	case node.ErrorPort:
		return n.State() == engine.StatusFailed
	}
	return false
}

// count writes the number of items that a wire has carried on its middle.
func (p *Pen) count(at geom.Point, items int) {
	text := "many"
	if items != fold.Unknown {
		text = strconv.Itoa(items)
	}
	width := cards.TextWidth(text, cards.CaptionText) + 2*cards.RowGap
	plate := geom.RectAt(at.Sub(geom.Point{X: width / 2, Y: 9}), width, 18)
	p.Rect(plate, Item{Fill: Plain(InkPanel), Stroke: Plain(InkLine), Width: 1, Radius: 9})
	p.text(plate, text, Item{Size: cards.CaptionText, Bold: true, Align: Centered, Fill: Plain(InkText)})
}
