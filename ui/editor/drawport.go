package editor

// drawPort draws one port. While a wire is drawn, the ports it can lead to are lit
// and all others dim.
func (p *Pen) drawPort(a *Anchor, by Point) {
	if a.Fixed() {
		return
	}
	ink, shape := lookOf(a.Spec.Type)
	port := Item{Shape: shape, Fill: paint(ink), Stroke: paint(InkCanvas), Width: 2}
	if shape == Ring {
		port.Fill, port.Stroke, port.Width = paint(InkCanvas), paint(ink), 3
	}
	radius := portRadius
	at := a.At.Add(by)
	switch v, drawing := p.look.Verdict(a.PortRef); {
	case drawing && v.Legal():
		p.circle(at, portRadius+4, Item{Fill: paint(ink).faded(quiet)})
	case drawing:
		port.Fill, port.Stroke = port.Fill.faded(quiet), port.Stroke.faded(quiet)
	case p.look.Hover.Kind == HitPort && p.look.Hover.Port == a.PortRef:
		radius++
	}
	p.add(ItemPort, RectBetween(at, at).Grow(radius), port)
}

// drawHover writes the name and type of the port under the pointer, or that of all
// ports of the circle under it.
func (p *Pen) drawHover(s *Scene) {
	card, ok := s.Card(p.look.Hover.ID)
	switch {
	case !ok:
	case p.look.Hover.Kind == HitPort:
		if a, ok := s.Anchor(p.look.Hover.Port); ok {
			p.nameOf(a, a.Port+"  "+a.Spec.Type.String())
		}
	case p.look.Hover.Kind == HitNode && card.Circle:
		for i := range card.Ports {
			if a := &card.Ports[i]; !a.Fixed() {
				p.nameOf(a, a.Port)
			}
		}
	}
}

// nameOf writes beside a port: to the right of an output, to the left of an input.
func (p *Pen) nameOf(a *Anchor, text string) {
	const beside, height, padding = 12, 22, 8
	z := p.look.View.Zoom
	at := Point{beside / z, -height / 2 / z}
	if !a.Output {
		at.X = -(beside + textWidth(text, rowText) + 2*padding) / z
	}
	p.caption(a.At.Add(at), text, InkText)
}
