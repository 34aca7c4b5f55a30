package picture

import (
	"bytes"
	"encoding/base64"
	"encoding/xml"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"math"
	"strings"

	"github.com/svcflow/svc/engine/layout/geom"
	"github.com/svcflow/svc/ui/editor/scene"
	"github.com/svcflow/svc/ui/theme"
)

// writeSVG writes a sheet as SVG 1.1. Icons and pictures are embedded; fonts are named, with
// alternatives.
func writeSVG(to io.Writer, s *sheet) error {
	w, h := s.size()
	p := &svg{}
	p.add(`<?xml version="1.0" encoding="UTF-8"?>` + "\n")
	p.add(`<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="%s" height="%s" viewBox="0 0 %s %s" font-family="'Noto Sans', sans-serif">`,
		number(w), number(h), number(w), number(h))
	p.rect(geom.RectAt(geom.Point{}, w, h), 0, stroke{fill: s.palette.Canvas})
	draw(p, s.items(), s.palette)
	p.add("</svg>\n")
	_, err := p.out.WriteTo(to)
	return err
}

// svg is paper for SVG.
type svg struct{ out bytes.Buffer }

func (p *svg) add(format string, args ...any) { fmt.Fprintf(&p.out, format, args...) }

func (p *svg) rect(b geom.Rect, radius float64, s stroke) {
	p.add(`<rect x="%s" y="%s" width="%s" height="%s" rx="%s"%s/>`+"\n",
		number(b.Min.X), number(b.Min.Y), number(b.W()), number(b.H()), number(radius), style(s))
}

func (p *svg) circle(b geom.Rect, s stroke) {
	p.add(`<circle cx="%s" cy="%s" r="%s"%s/>`+"\n", number(b.Center().X), number(b.Center().Y), number(b.W()/2), style(s))
}

func (p *svg) arc(b geom.Rect, sweep float64, s stroke) {
	turn, r, far := sweep*math.Pi/180, b.W()/2, 0
	if sweep > 180 {
		far = 1
	}
	end := b.Center().Add(geom.Point{X: math.Sin(turn), Y: -math.Cos(turn)}.Scale(r))
	p.add(`<path d="M%s %s A%s %s 0 %d 1 %s %s"%s/>`+"\n", number(b.Center().X), number(b.Min.Y), number(r), number(r), far, number(end.X), number(end.Y), style(s.edge()))
}

func (p *svg) line(from, to geom.Point, s stroke) {
	p.add(`<path d="M%s L%s"%s/>`+"\n", pair(from), pair(to), style(s.edge()))
}

func (p *svg) curve(c scene.Curve, s stroke) {
	p.add(`<path d="M%s C%s %s %s"%s/>`+"\n", pair(c[0]), pair(c[1]), pair(c[2]), pair(c[3]), style(s.edge()))
}

func (p *svg) polygon(corners []geom.Point, s stroke) {
	var points []string
	for _, c := range corners {
		points = append(points, pair(c))
	}
	p.add(`<polygon points="%s"%s/>`+"\n", strings.Join(points, " "), style(s))
}

func (p *svg) text(b geom.Rect, text string, w writing) {
	x, anchor := b.Min.X, "start"
	switch w.align {
	case scene.Centered:
		x, anchor = b.Center().X, "middle"
	case scene.Trailing:
		x, anchor = b.Max.X, "end"
	case scene.Leading:
	}
	font := ""
	if w.bold {
		font += ` font-weight="bold"`
	}
	if w.mono {
		font += ` font-family="'DejaVu Sans Mono', monospace"`
	}
	p.add(`<text x="%s" y="%s" font-size="%s" text-anchor="%s" xml:space="preserve"%s%s>`,
		number(x), number(baseline(b, w.size)), number(w.size), anchor, font, style(stroke{fill: w.ink}))
	_ = xml.EscapeText(&p.out, []byte(text)) // a buffer returns no errors
	p.add("</text>\n")
}

func (p *svg) icon(b geom.Rect, name string, ink color.NRGBA) {
	p.image(b, "image/svg+xml", theme.Icon(name, ink).Content(), float64(ink.A)/0xFF)
}

func (p *svg) picture(b geom.Rect, picture image.Image) {
	var text bytes.Buffer
	if png.Encode(&text, picture) == nil { // else it has no pixels
		p.image(b, "image/png", text.Bytes(), 1)
	}
}

func (p *svg) image(b geom.Rect, kind string, content []byte, opacity float64) {
	p.add(`<image x="%s" y="%s" width="%s" height="%s" opacity="%s" xlink:href="data:%s;base64,%s"/>`+"\n",
		number(b.Min.X), number(b.Min.Y), number(b.W()), number(b.H()), number(opacity), kind, base64.StdEncoding.EncodeToString(content))
}

func style(s stroke) string {
	text := paint("fill", s.fill)
	if s.line.A == 0 || s.width == 0 {
		return text
	}
	text += paint("stroke", s.line) + ` stroke-width="` + number(s.width) + `"`
	if s.dashed {
		text += ` stroke-dasharray="5 5"`
	}
	return text
}

func paint(what string, c color.NRGBA) string {
	switch c.A {
	case 0:
		return ` ` + what + `="none"`
	case 0xFF:
		return fmt.Sprintf(` %s="#%02X%02X%02X"`, what, c.R, c.G, c.B)
	}
	return fmt.Sprintf(` %s="#%02X%02X%02X" %s-opacity="%s"`, what, c.R, c.G, c.B, what, number(float64(c.A)/0xFF))
}

func pair(p geom.Point) string { return number(p.X) + " " + number(p.Y) }

// number writes two decimals, which is more than enough.
func number(f float64) string {
	return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%.2f", f), "0"), ".")
}
