package doc

import (
	"errors"
	"slices"

	"github.com/svcflow/svc/engine/layout/cards"
	"github.com/svcflow/svc/engine/workflow"
)

// ErrEmptyGroup reports that a group cannot be taken over because none of its nodes exists.
var ErrEmptyGroup = errors.New("none of the nodes in this group is there: take them over first, or with it")

// Take makes parts of the level as they are in another document: it adds, replaces or removes
// them. Nodes come with their wires; a group comes with those of its nodes that exist; wires
// that the other document lacks are removed.
func (d *Document) Take(from *Document, s Set) error {
	theirs := &workflow.Definition{}
	if from.GoTo(d.path) == nil {
		theirs = from.level
	}
	return d.do("Take over", "", func(c *change) error {
		for _, id := range s.Nodes {
			c.takeNode(theirs, id)
		}
		c.takeOver(theirs.Connections, setOf(s.Nodes))
		c.takeOut(theirs.Connections, s.Wires)
		for _, id := range s.Groups {
			if err := c.takeGroup(theirs, id); err != nil {
				return err
			}
		}
		for _, id := range s.Notes {
			takePart(c, &c.level.Notes, theirs.Notes, func(n *workflow.Note) bool { return n.ID == id })
		}
		return nil
	})
}

// takePart makes an item of a list as it is in another list.
func takePart[T any](c *change, mine *[]T, theirs []T, meant func(*T) bool) {
	find := func(list []T) int { return slices.IndexFunc(list, func(item T) bool { return meant(&item) }) }
	i, k := find(*mine), find(theirs)
	switch {
	case k < 0 && i >= 0:
		replace(c, mine, i, 1)
	case k < 0:
	case i >= 0:
		replace(c, mine, i, 1, theirs[k])
	default:
		extend(c, mine, theirs[k])
	}
}

// takeGroup takes over a group. Its nodes leave their former groups.
func (c *change) takeGroup(theirs *workflow.Definition, id string) error {
	meant := func(g *workflow.Group) bool { return g.ID == id }
	k := slices.IndexFunc(theirs.Groups, func(g workflow.Group) bool { return meant(&g) })
	if k < 0 {
		c.delete(Set{Groups: []string{id}})
		return nil
	}
	group := theirs.Groups[k]
	group.NodeIDs = slices.DeleteFunc(slices.Clone(group.NodeIDs), func(id string) bool {
		_, there := c.at(id)
		return !there
	})
	if len(group.NodeIDs) == 0 {
		return ErrEmptyGroup
	}
	members := setOf(group.NodeIDs)
	if i := slices.IndexFunc(c.level.Groups, func(g workflow.Group) bool { return meant(&g) }); i >= 0 {
		for _, mine := range c.level.Groups[i].NodeIDs {
			delete(members, mine)
		}
	}
	c.ungroup(members)
	takePart(c, &c.level.Groups, []workflow.Group{group}, meant)
	return nil
}

// takeOut removes wires that the other document lacks.
func (c *change) takeOut(theirs, wires []workflow.Connection) {
	have := map[workflow.Connection]bool{}
	for _, w := range theirs {
		have[w.Bare()] = true
	}
	c.disconnect(slices.DeleteFunc(slices.Clone(wires), func(w workflow.Connection) bool { return have[w.Bare()] })...)
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

// takeOver adds the wires that nodes have in the other document, if their other ends exist.
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
		default: // a wire into a node that stays must fit
			_ = c.connect(cards.PortRef{Node: w.FromNodeID, Port: w.FromPort, Output: true}, cards.PortRef{Node: w.ToNodeID, Port: w.ToPort})
		}
	}
}

// TakeAll makes the whole workflow equal to another document, except for its id, and enters
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
