package doc

import (
	"slices"
	"strings"

	"github.com/svcflow/svc/engine/node"
)

// InLanguage returns the node types as say calls them, with what it says of them and of
// their ports. What they are in English finds them still.
func (s *Specs) InLanguage(say func(text string) string) *Specs {
	named := make([]*node.Spec, len(s.sorted))
	for i, spec := range s.sorted {
		named[i] = inLanguage(spec, say)
	}
	in := NewSpecs(named, s.ports)
	in.say, in.english = say, s.byType
	return in
}

func inLanguage(spec *node.Spec, say func(string) string) *node.Spec {
	named := *spec
	first, rest := FirstSentence(spec.Description)
	named.Label, named.Category, named.Description = say(spec.Label), say(spec.Category), say(first)+restIn(rest, say)
	if named.Label != spec.Label {
		named.Aliases.En = append(slices.Clone(spec.Aliases.En), spec.Label)
	}
	named.Inputs, named.Outputs = portsIn(spec.Inputs, say), portsIn(spec.Outputs, say)
	return &named
}

// FirstSentence divides a description into the sentence that tells most and the rest,
// which is empty if that is all.
func FirstSentence(text string) (first, rest string) {
	end := len(text)
	if i := strings.Index(text, "\n\n"); i >= 0 {
		end = i
	}
	if i := strings.Index(text[:end], ". "); i >= 0 {
		end = i + 1
	}
	return text[:end], text[end:]
}

// restIn returns the rest of a description as say says its paragraphs. Of an example that is
// nothing but values, the word before it is said.
func restIn(rest string, say func(string) string) string {
	const between, example = "\n\n", "Example:"
	paragraphs := strings.Split(rest, between)
	for i, p := range paragraphs {
		text := strings.TrimSpace(p)
		said := say(text)
		if values, ok := strings.CutPrefix(text, example); ok && said == text {
			said = say(example) + values
		}
		paragraphs[i] = strings.Replace(p, text, said, 1)
	}
	return strings.Join(paragraphs, between)
}

// portsIn returns ports with what say says of them. It leaves them alone if that is nothing
// new.
func portsIn(ports []node.Port, say func(string) string) []node.Port {
	if say == nil {
		return ports
	}
	said, own := ports, false
	for i := range ports {
		text := say(ports[i].Description)
		if text == ports[i].Description {
			continue
		}
		if !own {
			said, own = slices.Clone(ports), true
		}
		said[i].Description = text
	}
	return said
}
