package inspector

import (
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/lang"

	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/ui/editor/doc"
	"github.com/svcflow/svc/ui/kit"
)

// groupPage shows a group.
type groupPage struct {
	annotation

	count *kit.Text
	apart *glyph
	whole *fyne.Container
}

func newGroupPage(d *desk) *groupPage {
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

// focus selects the name as well, so that typing replaces the one that was proposed.
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
	groups := p.desk.subject.doc.Groups()
	i := slices.IndexFunc(groups, func(g workflow.Group) bool { return g.ID == p.desk.subject.id })
	if i < 0 {
		return
	}
	p.count.SetText(count("{{.Count}} nodes", len(groups[i].NodeIDs)))
	p.set(groups[i].Label, groups[i].Color)
	enable(p.apart, !p.desk.readOnly())
}
