package inspector

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/widget"

	"github.com/svcflow/svc/engine"
	enginefold "github.com/svcflow/svc/engine/fold"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/ui/editor/doc"
	"github.com/svcflow/svc/ui/kit"
	"github.com/svcflow/svc/ui/wording"
)

// nodePage shows one node.
type nodePage struct {
	editor *editor
	id     string

	head     *nodeHead
	problems caption // of the node as a whole
	about    *about
	inputs   *fyne.Container
	fields   map[string]*portField // by a key of everything that decides how they look
	order    []string
	body     *kit.Button // nil if the node is not a container
	settings *settings
	outputs  *outputList
	last     *lastOutputs
	whole    *fyne.Container
}

// portField is the field of an input.
type portField struct {
	*field

	port node.Port
	// wires are the wires into the input; its value counts only without any.
	wires []workflow.Connection
}

func newNodePage(d *editor) *nodePage {
	p := &nodePage{editor: d, id: d.subject.id, fields: map[string]*portField{}, inputs: kit.Column(12)}
	p.problems = newCaption()
	n, _ := p.node()
	spec, _ := d.subject.doc.Specs().Lookup(n.Type)
	p.head, p.about = newNodeHead(d, p.id, spec), newAbout(d, spec)
	p.settings = newSettings(d, p.id, spec)
	p.outputs, p.last = newOutputList(), newLastOutputs()
	parts := []fyne.CanvasObject{p.head.whole, p.problems.text, p.about.whole}
	if n.Body != nil || spec != nil && spec.Container {
		p.body = kit.NewButton(lang.L("Open body"), p.enter)
		parts = append(parts, kit.Inset(p.body))
		p.body.Importance = widget.LowImportance
	}
	parts = append(
		parts, p.inputs,
		newFold(d, "advanced", lang.L("Advanced"), p.settings.whole).whole,
		newFold(d, "outputs", lang.L("Outputs"), p.outputs.whole).whole,
		p.last.whole,
	)
	p.whole = newPageColumn(parts...)
	return p
}

// newPageColumn returns a column for the parts of a page.
func newPageColumn(parts ...fyne.CanvasObject) *fyne.Container {
	return kit.Column(0, kit.Pad(16, 20, kit.Column(12, parts...)))
}

func (p *nodePage) object() *fyne.Container { return p.whole }

func (p *nodePage) node() (*workflow.Node, bool) { return p.editor.subject.doc.Node(p.id) }

func (p *nodePage) enter() {
	if p.editor.cfg.Enter != nil {
		p.editor.cfg.Enter(p.id)
	}
}

func (p *nodePage) update() {
	d := p.editor.subject.doc
	n, ok := p.node()
	inputs, outputs, err := d.Ports(p.id)
	if !ok || err != nil {
		return
	}
	p.head.update(n)
	p.arrange(inputs)
	p.showProblems()
	for _, key := range p.order {
		f := p.fields[key]
		v, given := n.Config[f.port.Name]
		f.set(v, given && len(f.wires) == 0, p.editor.readOnly())
	}
	p.settings.update(n)
	if p.outputs.set(outputs) {
		p.editor.resized()
	}
}

// arrange makes the fields for the inputs, in order. It reuses unchanged fields: the user may
// be typing into one, and the text may create inputs.
func (p *nodePage) arrange(inputs []node.Port) {
	n, _ := p.node()
	into := map[string][]workflow.Connection{}
	for _, w := range p.editor.subject.doc.Connections() {
		if w.ToNodeID == p.id {
			into[w.ToPort] = append(into[w.ToPort], w)
		}
	}
	order := make([]string, 0, len(inputs))
	kept := make(map[string]*portField, len(inputs))
	for _, port := range inputs {
		wires := into[port.Name]
		large := len(wires) == 0 && tooLarge(n.Config[port.Name])
		key := p.keyOf(&port, wires, large)
		f, ok := p.fields[key]
		if !ok {
			f = p.newPortField(port, wires, large)
		}
		order, kept[key] = append(order, key), f
	}
	if slices.Equal(order, p.order) {
		return
	}
	for key, f := range p.fields {
		if kept[key] == nil {
			p.editor.unfocus(f.whole)
		}
	}
	p.order, p.fields = order, kept
	p.inputs.Objects = nil
	for _, key := range order {
		p.inputs.Objects = append(p.inputs.Objects, kept[key].whole)
	}
	p.editor.resized()
}

// keyOf returns a key of everything that decides how the field of an input looks.
func (p *nodePage) keyOf(port *node.Port, wires []workflow.Connection, large bool) string {
	var key strings.Builder
	fmt.Fprintf(&key, "%q %s %s %v %v %v %v", port.Name, port.Type, port.Widget, port.Optional, port.Default, port.Literal, large)
	for _, w := range wires {
		fmt.Fprintf(&key, " %q.%q=%q", w.FromNodeID, w.FromPort, p.editor.titleOf(w.FromNodeID))
	}
	return key.String()
}

func (p *nodePage) newPortField(port node.Port, wires []workflow.Connection, large bool) *portField {
	name := port.Name
	if port.Required() {
		name += " *"
	}
	h := typeHeading(name, port.Type, withoutTicks(port.Description))
	h.reset = func() { p.reset(port.Name) }
	f := &portField{port: port, wires: wires}
	put := func(v any, given bool) error { return p.put(port.Name, v, given) }
	f.field = newField(p.editor, h, put, func(out outlet) control {
		switch {
		case len(wires) > 0:
			return newFeed(p.editor, wires)
		case large:
			return newSealed()
		}
		return controlOf(p.editor, &f.port, out)
	})
	return f
}

// put stores the value of an input, or removes it.
func (p *nodePage) put(port string, v any, given bool) error {
	return p.editor.edit(func(d *doc.Document) error {
		if !given {
			return d.ClearConfig(p.id, port)
		}
		return d.SetConfig(p.id, port, v)
	})
}

// reset removes the value of an input, as one step.
func (p *nodePage) reset(port string) {
	p.editor.seal()
	p.editor.do(func(d *doc.Document) error { return d.ClearConfig(p.id, port) })
	p.editor.seal()
}

// showProblems shows each problem below its field.
func (p *nodePage) showProblems() {
	found, at := map[string][]string{}, map[string]int{}
	b := p.editor.subject.board
	for _, e := range b.Problems().Of(b.Document().Path(), p.id) {
		port := e.Port
		if !slices.ContainsFunc(p.order, func(key string) bool { return p.fields[key].port.Name == port }) {
			port = ""
		}
		found[port] = append(found[port], textOf(e, p.literal(port)))
		at[port] = cmp.Or(at[port], e.At)
	}
	doubts := p.doubts()
	for _, key := range p.order {
		f := p.fields[key]
		f.setProblem(strings.Join(found[f.port.Name], "\n"))
		if s, ok := f.control.(*script); ok && s.mark.set(s.box.core().Text, at[f.port.Name]) {
			p.editor.resized()
		}
		f.setDoubt(strings.Join(doubts[f.port.Name], "\n"))
	}
	text, ink := strings.Join(found[""], "\n"), kit.Error
	if text == "" {
		text, ink = strings.Join(doubts[""], "\n"), kit.Dim
	}
	if p.problems.set(text, ink) {
		p.editor.resized()
	}
}

// doubts returns the hints about the node, by input; "" is the node as a whole.
func (p *nodePage) doubts() map[string][]string {
	found := map[string][]string{}
	b := p.editor.subject.board
	path := enginefold.Join(b.Document().Path(), p.id)
	for _, h := range b.Hints() {
		if h.NodeID != path {
			continue
		}
		port := h.Port
		if !slices.ContainsFunc(p.order, func(key string) bool { return p.fields[key].port.Name == port }) {
			port = ""
		}
		found[port] = append(found[port], wording.Of(h.Message))
	}
	return found
}

func (p *nodePage) literal(port string) bool {
	return slices.ContainsFunc(p.order, func(key string) bool { return p.fields[key].port.Name == port && p.fields[key].port.Literal })
}

// textOf returns what is wrong and what to do about it.
func textOf(e *engine.ValidationError, literal bool) string {
	switch {
	case e.Code == engine.CodeMissingRequiredInput && literal, e.Code == engine.CodeInvalidConfig && e.Message == node.ErrNotGiven.Error():
		return lang.L("Required: type a value")
	case e.Code == engine.CodeMissingRequiredInput && e.Port != "":
		return lang.L("Required: connect a wire or type a value")
	case e.Hint != "":
		return wording.Of(e.Message) + "\n" + wording.Of(e.Hint)
	}
	return wording.Of(e.Message)
}

func (p *nodePage) focus(port string) bool {
	for _, key := range p.order {
		f := p.fields[key]
		if w := f.control.target(); w != nil && (port == "" || f.port.Name == port) {
			p.editor.focusOn(w)
			return true
		}
		if f.port.Name == port {
			p.editor.reveal(f.whole)
			return true
		}
	}
	return false
}

func (p *nodePage) showOutputs() {
	if p.last.set(p.editor.cfg.Outputs(p.id)) {
		p.editor.resized()
	}
	for _, key := range p.order {
		if s, ok := p.fields[key].control.(*script); ok {
			s.came(p.editor.cfg.Inputs(p.id))
		}
	}
}

// titleOf returns the title of a node of the level.
func (d *editor) titleOf(id string) string {
	if card, ok := d.subject.doc.Card(id); ok {
		return card.Title()
	}
	return id
}
