package inspector

import (
	"maps"
	"strings"

	"fyne.io/fyne/v2/lang"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/ui/kit"
)

// evaluate computes the preview of the text.
func (s *script) evaluate() {
	text := s.box.core().Text
	typ, config, gives, ok := s.question(text)
	if !ok || s.editor.cfg.Evaluate == nil || strings.TrimSpace(text) == "" {
		s.tell("", kit.Dim)
		return
	}
	s.editor.cfg.Evaluate(s.port.Name, typ, config, func(o Outcome) {
		if !s.editor.current() || s.box.core().Text != text {
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

func (s *script) tell(text string, ink kit.ColorFunc) {
	if s.result.set(text, ink) {
		s.editor.resized()
	}
}

// shortly returns a short text for a value.
func shortly(v any) string {
	const longest = 200
	text, _ := value.Preview(v, longest)
	return text
}

// question returns the node and config that evaluate the text, and a function that picks the
// output: for an expression about items, a node that maps the list, else the node itself.
func (s *script) question(text string) (typ string, config map[string]any, gives func(map[string]any) any, ok bool) {
	n, there := s.editor.subject.doc.Node(s.editor.subject.id)
	spec, known := s.editor.subject.doc.Specs().Lookup(s.editor.subject.typ)
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

// waits reports whether a wired input has no known value.
func (s *script) waits() bool {
	for _, w := range s.editor.subject.doc.Connections() {
		if w.ToNodeID != s.editor.subject.id || strings.HasPrefix(w.ToPort, "$") {
			continue
		}
		if _, came := s.inputs[w.ToPort]; !came {
			return true
		}
	}
	return false
}

// perItem evaluates the text for one item of a list.
func (s *script) perItem(text string) (typ string, config map[string]any, gives func(map[string]any) any, ok bool) {
	spec := s.editor.subject.doc.Specs().Language(s.port.Script.Language)
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
			return "", nil, nil, false // only the node itself can compute that
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

// listInput returns the input whose items the text works on.
func (s *script) listInput() string {
	for _, input := range s.port.Script.Names {
		if of, isItem := strings.CutSuffix(input, "[]"); isItem {
			return of
		}
	}
	return ""
}

// input returns the value of an input in the run, else the one in the document.
func (s *script) input(port string) (any, bool) {
	if v, ok := s.inputs[port]; ok {
		return v, true
	}
	n, _ := s.editor.subject.doc.Node(s.editor.subject.id)
	v, ok := n.Config[port]
	return v, ok
}
