package inspector

import (
	"slices"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/lang"

	"github.com/svcflow/svc/ui/editor/doc"
	"github.com/svcflow/svc/ui/kit"
)

// manyPage is shown while several parts are selected. It has the actions for all of them.
type manyPage struct {
	editor   *editor
	count    *kit.Text
	disabled *kit.Check
	group    *glyph
	whole    *fyne.Container
}

func newManyPage(d *editor) *manyPage {
	p := &manyPage{editor: d, count: titleOfPage("")}
	p.disabled = kit.NewCheck(lang.L("Disabled: skip these nodes"), p.disable)
	p.group = newLink(lang.L("Group"), func() {
		if err := d.subject.board.Group(lang.L("Group")); err != nil {
			d.cfg.Refused(err)
			return
		}
		d.cfg.Changed()
		d.Update(d.board)
	})
	p.whole = newPageColumn(p.count, flush(p.disabled), kit.Row(0, p.group))
	return p
}

func (p *manyPage) object() *fyne.Container { return p.whole }
func (p *manyPage) focus(string) bool       { return false }

func (p *manyPage) update() {
	set := existing(p.editor.subject.doc, p.editor.subject.board.Selection.Set())
	var parts []string
	for _, c := range []struct {
		text  string
		count int
	}{
		{"{{.Count}} nodes", len(set.Nodes)},
		{"{{.Count}} notes", len(set.Notes)},
		{"{{.Count}} groups", len(set.Groups)},
		{"{{.Count}} wires", len(set.Wires)},
	} {
		if c.count > 0 {
			parts = append(parts, count(c.text, c.count))
		}
	}
	p.count.SetText(strings.Join(parts, ", "))
	setCheck(p.disabled, p.allDisabled(set.Nodes), p.editor.readOnly())
	p.disabled.Hidden = len(set.Nodes) == 0
	if p.group.Hidden != (len(set.Nodes) < 2) {
		p.group.Hidden = len(set.Nodes) < 2
		p.editor.resized()
	}
	enable(p.group, !p.editor.readOnly())
}

// count returns a text with a number. Translations have a form of it for one.
func count(text string, n int) string {
	return lang.N(text, n, map[string]any{"Count": n})
}

func (p *manyPage) disable(disabled bool) {
	p.editor.do(func(doc *doc.Document) error {
		return doc.SetDisabled(disabled, p.editor.subject.board.Selection.Set().Nodes...)
	})
}

func (p *manyPage) allDisabled(ids []string) bool {
	return !slices.ContainsFunc(ids, func(id string) bool {
		n, ok := p.editor.subject.doc.Node(id)
		return ok && !n.Disabled
	})
}
