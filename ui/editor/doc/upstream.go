package doc

import (
	"errors"
	"slices"

	"github.com/svcflow/svc/engine/workflow"
)

// Upstream returns nodes and all nodes that lead to them.
func (d *Document) Upstream(ids ...string) []string { return d.along(ids, false) }

// Downstream returns nodes and all nodes that they lead to.
func (d *Document) Downstream(ids ...string) []string { return d.along(ids, true) }

func (d *Document) along(ids []string, down bool) []string {
	all := map[string]bool{}
	for _, id := range ids {
		for reached := range d.reach(id, down) {
			if _, there := d.at(reached); there {
				all[reached] = true
			}
		}
	}
	return keys(all)
}

// ErrInBody reports that a command works on the outermost level only.
var ErrInBody = errors.New("a body does not run by itself: leave it first, and choose the node that it belongs to")

// UpTo returns a workflow of nodes of the outermost level and all nodes that lead to them.
func (d *Document) UpTo(ids ...string) (*workflow.Definition, error) {
	if len(d.Path()) > 0 {
		return nil, ErrInBody
	}
	return d.Part(ids...)
}

// Part returns a workflow of nodes of the level and everything that leads to them there.
// Inputs that a body gets from its container become inputs of the part.
func (d *Document) Part(ids ...string) (*workflow.Definition, error) {
	for _, id := range ids {
		if _, ok := d.Node(id); !ok {
			return nil, ErrNoNode
		}
	}
	part, kept := cloneDefinition(d.level), d.Upstream(ids...)
	part.ID, part.Name = d.root.ID, d.root.Name
	without := func(id string) bool { return !slices.Contains(kept, id) }
	part.Nodes = slices.DeleteFunc(part.Nodes, func(n workflow.Node) bool { return without(n.ID) })
	part.Connections = slices.DeleteFunc(part.Connections, func(c workflow.Connection) bool {
		return without(c.FromNodeID) || without(c.ToNodeID)
	})
	part.Groups, part.Notes = nil, nil
	return part, nil
}
