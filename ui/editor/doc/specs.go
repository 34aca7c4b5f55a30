package doc

import (
	"slices"
	"strings"

	"github.com/svcflow/svc/engine/layout/cards"
	"github.com/svcflow/svc/engine/layout/geom"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/workflow"
)

// Specs are the known node types. They are immutable.
type Specs struct {
	byType   map[string]*node.Spec
	sorted   []*node.Spec
	ports    cards.Resolver
	controls *cards.Controls
	input    string // the type of nodes that are inputs of the workflow; "" without such a type
	output   string
	// say translates to the user's language, and english has the untranslated node types;
	// both are nil in English. See [Specs.InLanguage].
	say     func(text string) string
	english map[string]*node.Spec
}

// NewSpecs returns Specs with the given node types. A nil resolver means that every node has
// the ports of its spec.
func NewSpecs(specs []*node.Spec, ports cards.Resolver) *Specs {
	s := &Specs{byType: make(map[string]*node.Spec, len(specs)), sorted: slices.Clone(specs), ports: ports, controls: cards.NewControls()}
	for _, spec := range specs {
		s.byType[spec.Type] = spec
		switch spec.Role {
		case node.RoleInput:
			s.input = spec.Type
		case node.RoleOutput:
			s.output = spec.Type
		case node.RoleStep, node.RoleTrigger:
		}
	}
	slices.SortFunc(s.sorted, func(a, b *node.Spec) int {
		if c := strings.Compare(a.Category, b.Category); c != 0 {
			return c
		}
		return strings.Compare(a.Type, b.Type)
	})
	return s
}

// Lookup returns the spec of a node type.
func (s *Specs) Lookup(typ string) (*node.Spec, bool) {
	spec, ok := s.byType[typ]
	return spec, ok
}

// All returns every spec, by category and type. The caller must not change it.
func (s *Specs) All() []*node.Spec { return s.sorted }

// boundary reports whether nodes of a type are inputs or outputs of the workflow.
func (s *Specs) boundary(typ string) bool { return typ != "" && (typ == s.input || typ == s.output) }

// Containers returns the node types that can have a body, by label.
func (s *Specs) Containers() []*node.Spec {
	all := slices.DeleteFunc(slices.Clone(s.sorted), func(spec *node.Spec) bool { return !spec.Container })
	slices.SortStableFunc(all, func(a, b *node.Spec) int { return strings.Compare(a.Label, b.Label) })
	return all
}

// loop returns how a container of a type repeats its body; the zero Loop if it does not.
func (s *Specs) loop(typ string) node.Loop {
	if spec, ok := s.byType[typ]; ok && spec.Loop != nil {
		return *spec.Loop
	}
	return node.Loop{}
}

// newNode returns a new node of a type: with room for a value if it shows one, and with an
// initial body if it is a loop.
func (s *Specs) newNode(spec *node.Spec) workflow.Node {
	n := workflow.Node{Type: spec.Type}
	if spec.Shows.Port != "" {
		n.Size = &workflow.Size{W: cards.PaneWidth, H: cards.PaneHeight + 2*cards.HeaderHeight}
	}
	if spec.Loop != nil {
		n.Body = s.newBody(spec)
	}
	return n
}

// newBody returns the initial body of a container. That of a loop over a list returns each
// item unchanged: it is valid, and shows what enters and leaves. That of a conditional loop
// has the output for the condition.
func (s *Specs) newBody(spec *node.Spec) *workflow.Definition {
	body := &workflow.Definition{Nodes: []workflow.Node{}, Connections: []workflow.Connection{}}
	if spec.Loop == nil || s.input == "" || s.output == "" {
		return body
	}
	const right, below = 3 * cards.MinWidth, 96.0
	add := func(typ, name, of string, at geom.Point) {
		config := map[string]any{"name": name}
		if of != "" {
			config["type"] = of
		}
		body.Nodes = append(body.Nodes, workflow.Node{ID: name, Type: typ, Config: config, Position: position(at)})
	}
	loop := spec.Loop
	if loop.Item != "" {
		add(s.input, loop.Item, "any", geom.Point{})
	}
	if loop.Index != "" {
		add(s.input, loop.Index, "int", geom.Point{Y: below})
	}
	if loop.While != "" {
		add(s.output, loop.While, "", geom.Point{X: right})
	}
	if loop.Item != "" {
		const result = "result"
		add(s.output, result, "", geom.Point{X: right})
		body.Connections = append(body.Connections, wire(
			cards.PortRef{Node: loop.Item, Port: boundaryPort, Output: true}, cards.PortRef{Node: result, Port: boundaryPort},
		))
	}
	return body
}

// InLanguage returns the node types with labels and descriptions translated by say. Searching
// by the English ones still finds them.
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

// FirstSentence splits a description into its first sentence and the rest, which may be
// empty.
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

// restIn translates the rest of a description by paragraphs. Of an example that is only
// values, it translates just the word before it.
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

// portsIn returns ports with translated descriptions, or the same ports if nothing is
// translated.
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
