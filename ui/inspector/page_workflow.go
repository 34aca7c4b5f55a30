package inspector

import (
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/lang"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/ui/editor/doc"
	"github.com/svcflow/svc/ui/kit"
)

// workflowPage shows the workflow, or the entered body, while nothing is selected.
type workflowPage struct {
	editor            *editor
	name, description *field // nil in a body
	counts            *kit.Text
	ports             *fyne.Container
	shown             string // a key of everything that decides the ports
	whole             *fyne.Container
}

func newWorkflowPage(d *editor) *workflowPage {
	p := &workflowPage{
		editor: d, ports: kit.Column(12),
		counts: kit.NewText("", kit.Style{Size: kit.Secondary, Ink: kit.Dim, Cut: true}),
	}
	if path := d.subject.doc.Path(); len(path) > 0 {
		title := titleOfPage(lang.L("Body of {{.Name}}", map[string]any{"Name": path[len(path)-1]}))
		p.whole = newPageColumn(kit.Column(2, title, p.counts), p.ports)
		return p
	}
	p.name = textField(d, lang.L("Name"), 1, func(doc *doc.Document, text string) error { return doc.SetName(text) })
	p.description = textField(d, lang.X("label.description", "Description"), 4, func(doc *doc.Document, text string) error { return doc.SetDescription(text) })
	title := kit.Column(2, titleOfPage(lang.L("Workflow")), p.counts)
	p.whole = newPageColumn(title, p.name.whole, p.description.whole, p.ports)
	return p
}

func (p *workflowPage) object() *fyne.Container { return p.whole }

func (p *workflowPage) focus(string) bool { return p.name != nil && p.editor.focusField(p.name) }

func (p *workflowPage) update() {
	doc := p.editor.subject.doc
	p.counts.SetText(count("{{.Count}} nodes", len(doc.Nodes())) + ", " + count("{{.Count}} wires", len(doc.Connections())))
	if p.name != nil {
		def := doc.Definition()
		p.name.set(def.Name, true, p.editor.readOnly())
		p.description.set(def.Description, true, p.editor.readOnly())
	}
	p.showPorts()
}

// showPorts lists the inputs and outputs of the level.
func (p *workflowPage) showPorts() {
	inputs, outputs := p.boundary(node.RoleInput), p.boundary(node.RoleOutput)
	var key strings.Builder
	for _, b := range append(inputs, outputs...) {
		key.WriteString(b.id + "\x00" + b.port.Name + "\x00" + b.port.Type.String() + "\x00" + b.port.Description + "\n")
	}
	if p.shown == key.String() && p.ports.Objects != nil {
		return
	}
	p.shown = key.String()
	p.ports.Objects = nil
	p.list(lang.L("Inputs"), inputs)
	p.list(lang.L("Outputs"), outputs)
	p.editor.resized()
}

func (p *workflowPage) list(title string, all []boundary) {
	if len(all) == 0 {
		return
	}
	lines := kit.Column(8, kit.NewText(title, kit.Style{Size: kit.Secondary, Bold: true, Ink: kit.Dim}))
	for _, b := range all {
		lines.Add(portLine(&b.port, func() { p.editor.show(b.id) }))
	}
	p.ports.Add(lines)
}

// boundary is a node that is an input or output of the level.
type boundary struct {
	id   string
	port node.Port
}

// boundary returns the nodes of a role, in document order.
func (p *workflowPage) boundary(role node.Role) (all []boundary) {
	doc := p.editor.subject.doc
	for _, n := range doc.Nodes() {
		if spec, ok := doc.Specs().Lookup(n.Type); !ok || spec.Role != role {
			continue
		}
		b := boundary{id: n.ID, port: node.Port{Name: p.editor.titleOf(n.ID)}}
		if name, _ := n.Config["name"].(string); name != "" {
			b.port.Name = name
		}
		b.port.Description, _ = n.Config["description"].(string)
		if text, _ := n.Config["type"].(string); text != "" {
			if t, err := value.ParseType(text); err == nil {
				b.port.Type = t
			}
		}
		all = append(all, b)
	}
	return all
}
