package doc

import (
	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/layout/cards"
	"github.com/svcflow/svc/engine/node"
)

// Choice is a node type that can be picked.
type Choice struct {
	Spec *node.Spec
	// Port is where the wire that asked for the list would go; "" if none did.
	Port string
	// Matched are the places in the label of the letters that were searched for.
	Matched []int
}

// Search returns the node types whose label, aliases, type, category, description or ports
// match what was typed, best first; all of them, by category, for an empty query. Letters
// of a label or a type may be left out as long as their order stays.
func (s *Specs) Search(query string) []Choice {
	return s.search(query, s.choices(func(*node.Spec) (string, bool) { return "", true }))
}

// Partners returns what [Specs.Search] does, of the node types that can be at the
// other end of a wire.
func (d *Document) Partners(end cards.PortRef, query string) ([]Choice, error) {
	j, err := d.Judge(end, nil)
	if err != nil {
		return nil, err
	}
	return d.specs.search(query, d.specs.choices(func(spec *node.Spec) (string, bool) {
		ports := spec.Inputs
		if !end.Output {
			ports = spec.Outputs
		}
		if port, ok := order(end); ok {
			return port, !end.Output || spec.Role.Controlled()
		}
		i := bestPort(ports, func(p *node.Port) int {
			if end.Output && p.Literal {
				return 0
			}
			source, target := j.port.Type, p.Type
			if !end.Output {
				source, target = p.Type, j.port.Type
			}
			return rank(p, engine.Assign(source, target, 1))
		})
		if i < 0 {
			return "", false
		}
		return ports[i].Name, true
	})), nil
}

func (s *Specs) choices(take func(*node.Spec) (port string, ok bool)) []Choice {
	var choices []Choice
	for _, spec := range s.sorted {
		if port, ok := take(spec); ok {
			choices = append(choices, Choice{Spec: spec, Port: port})
		}
	}
	return choices
}
