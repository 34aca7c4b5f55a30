package scene

import (
	"github.com/svcflow/svc/engine/layout/cards"
	"github.com/svcflow/svc/engine/layout/geom"
)

// drawHoverPlate draws a plate beside the pointer, in screen size: the changes of the node
// under it, or the values at the port or wire under it.
func (p *Pen) drawHoverPlate() {
	if lines, ok := p.changes(); ok {
		p.plateOf(lines)
		return
	}
	if p.look.Peek == nil {
		return
	}
	ref := p.look.Hover.Port
	switch p.look.Hover.Kind {
	case HitPort:
	case HitWire:
		w := p.look.Hover.Wire
		ref = cards.PortRef{Node: w.FromNodeID, Port: w.FromPort, Output: true}
	default:
		return
	}
	if lines := p.look.Peek(ref); len(lines) > 0 {
		p.plateOf(lines)
	}
}

// Sizes of the plate beside the pointer, in pixels.
const (
	peekWidth, peekLine, peekPad = 380.0, 17.0, 10.0
	peekBeside                   = 22.0
	peekLines                    = 14
)

// plateOf writes lines on a plate beside the pointer; the first one is the title.
func (p *Pen) plateOf(lines []string) {
	lines = wrapped(lines)
	z := p.look.View.Zoom
	width := 0.0
	for _, line := range lines {
		width = max(width, cards.TextWidth(line, cards.ValueSpace))
	}
	width = min(width, peekWidth) + 2*peekPad
	height := peekLine*float64(len(lines)) + peekPad
	at := p.look.View.ToScreen(p.look.Pointer).Add(geom.Point{X: peekBeside, Y: peekBeside})
	if at.X+width > p.look.View.Size.X {
		at.X = max(at.X-width-2*peekBeside, 0)
	}
	if at.Y+height > p.look.View.Size.Y {
		at.Y = max(at.Y-height-2*peekBeside, 0)
	}
	plate := geom.RectAt(p.look.View.ToDocument(at), width/z, height/z)
	p.Rect(plate, Item{Fill: Plain(InkPanel), Stroke: Plain(InkLine), Width: float32(1 / z), Radius: float32(8 / z)})
	for i, line := range lines {
		row := geom.RectAt(plate.Min.Add(geom.Point{X: peekPad / z, Y: (peekPad/2 + peekLine*float64(i)) / z}), (width-2*peekPad)/z, peekLine/z)
		ink := Item{Size: float32(cards.ValueText / z), Mono: true, Fill: Plain(InkText)}
		if i == 0 {
			ink = Item{Size: float32(cards.CaptionText / z), Bold: true, Fill: Plain(InkDim)}
		}
		p.text(row, line, ink)
	}
}

// wrapped wraps lines at the width of the plate, up to its number of lines.
func wrapped(lines []string) (set []string) {
	for _, line := range lines {
		for rest := line; ; {
			if len(set) == peekLines {
				set[peekLines-1] = "…"
				return set
			}
			cut := fitting(rest, peekWidth)
			set, rest = append(set, rest[:cut]), rest[cut:]
			if rest == "" {
				break
			}
		}
	}
	return set
}

// fitting returns how many bytes of a text fit into a width; at least one character.
func fitting(text string, width float64) int {
	room := int(width / cards.TextWidth("0", cards.ValueSpace))
	for i := range text {
		if room--; room < 0 {
			return i
		}
	}
	return len(text)
}
