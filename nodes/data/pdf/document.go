package pdf

import (
	"errors"
	"fmt"
	"strings"

	"github.com/svcflow/svc/engine/limit"
	"github.com/svcflow/svc/nodes/data/pdf/font"
	"github.com/svcflow/svc/nodes/data/pdf/layout"
	"github.com/svcflow/svc/nodes/data/pdf/object"
	"github.com/svcflow/svc/nodes/reading"
)

// document is a file whose pages are known.
type document struct {
	file   *object.File
	notes  *reading.Notes
	pages  []page
	fonts  map[object.Ref]*font.Font
	layers map[object.Ref]bool
	stated int // number of pages that the document says it has
}

// page is a page with what it inherits from the tree of pages.
type page struct {
	dict      object.Dict
	resources object.Dict
	box       object.Array
	rotate    int
}

// open reads the tree of pages.
func open(data []byte, notes *reading.Notes) (*document, error) {
	f, err := object.Open(data, notes)
	switch {
	case errors.Is(err, object.ErrTooMuch):
		return nil, &Failure{Message: err.Error(), TooMuch: true}
	case err != nil:
		return nil, &Failure{Message: err.Error()}
	}
	d := &document{file: f, notes: notes, fonts: map[object.Ref]*font.Font{}, layers: map[object.Ref]bool{}}
	root := f.Dict(f.Trailer()["Root"])
	tree := f.Dict(root["Pages"])
	d.stated = object.Int(f.Resolve(tree["Count"]))
	if d.stated > limit.Pages {
		return nil, tooManyPages(d.stated)
	}
	d.walk(root["Pages"], page{}, map[object.Ref]bool{}, 0)
	if len(d.pages) > limit.Pages {
		return nil, tooManyPages(len(d.pages))
	}
	if len(d.pages) == 0 {
		return nil, &Failure{Message: "it has no page that can be found"}
	}
	if d.stated != len(d.pages) {
		notes.Repaired(0, "", "the document says that it has %d pages; %d were found", d.stated, len(d.pages))
	}
	d.readLayers(root)
	return d, nil
}

func tooManyPages(n int) error {
	return &Failure{Message: fmt.Sprintf("it says that it has %d pages; at most %d can be read", n, limit.Pages), TooMuch: true}
}

// maxTree is how deeply the tree of pages may be nested.
const maxTree = 64

// walk adds the pages below a node of the tree.
func (d *document) walk(o any, inherited page, seen map[object.Ref]bool, depth int) {
	if ref, is := o.(object.Ref); is {
		if seen[ref] {
			return
		}
		seen[ref] = true
	}
	n := d.file.Dict(o)
	if n == nil {
		d.notes.Dropped(0, fmt.Sprintf("page %d", len(d.pages)+1), "the page is missing in the file")
		return
	}
	if depth > maxTree || len(d.pages) > limit.Pages {
		return
	}
	inherited.dict = n
	if r := d.file.Dict(n["Resources"]); r != nil {
		inherited.resources = r
	}
	if b := d.file.Array(n["MediaBox"]); len(b) == 4 {
		inherited.box = b
	}
	if r := d.file.Resolve(n["Rotate"]); object.IsNumber(r) {
		inherited.rotate = object.Int(r)
	}
	kids := d.file.Array(n["Kids"])
	if kids == nil || d.file.Name(n["Type"]) == "Page" {
		if d.file.Name(n["Type"]) != "Pages" {
			d.pages = append(d.pages, inherited)
		}
		return
	}
	for _, kid := range kids {
		d.walk(kid, inherited, seen, depth+1)
	}
}

// readLayers finds the layers that are hidden when the document is opened.
func (d *document) readLayers(root object.Dict) {
	properties := d.file.Dict(root["OCProperties"])
	config := d.file.Dict(properties["D"])
	set := func(o any, hidden bool) {
		for _, g := range d.file.Array(o) {
			if ref, is := g.(object.Ref); is {
				d.layers[ref] = hidden
			}
		}
	}
	if d.file.Name(config["BaseState"]) == "OFF" {
		set(properties["OCGs"], true)
	}
	set(config["ON"], false)
	set(config["OFF"], true)
}

// title returns the title of the document, or nil.
func (d *document) title() *string {
	text, _ := d.file.Resolve(d.file.Dict(d.file.Trailer()["Info"])["Title"]).(object.String)
	if title := strings.TrimSpace(clean(object.Text(text))); title != "" {
		return &title
	}
	return nil
}

// text returns the text of a page, from 1. A page that is damaged is noted.
func (d *document) text(n int) (text string, err error) {
	item := fmt.Sprintf("page %d", n)
	defer func() {
		if what := recover(); what != nil {
			d.notes.Dropped(0, item, "the page cannot be read: %s", shown(fmt.Errorf("%v", what)))
		}
	}()
	p := &d.pages[n-1]
	w := &writer{file: d.file, fonts: d.fonts, layers: d.layers, state: state{stretch: 1}}
	w.page, w.ctm = p.view(d.file)
	w.line, w.at = identity(), identity()
	content := d.content(p, item)
	w.run(content, p.resources, 0)
	w.page.Break()
	for w.saved = nil; w.hidden+w.replaced > 0 && len(w.marks) > 0; {
		w.end()
	}
	w.saved, w.state = nil, state{stretch: 1}
	_, w.ctm = p.view(d.file)
	d.annotations(p, w)
	if w.full {
		return "", &Failure{Page: n, Message: fmt.Sprintf("it has more than %d bytes of text, or %d operators", limit.PagesText, maxSteps), TooMuch: true}
	}
	if w.damaged != nil {
		d.notes.Dropped(0, item, "a part of the page cannot be read: %s", w.damaged)
	}
	d.noteLetters(w, item, len(content) > 0)
	return strings.TrimSpace(clean(w.page.Text())), nil
}

// noteLetters notes a page that is a picture, and characters whose font does not tell what
// they are.
func (d *document) noteLetters(w *writer, item string, drawn bool) {
	switch {
	case w.letters == 0 && drawn:
		d.notes.Repaired(0, item, "the page has no text; it may be a scan, which needs text recognition (OCR)")
	case w.unknown*2 > w.letters:
		d.notes.Dropped(0, item, "the fonts do not say what %d of %d characters are; text recognition (OCR) may read them", w.unknown, w.letters)
	case w.unknown > 0:
		d.notes.Repaired(0, item, "the fonts do not say what %d of %d characters are; they are left out", w.unknown, w.letters)
	}
}

// maxContent is how large the content of a page may be.
const maxContent = 96 << 20

// content returns the content of a page, whose streams are one.
func (d *document) content(p *page, item string) (all []byte) {
	parts := object.Array{p.dict["Contents"]}
	if list := d.file.Array(p.dict["Contents"]); list != nil {
		parts = list
	}
	for _, part := range parts {
		if part == nil {
			continue
		}
		s, is := d.file.Resolve(part).(*object.Stream)
		if !is {
			if d.file.Resolve(part) != nil || len(parts) > 0 && part != nil {
				d.notes.Dropped(0, item, "a part of the content is missing in the file")
			}
			continue
		}
		data, err := d.file.Decode(s)
		if err != nil {
			d.notes.Dropped(0, item, "a part of the page cannot be read: %s", err)
		}
		if len(parts) == 1 {
			return data
		}
		if len(all)+len(data) > maxContent {
			d.notes.Dropped(0, item, "the content is larger than %d bytes", maxContent)
			return all
		}
		all = append(append(all, data...), '\n')
	}
	return all
}

// The size of a page that does not tell it, in points: US Letter.
const (
	letterWidth  = 612
	letterHeight = 792
)

// view returns an empty page, and the transformation to its coordinates.
func (p *page) view(f *object.File) (*layout.Page, matrix) {
	x1, y1, x2, y2 := 0.0, 0.0, float64(letterWidth), float64(letterHeight)
	if len(p.box) == 4 {
		var b [4]float64
		for i := range b {
			b[i] = object.Float(f.Resolve(p.box[i]))
		}
		if b[0] != b[2] && b[1] != b[3] {
			x1, y1, x2, y2 = min(b[0], b[2]), min(b[1], b[3]), max(b[0], b[2]), max(b[1], b[3])
		}
	}
	switch (p.rotate%360 + 360) % 360 {
	case 90:
		return layout.New(y2-y1, x2-x1), matrix{0, 1, 1, 0, -y1, -x1}
	case 180:
		return layout.New(x2-x1, y2-y1), matrix{-1, 0, 0, 1, x2, -y1}
	case 270:
		return layout.New(y2-y1, x2-x1), matrix{0, -1, -1, 0, y2, x2}
	}
	return layout.New(x2-x1, y2-y1), matrix{1, 0, 0, -1, -x1, y2}
}
