package inspector

import (
	"slices"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/lang"
	fynetheme "fyne.io/fyne/v2/theme"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/ui/colors"
	"github.com/svcflow/svc/ui/editor/doc"
	"github.com/svcflow/svc/ui/kit"
)

// wirePage shows a wire.
type wirePage struct {
	editor   *editor
	ends     *fyne.Container
	problems caption
	through  *through
	cut      *glyph
	shown    [4]string // titles of the nodes and types of the ports
	whole    *fyne.Container
}

func newWirePage(d *editor) *wirePage {
	p := &wirePage{editor: d, ends: kit.Column(12), problems: newCaption(), through: newThrough(d)}
	p.cut = newLink(lang.L("Disconnect"), func() {
		d.do(func(doc *doc.Document) error { return doc.Disconnect(d.subject.wire) })
	})
	p.whole = newPageColumn(titleOfPage(lang.L("Wire")), p.problems.text, p.ends, kit.Row(0, p.cut), p.through.whole)
	return p
}

func (p *wirePage) object() *fyne.Container { return p.whole }
func (p *wirePage) focus(string) bool       { return false }

func (p *wirePage) showOutputs() {
	if w := p.editor.subject.wire; p.through.set(w.FromNodeID, w.FromPort) {
		p.editor.resized()
	}
}

func (p *wirePage) update() {
	w := p.editor.subject.wire
	_, outputs, _ := p.editor.subject.doc.Ports(w.FromNodeID) // none if the node is not there
	inputs, _, _ := p.editor.subject.doc.Ports(w.ToNodeID)
	from, to := typeOf(outputs, w.FromPort), typeOf(inputs, w.ToPort)
	now := [4]string{p.editor.titleOf(w.FromNodeID), p.editor.titleOf(w.ToNodeID), from.String(), to.String()}
	if now != p.shown {
		p.shown = now
		p.ends.Objects = []fyne.CanvasObject{
			p.end(lang.L("From"), w.FromNodeID, w.FromPort, from), p.end(lang.L("To"), w.ToNodeID, w.ToPort, to),
		}
		p.editor.resized()
	}
	if p.problems.set(p.wrong(), kit.Error) {
		p.editor.resized()
	}
	enable(p.cut, !p.editor.readOnly())
}

// end shows one end of the wire, and its node on a click.
func (p *wirePage) end(title, id, port string, t value.Type) fyne.CanvasObject {
	name := kit.NewText(p.editor.titleOf(id)+"."+port, kit.Style{Cut: true})
	find := newGlyph(fynetheme.IconNameSearch, lang.L("Show the node"), func() { p.editor.show(id) })
	head := container.NewBorder(nil, nil, nil, kit.NewText(brief(t), kit.Style{Size: kit.Caption, Mono: true, Ink: colors.OfType(t)}),
		kit.NewText(title, kit.Style{Size: kit.Secondary, Bold: true}))
	return kit.Column(4, head, kit.Inset(kit.Pad(7, 10, container.NewBorder(nil, nil, nil, kit.Middle(find), name))))
}

// wrong returns the problem of the wire. Problems number the wires of their own level.
func (p *wirePage) wrong() string {
	doc := p.editor.subject.doc
	at := slices.Index(doc.Connections(), p.editor.subject.wire)
	path := strings.Join(doc.Path(), "/")
	var texts []string
	for _, e := range p.editor.subject.board.Problems().All() {
		if e.Connection == nil || *e.Connection != at {
			continue
		}
		level := ""
		if i := strings.LastIndexByte(e.NodeID, '/'); i >= 0 {
			level = e.NodeID[:i]
		}
		if level == path {
			texts = append(texts, textOf(e, false))
		}
	}
	return strings.Join(texts, "\n")
}

func typeOf(ports []node.Port, name string) value.Type {
	if i := slices.IndexFunc(ports, func(p node.Port) bool { return p.Name == name }); i >= 0 {
		return ports[i].Type
	}
	return value.Any()
}
