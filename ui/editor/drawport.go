package editor

// drawPort draws one port. While a wire is drawn, the ports it can lead to are lit
// and all others dim.
func (b *Board) drawPort(p *pen, a *Anchor, by Point) {
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
	switch v, drawing := b.Verdict(a.PortRef); {
	case drawing && v.Legal():
		p.circle(at, portRadius+4, Item{Fill: paint(ink).faded(quiet)})
	case drawing:
		port.Fill, port.Stroke = port.Fill.faded(quiet), port.Stroke.faded(quiet)
	case b.hover.Kind == HitPort && b.hover.Port == a.PortRef:
		radius++
	}
	p.add(ItemPort, RectBetween(at, at).Grow(radius), port)
}

// drawHover writes the name and type of the port under the pointer, or that of all
// ports of the circle under it.
func (b *Board) drawHover(p *pen, s *Scene) {
	card, ok := s.Card(b.hover.ID)
	switch {
	case !ok:
	case b.hover.Kind == HitPort:
		if a, ok := s.Anchor(b.hover.Port); ok {
			p.nameOf(a, a.Port+"  "+a.Spec.Type.String())
		}
	case b.hover.Kind == HitNode && card.Circle:
		for i := range card.Ports {
			if a := &card.Ports[i]; !a.Fixed() {
				p.nameOf(a, a.Port)
			}
		}
	}
}

// nameOf writes beside a port: to the right of an output, to the left of an input.
func (p *pen) nameOf(a *Anchor, text string) {
	const beside, height, padding = 12, 22, 8
	z := p.view.Zoom
	at := Point{beside / z, -height / 2 / z}
	if !a.Output {
		at.X = -(beside + textWidth(text, rowText) + 2*padding) / z
	}
	p.caption(a.At.Add(at), text, InkText)
}
