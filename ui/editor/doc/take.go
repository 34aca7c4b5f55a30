package doc

import (
	"slices"

	"github.com/svcflow/svc/engine/layout/cards"
	"github.com/svcflow/svc/engine/workflow"
)

// Take makes nodes of the level what they are in another document, with their wires: it
// puts them in, replaces them, or takes them out.
func (d *Document) Take(from *Document, ids ...string) error {
	theirs := &workflow.Definition{}
	if from.GoTo(d.path) == nil {
		theirs = from.level
	}
	return d.do("Take over", "", func(c *change) error {
		taken := setOf(ids)
		for _, id := range ids {
			c.takeNode(theirs, id)
		}
		c.takeOver(theirs.Connections, taken)
		return nil
	})
}

func (c *change) takeNode(theirs *workflow.Definition, id string) {
	i, mine := c.at(id)
	k := slices.IndexFunc(theirs.Nodes, func(n workflow.Node) bool { return n.ID == id })
	switch {
	case k < 0 && mine:
		c.delete(Set{Nodes: []string{id}})
	case k < 0:
	case mine:
		replace(c, &c.level.Nodes, i, 1, cloneNode(theirs.Nodes[k]))
	default:
		extend(c, &c.level.Nodes, cloneNode(theirs.Nodes[k]))
	}
}

// takeOver gives nodes the wires that they have in another document, as far as the other
// ends are there.
func (c *change) takeOver(theirs []workflow.Connection, taken map[string]bool) {
	have := map[workflow.Connection]bool{}
	for _, w := range theirs {
		have[w.Bare()] = true
	}
	remove(c, &c.level.Connections, func(_ int, w *workflow.Connection) bool {
		return (taken[w.FromNodeID] || taken[w.ToNodeID]) && !have[w.Bare()]
	})
	there := map[workflow.Connection]bool{}
	for _, w := range c.level.Connections {
		there[w.Bare()] = true
	}
	for _, w := range theirs {
		_, from := c.at(w.FromNodeID)
		_, to := c.at(w.ToNodeID)
		switch {
		case !taken[w.FromNodeID] && !taken[w.ToNodeID], !from, !to, there[w.Bare()]:
		case taken[w.ToNodeID]:
			extend(c, &c.level.Connections, w)
		default: // what leads into a node that stays has to fit there
			_ = c.connect(cards.PortRef{Node: w.FromNodeID, Port: w.FromPort, Output: true}, cards.PortRef{Node: w.ToNodeID, Port: w.ToPort})
		}
	}
}

// TakeAll makes the whole workflow what another document is, but for its id, and goes to
// the outermost level.
func (d *Document) TakeAll(from *Document) error {
	d.goTo(nil)
	theirs := cloneDefinition(from.root)
	return d.do("Take over", "", func(c *change) error {
		c.setText(&c.root.Name, theirs.Name)
		c.setText(&c.root.Description, theirs.Description)
		replace(c, &c.root.Nodes, 0, len(c.root.Nodes), theirs.Nodes...)
		replace(c, &c.root.Connections, 0, len(c.root.Connections), theirs.Connections...)
		replace(c, &c.root.Groups, 0, len(c.root.Groups), theirs.Groups...)
		replace(c, &c.root.Notes, 0, len(c.root.Notes), theirs.Notes...)
		return nil
	})
}
