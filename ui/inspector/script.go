package inspector

import (
	"strings"
	"unicode/utf8"

	"fyne.io/fyne/v2"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/ui/complete"
	"github.com/svcflow/svc/ui/kit"
)

// Outcome is the result of a text of a node for values of a run.
type Outcome struct {
	Outputs map[string]any
	// Valid is false if the text is invalid; the problems of the document say why.
	Valid bool
	// Failure is why there is no result for these values.
	Failure string
}

// script is a control for a text in one of the languages of nodes. It proposes names while
// the user types, and previews the result for the inputs of the run that is shown and an item
// that the user can choose.
type script struct {
	*writer

	editor  *editor
	port    *node.Port
	offers  *offers
	mark    *pointer
	result  caption
	chooser *itemChooser
	column  *fyne.Container

	inputs map[string]any // the inputs of the run; nil if unknown
	asked  bool
}

func scriptControl(d *editor, p *node.Port, out outlet) control {
	box := newEntry(d, rowsOf(p), p.Script.Language != node.LanguageTemplate)
	s := &script{editor: d, port: p, result: newCaption(), mark: newPointer()}
	s.writer = writerOf(box, p, out)
	s.again = s.typed
	box.OnChanged = s.typed
	box.keys, box.tab = s.key, func() bool { return s.offers.shown() }
	box.asked = s.begin
	s.offers = newOffers(s.take)
	s.chooser = newItemChooser(s.evaluate)
	s.column = kit.Column(4, s.offers.whole, s.mark.whole, s.result.text, s.chooser.whole)
	return s
}

// below implements [newField]'s hook for the object below a control.
func (s *script) below() fyne.CanvasObject { return s.column }

// typed stores the typed text, and proposes completions.
func (s *script) typed(text string) {
	s.writer.typed(text)
	s.propose()
	s.evaluate()
}

func (s *script) set(v any, given bool) {
	same := s.ready && s.given == given && s.had == v
	s.writer.set(v, given)
	if !same {
		s.evaluate()
	}
}

// propose shows completions at the cursor.
func (s *script) propose() {
	const most = 4 << 10 // bytes: longer texts get no completions
	text := s.box.core().Text
	at := byteOf(text, s.box.core().CursorTextOffset())
	if len(text) > most {
		s.offer(at, nil)
		return
	}
	from, found := s.scope().At(text, at)
	s.offer(from, found)
}

// begin proposes completions for an empty text.
func (s *script) begin() {
	if s.propose(); !s.offers.shown() && s.port.Script.Language != node.LanguageTemplate {
		s.offer(byteOf(s.box.core().Text, s.box.core().CursorTextOffset()), s.scope().Begin())
	}
}

func (s *script) offer(from int, found []complete.Proposal) {
	if s.offers.set(from, found) {
		s.editor.resized()
	}
}

// key moves in the proposals, or accepts one.
func (s *script) key(key *fyne.KeyEvent) bool {
	if !s.offers.shown() {
		return false
	}
	switch key.Name {
	case fyne.KeyDown:
		s.offers.move(1)
	case fyne.KeyUp:
		s.offers.move(-1)
	case fyne.KeyReturn, fyne.KeyEnter, fyne.KeyTab:
		s.take(s.offers.chosen)
	case fyne.KeyEscape:
		s.offer(0, nil)
	default:
		return false
	}
	return true
}

// take replaces the word before the caret by a proposal.
func (s *script) take(chosen int) {
	core := s.box.core()
	if chosen >= len(s.offers.all) {
		return
	}
	text, caret := core.Text, byteOf(core.Text, core.CursorTextOffset())
	made := s.offers.all[chosen].Text
	if from := s.offers.from; from <= caret {
		core.OnChanged = nil
		for range utf8.RuneCountInString(text[from:caret]) {
			core.TypedKey(&fyne.KeyEvent{Name: fyne.KeyBackspace})
		}
		for _, r := range made {
			core.TypedRune(r)
		}
		core.OnChanged = s.again
	}
	s.editor.focusOn(s.box)
	s.typed(core.Text)
}

// byteOf converts the index of a character to that of a byte.
func byteOf(text string, character int) int {
	for i := range text {
		if character == 0 {
			return i
		}
		character--
	}
	return len(text)
}

// scope returns the names that the text can refer to.
func (s *script) scope() complete.Scope {
	scope := complete.Scope{Language: s.port.Script.Language, Names: map[string]complete.Known{}}
	if len(s.port.Script.Names) > 0 {
		for name, input := range s.port.Script.Names {
			of, isItem := strings.CutSuffix(input, "[]")
			known := s.known(of)
			if isItem {
				known = known.Item()
			}
			scope.Names[name] = known
		}
		return scope
	}
	inputs, _, _ := s.editor.subject.doc.Ports(s.editor.subject.id)
	for i := range inputs {
		if p := &inputs[i]; !p.Literal && !strings.HasPrefix(p.Name, "$") {
			scope.Names[p.Name] = s.known(p.Name)
		}
	}
	return scope
}

// known returns what is known of an input: its value in the run, and the type of its source.
func (s *script) known(input string) complete.Known {
	if input == "" {
		return complete.Known{}
	}
	t := s.editor.typeInto(input)
	if v, ok := s.inputs[input]; ok {
		return complete.FromValue(t, v)
	}
	if n, ok := s.editor.subject.doc.Node(s.editor.subject.id); ok {
		if v, given := n.Config[input]; given {
			return complete.FromValue(t, v)
		}
	}
	return complete.FromType(t)
}

// typeInto returns the type of an input's source, else of the input.
func (d *editor) typeInto(input string) value.Type {
	doc := d.subject.doc
	for _, w := range doc.Connections() {
		if w.ToNodeID == d.subject.id && w.ToPort == input {
			if _, outputs, err := doc.Ports(w.FromNodeID); err == nil {
				return typeOf(outputs, w.FromPort)
			}
		}
	}
	inputs, _, _ := doc.Ports(d.subject.id)
	return typeOf(inputs, input)
}

// came sets the inputs of the node in the run that is shown.
func (s *script) came(inputs map[string]any) {
	if s.asked && sameMap(s.inputs, inputs) {
		return
	}
	s.asked, s.inputs = true, inputs
	s.evaluate()
}
