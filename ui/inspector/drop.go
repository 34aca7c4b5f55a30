package inspector

import (
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/lang"

	"github.com/svcflow/svc/engine/layout/cards"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/ui/complete"
	"github.com/svcflow/svc/ui/editor/doc"
)

// Taken is a part of an output of a node on the board's present level: the value at a path of
// field names and item indexes.
type Taken struct {
	Node, Port string
	Steps      []any
}

// Over highlights the field at a point of the window that accepts what is dragged, and
// reports whether one does.
func (i *Inspector) Over(at fyne.Position) bool {
	p, ok := i.page.(*nodePage)
	if !ok || i.board.ReadOnly {
		return false
	}
	f := p.fieldAt(at)
	for _, key := range p.order {
		p.fields[key].edge.light(p.fields[key] == f)
	}
	return f != nil
}

// Drop gives what was dragged to the field at a point of the window: by a wire, by a node
// that extracts the part, or, in a text that can refer to it, by its name. It reports whether
// there is such a field.
func (i *Inspector) Drop(what Taken, at fyne.Position) bool {
	p, ok := i.page.(*nodePage)
	if !ok {
		return false
	}
	i.Over(fyne.NewPos(-1, -1))
	f := p.fieldAt(at)
	if f == nil {
		return false
	}
	var err error
	switch s, isScript := f.control.(*script); {
	case i.board.ReadOnly:
		return false
	case what.Node == p.id:
		err = errors.New(lang.L("A node cannot take what it gives itself."))
	case isScript:
		err = s.drop(what)
	case f.port.Literal:
		err = errors.New(lang.L("“{{.Name}}” takes no wire: write its value.", map[string]any{"Name": f.port.Name}))
	default:
		p.editor.feed(f.port.Name, what)
	}
	if err != nil {
		i.cfg.Refused(err)
	}
	return true
}

// fieldAt returns the field at a point of the window; nil without one.
func (p *nodePage) fieldAt(at fyne.Position) *portField {
	driver := fyne.CurrentApp().Driver()
	view := p.editor.scroll
	if !within(at, driver.AbsolutePositionForObject(view), view.Size()) {
		return nil
	}
	for _, key := range p.order {
		whole := p.fields[key].whole
		if within(at, driver.AbsolutePositionForObject(whole), whole.Size()) {
			return p.fields[key]
		}
	}
	return nil
}

func within(at, corner fyne.Position, size fyne.Size) bool {
	return at.X >= corner.X && at.Y >= corner.Y && at.X < corner.X+size.Width && at.Y < corner.Y+size.Height
}

// feed wires what was taken to an input.
func (d *editor) feed(port string, what Taken) {
	to, from := cards.PortRef{Node: d.subject.id, Port: port}, what.end()
	if len(what.Steps) == 0 {
		d.seal()
		d.do(func(doc *doc.Document) error { return doc.Connect(from, to) })
		return
	}
	text, _ := complete.Path(node.LanguageJQ, ".", what.Steps)
	d.seal()
	d.do(func(doc *doc.Document) error {
		_, err := doc.Derive(to, from, text)
		return err
	})
}

func (t Taken) end() cards.PortRef { return cards.PortRef{Node: t.Node, Port: t.Port, Output: true} }

// drop inserts the name of what was taken at the cursor, and wires it if the text has no such
// input yet.
func (s *script) drop(what Taken) error {
	if s.port.Script.Language == node.LanguageTemplate {
		return s.dropName(what)
	}
	for _, name := range slices.Sorted(maps.Keys(s.port.Script.Names)) {
		if of, isItem := s.about(name); of != "" && s.comes(of, what) {
			if text, ok := s.spoken(name, isItem, what.Steps); ok {
				s.write(text)
				return nil
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.port.Script.Names)) {
		of, isItem := s.about(name)
		text, ok := s.spoken(name, isItem, what.Steps)
		if of == "" || !s.free(of) || !ok && !isItem || s.wire(of, what) != nil {
			continue
		}
		if ok { // otherwise the text now works on its items
			s.write(text)
		}
		return nil
	}
	return errors.New(lang.L("The text cannot speak of that: wire it to another input first."))
}

// about returns the input that a name in the text refers to; isItem means that it refers to
// an item of that input.
func (s *script) about(name string) (input string, isItem bool) {
	return strings.CutSuffix(s.port.Script.Names[name], "[]")
}

// spoken returns the path from a name to a part of a value. The name of a list refers to its
// items.
func (s *script) spoken(name string, isItem bool, steps []any) (text string, ok bool) {
	if isItem {
		if len(steps) == 0 {
			return "", false
		}
		if _, number := steps[0].(int); !number {
			return "", false
		}
		steps = steps[1:]
	}
	return complete.Path(s.port.Script.Language, name, steps)
}

// comes reports whether what was taken is wired to an input.
func (s *script) comes(input string, what Taken) bool {
	for _, w := range s.editor.subject.doc.Connections() {
		if w.ToNodeID == s.editor.subject.id && w.ToPort == input && w.FromNodeID == what.Node && w.FromPort == what.Port {
			return true
		}
	}
	return false
}

// free reports whether an input has neither a wire nor a value.
func (s *script) free(input string) bool {
	for _, w := range s.editor.subject.doc.Connections() {
		if w.ToNodeID == s.editor.subject.id && w.ToPort == input {
			return false
		}
	}
	n, ok := s.editor.subject.doc.Node(s.editor.subject.id)
	if !ok {
		return false
	}
	_, given := n.Config[input]
	return !given
}

func (s *script) wire(input string, what Taken) error {
	s.editor.seal()
	return s.editor.edit(func(d *doc.Document) error {
		return d.Connect(what.end(), cards.PortRef{Node: s.editor.subject.id, Port: input})
	})
}

// dropName writes a placeholder of a template, which is also an input.
func (s *script) dropName(what Taken) error {
	name := ""
	for _, w := range s.editor.subject.doc.Connections() {
		if s.comes(w.ToPort, what) && !strings.HasPrefix(w.ToPort, "$") {
			name = w.ToPort
		}
	}
	path, whole := complete.Path(node.LanguageTemplate, name, what.Steps)
	if name != "" && whole {
		s.write("{" + path + "}")
		return nil
	}
	name = s.unusedName(what)
	path, whole = complete.Path(node.LanguageTemplate, name, what.Steps)
	if !whole {
		s.write("{" + name + "}")
		s.editor.feed(name, what)
		return nil
	}
	s.write("{" + path + "}")
	return s.wire(name, what)
}

// unusedName returns a name for what was taken that no input has.
func (s *script) unusedName(what Taken) string {
	base := what.Node
	for _, step := range what.Steps {
		if name, ok := step.(string); ok {
			base = name
		}
	}
	base = strings.Map(func(r rune) rune {
		if r == '_' || r >= '0' && r <= '9' || r|0x20 >= 'a' && r|0x20 <= 'z' {
			return r
		}
		return '_'
	}, base)
	if base == "" || base[0] >= '0' && base[0] <= '9' {
		base = "v" + base
	}
	inputs, _, _ := s.editor.subject.doc.Ports(s.editor.subject.id)
	name := base
	for i := 2; slices.ContainsFunc(inputs, func(p node.Port) bool { return p.Name == name }); i++ {
		name = base + strconv.Itoa(i)
	}
	return name
}

// write inserts a text at the cursor.
func (s *script) write(text string) {
	s.editor.seal()
	core := s.box.core()
	core.OnChanged = nil
	for _, r := range text {
		core.TypedRune(r)
	}
	core.OnChanged = s.again
	s.writer.typed(core.Text)
	s.offer(0, nil)
	s.evaluate()
	s.editor.seal()
}
