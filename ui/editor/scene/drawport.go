package scene

import (
	"github.com/svcflow/svc/engine/layout/cards"
	"github.com/svcflow/svc/engine/layout/geom"
	"github.com/svcflow/svc/ui/editor/doc"
)

// drawPort draws a port. While a wire is drawn, the ports it can connect to are highlighted
// and all others dimmed.
func (p *Pen) drawPort(a *cards.Anchor, radius float64, by geom.Point) {
	if a.Fixed() {
		return
	}
	ink, shape := lookOf(a.Spec.Type)
	port := Item{Shape: shape, Fill: Plain(ink), Stroke: Plain(InkCanvas), Width: 2}
	if shape == Ring {
		port.Fill, port.Stroke, port.Width = Plain(InkCanvas), Plain(ink), 3
	}
	at := a.At.Add(by)
	var v doc.Verdict
	drawing := false
	if p.look.Verdict != nil {
		v, drawing = p.look.Verdict(a.PortRef)
	}
	switch {
	case drawing && v.Legal() && cards.IsControl(a.Port): // nearly every wire could connect there
	case drawing && v.Legal():
		p.Circle(at, radius+4, Item{Fill: Plain(ink).Faded(quiet)})
	case drawing:
		port.Fill, port.Stroke = port.Fill.Faded(quiet), port.Stroke.Faded(quiet)
	case p.look.Hover.Kind == HitPort && p.look.Hover.Port == a.PortRef:
		radius++
	}
	p.add(ItemPort, geom.RectBetween(at, at).Grow(radius), port)
}

// drawHover writes the name and type of the port under the pointer, or of all ports of the
// circle under it.
func (p *Pen) drawHover(s *Scene) {
	card, ok := s.Card(p.look.Hover.ID)
	switch {
	case !ok:
	case p.look.Hover.Kind == HitPort:
		if a, ok := s.Anchor(p.look.Hover.Port); ok {
			p.NameOf(a, a.Port+"  "+a.Spec.Type.String())
		}
	case p.look.Hover.Kind == HitNode && card.Circle:
		for i := range card.Ports {
			if a := &card.Ports[i]; !a.Fixed() {
				p.NameOf(a, a.Port)
			}
		}
	}
}

// NameOf writes beside a port: to the right of an output, to the left of an input.
func (p *Pen) NameOf(a *cards.Anchor, text string) {
	const beside, height, padding = 12, 22, 8
	z := p.look.View.Zoom
	at := geom.Point{X: beside / z, Y: -height / 2 / z}
	if !a.Output {
		at.X = -(beside + cards.TextWidth(text, cards.RowText) + 2*padding) / z
	}
	p.Caption(a.At.Add(at), text, InkText)
}
