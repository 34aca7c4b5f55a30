package doc

import (
	"slices"
	"strings"

	"github.com/svcflow/svc/engine/fold"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/engine/workflow"
)

// widgetVariable is the widget of inputs that name an environment variable.
const widgetVariable = "variable"

// Need is something outside of the document that a node needs: an account, or an environment
// variable.
type Need struct {
	Variable bool
	Name     string // of the variable, or the reference of the account; "" if none is chosen yet
	Networks []string
	Type     string // of the node
	Path     string // of the node: "loop/send"
	Port     string
}

// Needs returns what the nodes of all levels need, in document order. Needs that come by a
// wire are unknown and left out.
func (d *Document) Needs() []Need { return d.needsOf(d.root, nil) }

func (d *Document) needsOf(level *workflow.Definition, path []string) (all []Need) {
	for i := range level.Nodes {
		n := &level.Nodes[i]
		spec, known := d.specs.Lookup(n.Type)
		for k := 0; known && k < len(spec.Inputs); k++ {
			if need, ok := needOf(level, n, &spec.Inputs[k]); ok {
				need.Type, need.Path = n.Type, fold.Join(path, n.ID)
				all = append(all, need)
			}
		}
		if n.Body != nil {
			all = append(all, d.needsOf(n.Body, append(slices.Clone(path), n.ID))...)
		}
	}
	return all
}

func needOf(level *workflow.Definition, n *workflow.Node, p *node.Port) (need Need, ok bool) {
	need = Need{Variable: p.Widget == widgetVariable, Networks: p.Networks, Port: p.Name}
	if !need.Variable && p.Type.Kind() != value.KindCredential {
		return need, false
	}
	if slices.ContainsFunc(level.Connections, func(c workflow.Connection) bool { return c.ToNodeID == n.ID && c.ToPort == p.Name }) {
		return need, false
	}
	need.Name, _ = n.Config[p.Name].(string)
	need.Name = strings.TrimSpace(need.Name)
	return need, need.Name != "" || p.Required()
}
