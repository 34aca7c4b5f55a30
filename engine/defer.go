package engine

import (
	"slices"

	"github.com/svcflow/svc/engine/node"
)

// deferred reports whether all inputs that an output of node i is wired to take media that
// nobody has made yet, and that there is one. It goes by the specs of the types: ports that
// depend on the node, such as those of containers, take files only. It looks all connections
// over once, when it is first asked.
func (l *level) deferred(i int32, port string) bool {
	if l.wants == nil {
		l.findWants()
	}
	w := l.wants[outlet{i, port}]
	return w.recipes && !w.files
}

// wants says what those take that an output is wired to.
type wants struct{ recipes, files bool }

func (l *level) findWants() {
	l.wants = make(map[outlet]wants, len(l.ends))
	types := map[string]map[string]bool{} // node type → inputs that take recipes
	for c, e := range l.ends {
		wire := &l.def.Connections[c]
		if e.from < 0 || wire.ToPort == node.AfterPort {
			continue
		}
		at := outlet{e.from, wire.FromPort}
		w := l.wants[at]
		switch {
		case e.to < 0:
			w.files = true
		case l.def.Nodes[e.to].Disabled: // takes nothing
		case l.takesRecipes(types, l.def.Nodes[e.to].Type)[wire.ToPort]:
			w.recipes = true
		default:
			w.files = true
		}
		l.wants[at] = w
	}
}

// takesRecipes returns the deferred inputs of a node type, looked up once for all nodes.
func (l *level) takesRecipes(types map[string]map[string]bool, name string) map[string]bool {
	inputs, known := types[name]
	if known {
		return inputs
	}
	if typ, ok := l.env.Registry.Lookup(name); ok {
		for k := range typ.Spec.Inputs {
			if p := &typ.Spec.Inputs[k]; p.Deferred {
				if inputs == nil {
					inputs = map[string]bool{}
				}
				inputs[p.Name] = true
			}
		}
	}
	types[name] = inputs
	return inputs
}

// takesDeferred is [level.deferred] for output slot o of a plan.
func (p *Plan) takesDeferred(o int32) bool {
	g, found := &p.graph, false
	for _, to := range g.edges[g.edgeLo[o]:g.edgeLo[o+1]] {
		for in := g.inLo[to]; in < g.inLo[to+1]; in++ {
			if in == g.after[to] || !slices.Contains(g.wires[g.wireLo[in]:g.wireLo[in+1]], o) || g.disabled[to] {
				continue
			}
			if !p.port(to, in).Deferred {
				return false
			}
			found = true
		}
	}
	return found
}
