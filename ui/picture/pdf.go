package picture

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"

	"codeberg.org/go-pdf/fpdf"
	fynetheme "fyne.io/fyne/v2/theme"

	"github.com/svcflow/svc/engine/layout/geom"
	"github.com/svcflow/svc/ui/editor/scene"
)

// writePDF writes a sheet as a PDF of one page, a point per dp, with the used glyphs of the
// window's fonts.
func writePDF(to io.Writer, s *sheet) error {
	w, h := s.size()
	doc := fpdf.NewCustom(&fpdf.InitType{UnitStr: "pt", Size: fpdf.SizeType{Wd: w, Ht: h}})
	doc.SetMargins(0, 0, 0)
	doc.SetAutoPageBreak(false, 0)
	doc.AddUTF8FontFromBytes(sans, "", fynetheme.DefaultTextFont().Content())
	doc.AddUTF8FontFromBytes(sans, "B", fynetheme.DefaultTextBoldFont().Content())
	doc.AddUTF8FontFromBytes(mono, "", fynetheme.DefaultTextMonospaceFont().Content())
	doc.AddPage()
	p := &pdf{doc: doc}
	p.rect(geom.RectAt(geom.Point{}, w, h), 0, stroke{fill: s.palette.Canvas})
	draw(p, s.items(), s.palette)
	return doc.Output(to)
}

// The fonts.
const (
	sans = "sans"
	mono = "mono"
)

// pdf is paper for PDF. Errors stay in its document until the end.
type pdf struct {
	doc    *fpdf.Fpdf
	images int
}

func (p *pdf) rect(b geom.Rect, radius float64, s stroke) {
	p.shape(s, func(how string) {
		if radius < 1 {
			p.doc.Rect(b.Min.X, b.Min.Y, b.W(), b.H(), how)
			return
		}
		p.doc.RoundedRect(b.Min.X, b.Min.Y, b.W(), b.H(), min(radius, b.W()/2, b.H()/2), "1234", how)
	})
}

func (p *pdf) circle(b geom.Rect, s stroke) {
	p.shape(s, func(how string) { p.doc.Circle(b.Center().X, b.Center().Y, b.W()/2, how) })
}

func (p *pdf) arc(b geom.Rect, sweep float64, s stroke) {
	const top = 90 // degrees, counter-clockwise in fpdf
	p.shape(s.edge(), func(how string) {
		p.doc.Arc(b.Center().X, b.Center().Y, b.W()/2, b.W()/2, 0, top-sweep, top, how)
	})
}

func (p *pdf) line(from, to geom.Point, s stroke) {
	p.shape(s.edge(), func(string) { p.doc.Line(from.X, from.Y, to.X, to.Y) })
}

func (p *pdf) curve(c scene.Curve, s stroke) {
	p.shape(s.edge(), func(how string) {
		p.doc.CurveBezierCubic(c[0].X, c[0].Y, c[1].X, c[1].Y, c[2].X, c[2].Y, c[3].X, c[3].Y, how)
	})
}

func (p *pdf) polygon(corners []geom.Point, s stroke) {
	var points []fpdf.PointType
	for _, c := range corners {
		points = append(points, fpdf.PointType{X: c.X, Y: c.Y})
	}
	p.shape(s, func(how string) { p.doc.Polygon(points, how) })
}

// shape draws the fill and the edge separately, because each has its own opacity.
func (p *pdf) shape(s stroke, draw func(how string)) {
	if s.fill.A > 0 {
		p.doc.SetAlpha(float64(s.fill.A)/0xFF, "Normal")
		p.doc.SetFillColor(int(s.fill.R), int(s.fill.G), int(s.fill.B))
		draw("F")
	}
	if s.line.A == 0 || s.width == 0 {
		return
	}
	p.doc.SetAlpha(float64(s.line.A)/0xFF, "Normal")
	p.doc.SetDrawColor(int(s.line.R), int(s.line.G), int(s.line.B))
	p.doc.SetLineWidth(s.width)
	p.doc.SetDashPattern(nil, 0)
	if s.dashed {
		p.doc.SetDashPattern([]float64{5, 5}, 0)
	}
	draw("D")
}

func (p *pdf) text(b geom.Rect, text string, w writing) {
	family, how := sans, ""
	switch {
	case w.mono:
		family = mono
	case w.bold:
		how = "B"
	}
	p.doc.SetFont(family, how, w.size)
	p.doc.SetAlpha(float64(w.ink.A)/0xFF, "Normal")
	p.doc.SetTextColor(int(w.ink.R), int(w.ink.G), int(w.ink.B))
	x := b.Min.X
	switch w.align {
	case scene.Centered:
		x = b.Center().X - p.doc.GetStringWidth(text)/2
	case scene.Trailing:
		x = b.Max.X - p.doc.GetStringWidth(text)
	case scene.Leading:
	}
	p.doc.Text(x, baseline(b, w.size), text)
}

func (p *pdf) icon(b geom.Rect, name string, ink color.NRGBA) {
	const sharp = 4 // pixels a point
	p.picture(b, drawing(name, ink, int(b.W()*sharp)))
}

func (p *pdf) picture(b geom.Rect, picture image.Image) {
	var text bytes.Buffer
	if png.Encode(&text, picture) != nil {
		return // it has no pixels
	}
	p.images++
	name, options := fmt.Sprint(p.images), fpdf.ImageOptions{ImageType: "PNG"}
	p.doc.RegisterImageOptionsReader(name, options, &text)
	p.doc.SetAlpha(1, "Normal")
	p.doc.ImageOptions(name, b.Min.X, b.Min.Y, b.W(), b.H(), false, options, 0, "")
}
