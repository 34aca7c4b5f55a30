package inspector

import (
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/lang"

	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/ui/editor"
	"github.com/svcflow/svc/ui/kit"
)

// textSyntax is for texts that are just that, the empty one included.
func textSyntax() syntax {
	return syntax{read: func(text string) (any, bool, error) { return text, true, nil }, write: plain}
}

// textField returns a field for a text of the document.
func textField(d *desk, name string, rows int, put func(doc *editor.Document, text string) error) *field {
	store := func(v any, _ bool) error {
		text, _ := v.(string)
		return d.edit(func(doc *editor.Document) error { return put(doc, text) })
	}
	return newField(d, heading{name: name, ink: kit.Dim}, store, func(out outlet) control {
		return newWriter(newEntry(d, rows, false), textSyntax(), out)
	})
}

// titleOfPage is the first line of a page that has no icon.
func titleOfPage(text string) *kit.Text {
	return kit.NewText(text, kit.Style{Size: kit.Title, Bold: true, Cut: true})
}

// focusField goes to a field.
func (d *desk) focusField(f *field) bool {
	if f.control.target() == nil {
		return false
	}
	d.focusOn(f.control.target())
	return true
}

// notePage shows a note.
type notePage struct {
	desk   *desk
	text   *field
	colors *swatches
	whole  *fyne.Container
}

func newNotePage(d *desk) *notePage {
	id := d.subject.id
	p := &notePage{desk: d}
	p.text = textField(d, lang.L("Text"), 6, func(doc *editor.Document, text string) error { return doc.SetNoteText(id, text) })
	p.colors = newSwatches(func(c string) {
		d.do(func(doc *editor.Document) error { return doc.SetNoteColor(id, c) })
	})
	p.whole = newPageColumn(titleOfPage(lang.L("Note")), p.text.whole, p.colors.whole)
	return p
}

func (p *notePage) object() *fyne.Container { return p.whole }
func (p *notePage) focus(string) bool       { return p.desk.focusField(p.text) }

func (p *notePage) update() {
	notes := p.desk.subject.doc.Notes()
	i := slices.IndexFunc(notes, func(n workflow.Note) bool { return n.ID == p.desk.subject.id })
	if i < 0 {
		return
	}
	p.text.set(notes[i].Text, true, p.desk.readOnly())
	p.colors.set(notes[i].Color, p.desk.readOnly())
}
