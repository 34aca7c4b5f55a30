package scene

import (
	"image"
	"strings"

	"github.com/svcflow/svc/engine/layout/cards"
	"github.com/svcflow/svc/engine/layout/geom"
	"github.com/svcflow/svc/engine/value/view"
)

// Pane is the value that a card shows.
type Pane struct {
	view.View

	Image  image.Image // of a view that is a picture; else nil
	Remark bool        // Text is a remark, not a value
	Action string      // a word at its end that does something with the value; "" for none
}

// paneOf returns where a card shows its value: in it, or below it.
func paneOf(c *cards.Card) geom.Rect {
	if c.Pane.Empty() {
		return c.Below()
	}
	return c.Pane
}

// hangs reports whether a pane is shown below a card, because the card has no room for it.
// Remarks and nil are not shown there.
func (p *Pane) hangs(c *cards.Card) bool { return p != nil && !p.Remark && c.Pane.Empty() }

// Hanging returns the bounds of the panes below cards; empty without any.
func (s *Scene) Hanging(pane func(id string) *Pane) (all geom.Rect) {
	if pane == nil {
		return all
	}
	for i := range s.Cards {
		if c := &s.Cards[i]; c.Shows() && pane(c.Node.ID).hangs(c) {
			all = all.Union(c.Below())
		}
	}
	return all
}

// ActionAt returns the topmost card whose pane has its action at p.
func (s *Scene) ActionAt(p geom.Point, pane func(id string) *Pane) (id string, ok bool) {
	for i := range s.Cards {
		c := &s.Cards[i]
		if !c.Shows() || !paneOf(c).Contains(p) {
			continue
		}
		if shown := pane(c.Node.ID); shown != nil && shown.action(paneOf(c).Grow(-panePad)).Contains(p) {
			id, ok = c.Node.ID, true
		}
	}
	return id, ok
}

// action returns the rectangle of a pane's action: at the end of the value's last line. It is
// empty without an action, or without room for it.
func (p *Pane) action(r geom.Rect) geom.Rect {
	w := cards.TextWidth(p.Action, cards.CaptionText)
	if w == 0 || w > r.W() || r.H() < 2*paneLine {
		return geom.Rect{}
	}
	return geom.Rect{Min: geom.Point{X: r.Max.X - w, Y: r.Max.Y - paneLine}, Max: r.Max}
}

// The measures of a pane, in dp.
const (
	paneLine, paneRow = 17.0, 20.0
	panePad           = 8.0
	paneColumns       = 6 // of a table, at most
)

// pane draws the value of a card: in the card, or below it.
func (p *Pen) pane(c *cards.Card, by geom.Point) {
	if !c.Shows() || p.look.Pane == nil {
		return
	}
	pane := p.look.Pane(c.Node.ID)
	switch within := !c.Pane.Empty(); {
	case within && pane == nil:
		p.plateAt(c.Pane.Move(by))
		return
	case !within && !pane.hangs(c):
		return
	}
	r := paneOf(c).Move(by)
	p.plateAt(r)
	r = r.Grow(-panePad)
	if at := pane.action(r); !at.Empty() {
		p.text(at, pane.Action, Item{Size: cards.CaptionText, Fill: Plain(InkAccent), Bold: p.look.Hover == Hit{Kind: HitAction, ID: c.Node.ID}})
	}
	p.fill(pane, r)
}

// about returns the text below a picture.
func (p *Pane) about() string {
	if p.Kind == view.Media {
		return p.Text
	}
	return ""
}

func (p *Pen) plateAt(r geom.Rect) {
	p.Rect(r, Item{Fill: Plain(InkCanvas), Stroke: Plain(InkLine), Width: 1, Radius: 6})
}

// fill draws as much of a value into a rectangle as fits.
func (p *Pen) fill(pane *Pane, r geom.Rect) {
	ink := Plain(InkText)
	if pane.Remark {
		ink = Plain(InkDim)
	}
	switch {
	case pane.Image != nil:
		action := pane.action(r)
		if about := pane.about(); !action.Empty() || about != "" && r.H() > 3*paneLine {
			r.Max.Y -= paneLine
			room := r.W() - action.W()
			if !action.Empty() {
				room -= cards.RowGap
			}
			p.text(geom.RectAt(geom.Point{X: r.Min.X, Y: r.Max.Y}, room, paneLine), cards.Shorten(about, cards.CaptionText, room), Item{Size: cards.CaptionText, Fill: Plain(InkDim)})
		}
		p.add(ItemPicture, r, Item{Picture: pane.Image})
	case pane.Kind == view.Table:
		p.table(pane, r)
	case pane.Kind == view.Markdown:
		p.prose(pane.Text, r)
	case pane.Kind == view.JSON:
		p.verbatim(pane.Text, r, ink)
	default:
		p.flow(pane.Text, r, Item{Size: cards.RowText, Fill: ink})
	}
}

// flow wraps a text at the width of a rectangle, and returns the rest of the rectangle.
func (p *Pen) flow(text string, r geom.Rect, i Item) geom.Rect {
	for first := true; (first || text != "") && r.Min.Y+paneLine <= r.Max.Y; first = false {
		var line string
		line, text = wrap(text, r.W())
		p.text(geom.RectAt(r.Min, r.W(), paneLine), line, i)
		r.Min.Y += paneLine
	}
	return r
}

// verbatim writes lines unchanged, cut at the edge of the rectangle.
func (p *Pen) verbatim(text string, r geom.Rect, ink Paint) {
	for rest := text; rest != "" && r.Min.Y+paneLine <= r.Max.Y; r.Min.Y += paneLine {
		var line string
		line, rest, _ = strings.Cut(rest, "\n")
		p.text(geom.RectAt(r.Min, r.W(), paneLine), cards.Shorten(line, cards.ValueSpace, r.W()), Item{Size: cards.ValueText, Mono: true, Fill: ink})
	}
}

// prose writes Markdown: headings and list items are formatted, everything else is plain
// text.
func (p *Pen) prose(text string, r geom.Rect) {
	plain := strings.NewReplacer("**", "", "__", "", "`", "")
	for line := range strings.SplitSeq(text, "\n") {
		if r.Min.Y+paneLine > r.Max.Y {
			return
		}
		i := Item{Size: cards.RowText, Fill: Plain(InkText)}
		title := strings.TrimLeft(line, "#")
		switch {
		case title != line && strings.HasPrefix(title, " "):
			line, i.Size, i.Bold = strings.TrimSpace(title), cards.TitleText, true
		case strings.HasPrefix(line, "- "), strings.HasPrefix(line, "* "):
			line = "• " + line[2:]
		}
		whole := strings.HasPrefix(line, "**") && strings.HasSuffix(line, "**")
		i.Bold = i.Bold || whole
		r = p.flow(plain.Replace(line), r, i)
	}
}

// table writes the first rows of a table, in columns of equal width.
func (p *Pen) table(pane *Pane, r geom.Rect) {
	columns := pane.Columns[:min(len(pane.Columns), paneColumns)]
	if len(columns) == 0 {
		return
	}
	width := r.W() / float64(len(columns))
	row := func(cells []string, i Item) {
		for k := range columns {
			room := width - cards.RowGap
			p.text(geom.RectAt(r.Min.Add(geom.Point{X: width * float64(k)}), room, paneRow), cards.Shorten(firstLine(cells[k]), cards.RowText, room), i)
		}
		r.Min.Y += paneRow
	}
	row(columns, Item{Size: cards.CaptionText, Bold: true, Fill: Plain(InkDim)})
	p.line(r.Min, geom.Point{X: r.Max.X, Y: r.Min.Y}, Item{Stroke: Plain(InkLine), Width: 1})
	for _, cells := range pane.Rows {
		if r.Min.Y+paneRow > r.Max.Y {
			return
		}
		row(cells, Item{Size: cards.RowText, Fill: Plain(InkText)})
	}
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

// grip marks the corner that resizes a card.
func (p *Pen) grip(c *cards.Card, by geom.Point) {
	const inset, step = 4.0, 4.0
	if !c.Shows() {
		return
	}
	corner := c.Rect.Move(by).Max.Sub(geom.Point{X: inset, Y: inset})
	for k := 1.0; k <= 2; k++ {
		p.line(corner.Sub(geom.Point{X: k * step}), corner.Sub(geom.Point{Y: k * step}), Item{Stroke: Plain(InkDim), Width: 1})
	}
}
