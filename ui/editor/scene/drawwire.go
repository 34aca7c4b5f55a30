package scene

import (
	"strconv"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/fold"
	"github.com/svcflow/svc/engine/layout/cards"
	"github.com/svcflow/svc/engine/layout/geom"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

// quiet is how much is seen of what has no part in something, in percent.
const quiet = 35

func (p *Pen) drawWire(s *Scene, w *Wire) {
	if p.look.Lifted != nil && *p.look.Lifted == w.Connection {
		return // its loose end is drawn with the gesture
	}
	curve := w.Curve
	from, to := p.shift(w.FromNodeID), p.shift(w.ToNodeID)
	if from != to {
		curve = WireCurve(curve[0].Add(from), curve[3].Add(to))
	} else if from != (geom.Point{}) {
		curve = curve.through(func(q geom.Point) geom.Point { return q.Add(from) })
	}
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
	case none || s.Cards[w.From].Node.Disabled || s.Cards[w.To].Node.Disabled:
		line.Stroke = line.Stroke.Faded(quiet)
	}
	p.Wire(curve, line)
	if known && w.Type.Kind() == value.KindList && p.look.View.Detail() == Full {
		p.counts = append(p.counts, counted{curve.At(0.5), items})
	}
}

// gave reports whether a node that has ended has given something at a control: the
// outputs of a run do not tell of these.
func gave(n *fold.Node, port string) bool {
	switch port {
	case node.DonePort:
		return n.State() == engine.StatusSucceeded
	case node.ErrorPort:
		return n.State() == engine.StatusFailed
	}
	return false
}

// count writes how many items a wire has carried on its middle.
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
