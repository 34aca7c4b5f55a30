package inspector

import (
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/lang"

	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/ui/editor/doc"
	"github.com/svcflow/svc/ui/kit"
)

// textSyntax is the syntax of plain texts; the empty text is a value.
func textSyntax() syntax {
	return syntax{read: func(text string) (any, bool, error) { return text, true, nil }, write: plain}
}

// textField returns a field for a text of the document.
func textField(d *editor, name string, rows int, put func(doc *doc.Document, text string) error) *field {
	store := func(v any, _ bool) error {
		text, _ := v.(string)
		return d.edit(func(doc *doc.Document) error { return put(doc, text) })
	}
	return newField(d, heading{name: name, ink: kit.Dim}, store, func(out outlet) control {
		return newWriter(newEntry(d, rows, false), textSyntax(), out)
	})
}

// titleOfPage returns the title of a page without an icon.
func titleOfPage(text string) *kit.Text {
	return kit.NewText(text, kit.Style{Size: kit.Title, Bold: true, Cut: true})
}

// focusField focuses a field.
func (d *editor) focusField(f *field) bool {
	if f.control.target() == nil {
		return false
	}
	d.focusOn(f.control.target())
	return true
}

// annotation has the fields of notes and groups: a text and a colour.
type annotation struct {
	editor *editor
	text   *field
	colors *swatches
}

// newAnnotation returns the fields of a note or group. The text has that name and number of
// rows.
func newAnnotation(d *editor, name string, rows int, setText, setColor func(doc *doc.Document, id, to string) error) annotation {
	id := d.subject.id
	return annotation{
		editor: d,
		text:   textField(d, name, rows, func(doc *doc.Document, text string) error { return setText(doc, id, text) }),
		colors: newSwatches(func(c string) {
			d.do(func(doc *doc.Document) error { return setColor(doc, id, c) })
		}),
	}
}

func (a *annotation) focus(string) bool { return a.editor.focusField(a.text) }

func (a *annotation) set(text, color string) {
	a.text.set(text, true, a.editor.readOnly())
	a.colors.set(color, a.editor.readOnly())
}

// notePage shows a note.
type notePage struct {
	annotation

	whole *fyne.Container
}

func newNotePage(d *editor) *notePage {
	p := &notePage{annotation: newAnnotation(d, lang.L("Text"), 6, (*doc.Document).SetNoteText, (*doc.Document).SetNoteColor)}
	p.whole = newPageColumn(titleOfPage(lang.L("Note")), p.text.whole, p.colors.whole)
	return p
}

func (p *notePage) object() *fyne.Container { return p.whole }

func (p *notePage) update() {
	notes := p.editor.subject.doc.Notes()
	i := slices.IndexFunc(notes, func(n workflow.Note) bool { return n.ID == p.editor.subject.id })
	if i >= 0 {
		p.set(notes[i].Text, notes[i].Color)
	}
}

// groupPage shows a group.
type groupPage struct {
	annotation

	count *kit.Text
	apart *glyph
	whole *fyne.Container
}

func newGroupPage(d *editor) *groupPage {
	id := d.subject.id
	p := &groupPage{
		annotation: newAnnotation(d, lang.L("Label"), 1, (*doc.Document).SetGroupLabel, (*doc.Document).SetGroupColor),
		count:      kit.NewText("", kit.Style{Size: kit.Secondary, Ink: kit.Dim, Cut: true}),
	}
	p.apart = newLink(lang.L("Ungroup"), func() {
		d.do(func(doc *doc.Document) error { return doc.Ungroup(id) })
	})
	title := kit.Column(2, titleOfPage(lang.L("Group")), p.count)
	p.whole = newPageColumn(title, p.text.whole, p.colors.whole, kit.Row(0, p.apart))
	return p
}

func (p *groupPage) object() *fyne.Container { return p.whole }

// focus selects the name, too, so that typing replaces the default one.
func (p *groupPage) focus(port string) bool {
	if !p.annotation.focus(port) {
		return false
	}
	if name, ok := p.text.control.target().(fyne.Shortcutable); ok {
		name.TypedShortcut(&fyne.ShortcutSelectAll{})
	}
	return true
}

func (p *groupPage) update() {
	groups := p.editor.subject.doc.Groups()
	i := slices.IndexFunc(groups, func(g workflow.Group) bool { return g.ID == p.editor.subject.id })
	if i < 0 {
		return
	}
	p.count.SetText(count("{{.Count}} nodes", len(groups[i].NodeIDs)))
	p.set(groups[i].Label, groups[i].Color)
	enable(p.apart, !p.editor.readOnly())
}
