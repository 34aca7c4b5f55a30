package doc

import (
	"slices"
	"strings"

	"github.com/svcflow/svc/engine/layout/cards"
	"github.com/svcflow/svc/engine/node"
)

// Specs are the node types that the editor knows. They are immutable.
type Specs struct {
	byType   map[string]*node.Spec
	sorted   []*node.Spec
	ports    cards.Resolver
	controls *cards.Controls
	input    string // the type of the nodes that stand for inputs of the workflow; "" if there is none
	output   string
	// say tells what is in the language of the user, and english has the node types as they
	// are without it; both are nil in English. See [Specs.InLanguage].
	say     func(text string) string
	english map[string]*node.Spec
}

// NewSpecs returns the node types in specs. A nil resolver means that every node
// has the ports of its spec.
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

// boundary reports whether nodes of a type stand for an input or output of the
// workflow.
func (s *Specs) boundary(typ string) bool { return typ != "" && (typ == s.input || typ == s.output) }

// Containers returns the types of nodes that can have a body, by label.
func (s *Specs) Containers() []*node.Spec {
	all := slices.DeleteFunc(slices.Clone(s.sorted), func(spec *node.Spec) bool { return !spec.Container })
	slices.SortStableFunc(all, func(a, b *node.Spec) int { return strings.Compare(a.Label, b.Label) })
	return all
}

// loop says how a container of a type repeats its body; the zero Loop if it does not.
func (s *Specs) loop(typ string) node.Loop {
	if spec, ok := s.byType[typ]; ok && spec.Loop != nil {
		return *spec.Loop
	}
	return node.Loop{}
}
