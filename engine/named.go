package engine

import (
	"maps"
	"slices"

	"github.com/svcflow/svc/engine/value"
)

// Credentials returns the references to secrets that the config of p's nodes names, inside of
// bodies and of the workflows that they call, too; sorted. What comes by a wire, or as an input
// of the run, is not known.
func (p *Plan) Credentials() []value.Credential {
	all := map[value.Credential]bool{}
	p.addCredentials(all)
	return slices.Sorted(maps.Keys(all))
}

func (p *Plan) addCredentials(all map[value.Credential]bool) {
	for i := range p.slots {
		addCredentials(p.slots[i].value, all)
	}
	for i := range p.nodes {
		if inner := p.nodes[i].inner; inner != nil {
			inner.addCredentials(all)
		}
	}
}

func addCredentials(v any, all map[value.Credential]bool) {
	switch v := v.(type) {
	case value.Credential:
		all[v] = true
	case []any:
		for _, item := range v {
			addCredentials(item, all)
		}
	case map[string]any:
		for _, item := range v {
			addCredentials(item, all)
		}
	}
}
