package inspector

import (
	"maps"
	"strings"
	"unicode/utf8"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/lang"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/ui/complete"
	"github.com/svcflow/svc/ui/kit"
)

// Outcome is what a text of a node gives for values of a run.
type Outcome struct {
	Outputs map[string]any
	// Valid is false if the text cannot be run; the problems of the document say why.
	Valid bool
	// Failure says why it gives nothing for these values.
	Failure string
}

// script is a control for a text in one of the languages of nodes. While one types it
// proposes names, and it tells what the text gives for what came in in the run that is
// shown, for an item that the user can choose.
type script struct {
	*writer

	desk    *desk
	port    *node.Port
	offers  *offers
	mark    *kit.Paragraph // the line at fault, and what in it
	result  caption
	chooser *itemChooser
	column  *fyne.Container

	inputs map[string]any // what came in; nil if nobody knows
	asked  bool
}

func scriptControl(d *desk, p *node.Port, out outlet) control {
	box := newEntry(d, rowsOf(p), p.Script.Language != node.LanguageTemplate)
	s := &script{desk: d, port: p, result: newCaption(), mark: kit.NewParagraph("", kit.Style{Size: kit.Caption, Mono: true, Ink: kit.Error})}
	s.writer = writerOf(box, p, out)
	s.again = s.typed
	box.OnChanged = s.typed
	box.keys, box.tab = s.key, func() bool { return s.offers.shown() }
	s.offers = newOffers(s.take)
	s.chooser = newItemChooser(s.evaluate)
	s.mark.Hide()
	s.column = kit.Column(4, box, s.offers.whole, s.mark, s.result.text, s.chooser.whole)
	return s
}

func (s *script) object() fyne.CanvasObject { return s.column }

// typed takes over what was typed, and proposes how it may go on.
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

// propose shows how the text may go on behind the cursor.
func (s *script) propose() {
	const most = 4 << 10 // bytes: longer texts are written elsewhere
	text := s.box.core().Text
	at := byteOf(text, s.box.core().CursorTextOffset())
	if len(text) > most {
		s.offer(at, nil)
		return
	}
	from, found := s.scope().At(text, at)
	s.offer(from, found)
}

func (s *script) offer(from int, found []complete.Proposal) {
	if s.offers.set(from, found) {
		s.desk.resized()
	}
}

// key moves in the proposals, or takes one of them.
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

// take writes a proposal in place of what was begun.
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
	s.desk.focusOn(s.box)
	s.typed(core.Text)
}

// byteOf returns the byte at which a character of a text is.
func byteOf(text string, character int) int {
	for i := range text {
		if character == 0 {
			return i
		}
		character--
	}
	return len(text)
}

// scope is what the text can speak of.
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
	inputs, _, _ := s.desk.subject.doc.Ports(s.desk.subject.id)
	for i := range inputs {
		if p := &inputs[i]; !p.Literal && !strings.HasPrefix(p.Name, "$") {
			scope.Names[p.Name] = s.known(p.Name)
		}
	}
	return scope
}

// known is what is known of an input: what came in, and the type of what is wired to it.
func (s *script) known(input string) complete.Known {
	if input == "" {
		return complete.Known{}
	}
	t := s.desk.typeInto(input)
	if v, ok := s.inputs[input]; ok {
		return complete.Seen(t, v)
	}
	if n, ok := s.desk.subject.doc.Node(s.desk.subject.id); ok {
		if v, given := n.Config[input]; given {
			return complete.Seen(t, v)
		}
	}
	return complete.Typed(t)
}

// typeInto returns the type of what is wired to an input of the node, else of the input.
func (d *desk) typeInto(input string) value.Type {
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

// came takes over what came into the node in the run that is shown.
func (s *script) came(inputs map[string]any) {
	if s.asked && sameMap(s.inputs, inputs) {
		return
	}
	s.asked, s.inputs = true, inputs
	s.evaluate()
}

// evaluate asks what the text gives for what came in.
func (s *script) evaluate() {
	text := s.box.core().Text
	typ, config, gives, ok := s.question(text)
	if !ok || s.desk.cfg.Evaluate == nil || strings.TrimSpace(text) == "" {
		s.tell("", kit.Dim)
		return
	}
	s.desk.cfg.Evaluate(s.port.Name, typ, config, func(o Outcome) {
		if !s.desk.current() || s.box.core().Text != text {
			return
		}
		switch {
		case !o.Valid:
			s.tell("", kit.Dim)
		case o.Failure != "":
			s.tell(o.Failure, kit.Error)
		default:
			s.tell(lang.L("Gives {{.Value}}", map[string]any{"Value": shortly(gives(o.Outputs))}), kit.Dim)
		}
	})
}

func (s *script) tell(text string, ink kit.Ink) {
	if s.result.set(text, ink) {
		s.desk.resized()
	}
}

// shortly is a value in a few words.
func shortly(v any) string {
	const longest = 200
	text, _ := value.Preview(v, longest)
	return text
}

// question says which node tells what the text gives, and which of its outputs: for an
// expression about items one that makes something of each, else the node itself.
func (s *script) question(text string) (typ string, config map[string]any, gives func(map[string]any) any, ok bool) {
	n, there := s.desk.subject.doc.Node(s.desk.subject.id)
	spec, known := s.desk.subject.doc.Specs().Lookup(s.desk.subject.typ)
	if !there || !known {
		return "", nil, nil, false
	}
	if typ, config, gives, ok := s.perItem(text); ok {
		return typ, config, gives, true
	}
	s.chooser.set(0)
	if !spec.Pure || spec.Container || len(spec.Outputs) == 0 || s.waits() {
		return "", nil, nil, false
	}
	config = maps.Clone(n.Config)
	if config == nil {
		config = map[string]any{}
	}
	for port, v := range s.inputs {
		if _, elided := engine.Elided(v); elided {
			return "", nil, nil, false
		}
		config[port] = v
	}
	config[s.port.Name] = text
	return spec.Type, config, func(outputs map[string]any) any { return outputs[spec.Outputs[0].Name] }, true
}

// waits reports whether something is wired to the node of which nobody knows what it brings.
func (s *script) waits() bool {
	for _, w := range s.desk.subject.doc.Connections() {
		if w.ToNodeID != s.desk.subject.id || strings.HasPrefix(w.ToPort, "$") {
			continue
		}
		if _, came := s.inputs[w.ToPort]; !came {
			return true
		}
	}
	return false
}

// perItem asks about one item of a list.
func (s *script) perItem(text string) (typ string, config map[string]any, gives func(map[string]any) any, ok bool) {
	spec := s.desk.subject.doc.Specs().Language(s.port.Script.Language)
	if spec == nil || !strings.HasSuffix(spec.Derives.From, "[]") {
		return "", nil, nil, false
	}
	var list []any
	vars := map[string]any{}
	for name, input := range s.port.Script.Names {
		of, isItem := strings.CutSuffix(input, "[]")
		switch v, came := s.input(of); {
		case isItem:
			list, _ = v.([]any)
		case name == "index":
		case came:
			vars[of] = v
		case input == "":
			return "", nil, nil, false // only the node itself knows what that is
		}
	}
	if s.chooser.set(len(list)); len(list) == 0 {
		return "", nil, nil, false
	}
	at := s.chooser.at
	list = list[at : at+1]
	if strings.Contains(text, "index") {
		all, _ := s.input(s.listInput())
		list = all.([]any)[:at+1]
	}
	vars[strings.TrimSuffix(spec.Derives.From, "[]")], vars[spec.Derives.By] = list, text
	output := strings.TrimSuffix(spec.Derives.Gives, "[]")
	return spec.Type, vars, func(outputs map[string]any) any {
		results, _ := outputs[output].([]any)
		if len(results) == 0 {
			return nil
		}
		return results[len(results)-1]
	}, true
}

// listInput is the input whose items the text is about.
func (s *script) listInput() string {
	for _, input := range s.port.Script.Names {
		if of, isItem := strings.CutSuffix(input, "[]"); isItem {
			return of
		}
	}
	return ""
}

// input is what came into an input, or what the document has for it.
func (s *script) input(port string) (any, bool) {
	if v, ok := s.inputs[port]; ok {
		return v, true
	}
	n, _ := s.desk.subject.doc.Node(s.desk.subject.id)
	v, ok := n.Config[port]
	return v, ok
}
