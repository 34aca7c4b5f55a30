package pdf

import (
	"strings"

	"github.com/svcflow/svc/nodes/data/pdf/layout"
	"github.com/svcflow/svc/nodes/data/pdf/object"
)

// annotations draws what is written on the page, such as the values of form fields.
func (d *document) annotations(p *page, w *writer) {
	const hidden, noView = 2, 32
	for _, o := range d.file.Array(p.dict["Annots"]) {
		a := d.file.Dict(o)
		if object.Int(d.file.Resolve(a["F"]))&(hidden|noView) != 0 || d.file.Name(a["Subtype"]) == "Popup" || w.hides(a["OC"]) {
			continue
		}
		box, rect := d.file.Array(a["Rect"]), []float64{}
		if len(box) != 4 {
			continue
		}
		for _, n := range box {
			rect = append(rect, object.Float(d.file.Resolve(n)))
		}
		look := d.file.Resolve(d.file.Dict(a["AP"])["N"])
		if states, is := look.(object.Dict); is {
			look = d.file.Resolve(states[d.file.Name(a["AS"])])
		}
		if form, is := look.(*object.Stream); is {
			w.drawForm(form, d.placed(form, rect), p.resources, 0)
		} else if a["AP"] == nil && d.file.Name(a["Subtype"]) == "Widget" {
			d.field(a, rect, w)
		}
	}
}

// field draws the value of a text field that has no appearance, which viewers make.
func (d *document) field(a object.Dict, rect []float64, w *writer) {
	find := func(name object.Name) any {
		for n, at := 0, a; n < maxTree && at != nil; n, at = n+1, d.file.Dict(at["Parent"]) {
			if v := d.file.Resolve(at[name]); v != nil {
				return v
			}
		}
		return nil
	}
	value, is := find("V").(object.String)
	const password = 1 << 13
	if !is || find("FT") != object.Name("Tx") && find("FT") != object.Name("Ch") || object.Int(find("Ff"))&password != 0 {
		return
	}
	const size, margin = 10, 2
	top := max(rect[1], rect[3]) - margin - size
	for line := range strings.Lines(strings.ReplaceAll(object.Text(value), "\r", "\n")) {
		c := layout.Char{Text: clean(strings.TrimSpace(line)), Size: size, Ascent: 0.7, Descent: -0.2}
		c.X, c.Y = w.ctm.point(min(rect[0], rect[2])+margin, top)
		c.DX, c.DY = w.ctm.delta(size/2*float64(len(c.Text)), 0)
		w.letters++
		w.page.Add(&c)
		w.page.Break()
		top -= size
	}
}

// placed returns the transformation that fits the box of a form into a rectangle.
func (d *document) placed(form *object.Stream, rect []float64) matrix {
	m := matrixOf(d.file, form.Dict["Matrix"])
	box := d.file.Array(form.Dict["BBox"])
	if len(box) != 4 {
		return identity()
	}
	var b [4]float64
	for i := range b {
		b[i] = object.Float(d.file.Resolve(box[i]))
	}
	x, y := m.point(b[0], b[1])
	x1, y1, x2, y2 := x, y, x, y
	for _, corner := range [][2]float64{{b[0], b[3]}, {b[2], b[1]}, {b[2], b[3]}} {
		x, y := m.point(corner[0], corner[1])
		x1, y1, x2, y2 = min(x1, x), min(y1, y), max(x2, x), max(y2, y)
	}
	left, bottom := min(rect[0], rect[2]), min(rect[1], rect[3])
	sx, sy := 1.0, 1.0
	if x2 > x1 {
		sx = (max(rect[0], rect[2]) - left) / (x2 - x1)
	}
	if y2 > y1 {
		sy = (max(rect[1], rect[3]) - bottom) / (y2 - y1)
	}
	return matrix{sx, 0, 0, sy, left - x1*sx, bottom - y1*sy}
}
