package doc

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/svcflow/svc/engine/layout/cards"
	"github.com/svcflow/svc/engine/layout/geom"
	"github.com/svcflow/svc/engine/workflow"
)

// ErrUnknownType reports an unknown node type.
var ErrUnknownType = errors.New("there is no such node type")

// Set is a set of nodes, groups and notes by id, wires, and points of wires.
type Set struct {
	Nodes, Groups, Notes []string
	Wires                []workflow.Connection
	Points               []Point
}

// Empty reports whether s holds nothing.
func (s Set) Empty() bool {
	return len(s.Nodes)+len(s.Groups)+len(s.Notes)+len(s.Wires)+len(s.Points) == 0
}

// Add adds a node of a type with its top left corner at a point, or at the nearest free one,
// and returns its id.
func (d *Document) Add(typ string, at geom.Point) (id string, err error) {
	err = d.do("Add node", "", func(c *change) (err error) {
		id, err = c.add(typ, at)
		return err
	})
	return id, err
}

// AddConnected adds a node and connects its port to a port of the level, as when a wire is
// dropped on the empty canvas. [Document.Partners] returns the possible ports.
func (d *Document) AddConnected(typ string, at geom.Point, end cards.PortRef, port string) (id string, err error) {
	err = d.do("Add node", "", func(c *change) (err error) {
		if id, err = c.add(typ, at); err != nil {
			return err
		}
		return c.connect(end, cards.PortRef{Node: id, Port: port, Output: !end.Output})
	})
	return id, err
}

func (c *change) add(typ string, at geom.Point) (id string, err error) {
	spec, ok := c.specs.Lookup(typ)
	if !ok {
		return "", fmt.Errorf("%w: %q", ErrUnknownType, typ)
	}
	c.settle()
	n := c.specs.newNode(spec)
	n.ID, n.Position = nodeNames(c.level).unique(idFor(typ)), position(c.FreePlace(typ, at))
	extend(c, &c.level.Nodes, n)
	return n.ID, nil
}

// Delete deletes s, and the wires of its nodes. A group that loses its last node is deleted,
// too.
func (d *Document) Delete(s Set) error {
	return d.do("Delete", "", func(c *change) error {
		c.delete(s)
		return nil
	})
}

func (c *change) delete(s Set) {
	gone := setOf(s.Nodes)
	c.deletePoints(slices.DeleteFunc(slices.Clone(s.Points), func(p Point) bool { return slices.Contains(s.Wires, p.Wire) }))
	c.disconnect(s.Wires...)
	if len(gone) > 0 {
		remove(c, &c.level.Connections, func(_ int, w *workflow.Connection) bool {
			return gone[w.FromNodeID] || gone[w.ToNodeID]
		})
		remove(c, &c.level.Nodes, func(_ int, n *workflow.Node) bool { return gone[n.ID] })
		c.ungroup(gone)
	}
	groups, notes := setOf(s.Groups), setOf(s.Notes)
	remove(c, &c.level.Groups, func(_ int, g *workflow.Group) bool { return groups[g.ID] })
	remove(c, &c.level.Notes, func(_ int, n *workflow.Note) bool { return notes[n.ID] })
}

// ungroup removes nodes from all groups.
func (c *change) ungroup(gone map[string]bool) {
	for i, g := range slices.Backward(c.level.Groups) {
		left := slices.DeleteFunc(slices.Clone(g.NodeIDs), func(id string) bool { return gone[id] })
		switch {
		case len(left) == len(g.NodeIDs):
		case len(left) == 0:
			replace(c, &c.level.Groups, i, 1)
		default:
			modify(c, &c.level.Groups, i, func(g *workflow.Group) { g.NodeIDs = left })
		}
	}
}

// DeleteReconnect deletes nodes and connects the sources of their inputs to the targets of
// their outputs: every output wire gets the source of the first input wire that fits.
func (d *Document) DeleteReconnect(ids ...string) error {
	return d.do("Delete and reconnect", "", func(c *change) error {
		for _, id := range ids {
			if _, ok := c.at(id); !ok {
				continue
			}
			c.bridge(id)
		}
		return nil
	})
}

// bridge deletes one node and joins its wires.
func (c *change) bridge(id string) {
	x := c.lookup()
	var sources []cards.PortRef
	for _, i := range x.into[id] {
		w := c.level.Connections[i]
		sources = append(sources, cards.PortRef{Node: w.FromNodeID, Port: w.FromPort, Output: true})
	}
	var targets []cards.PortRef
	for _, i := range x.out[id] {
		w := c.level.Connections[i]
		targets = append(targets, cards.PortRef{Node: w.ToNodeID, Port: w.ToPort, Output: false})
	}
	c.delete(Set{Nodes: []string{id}})
	for _, target := range targets {
		for _, source := range sources {
			if c.connect(source, target) == nil {
				break
			}
		}
	}
}

// Duplicate adds a copy of s beside it, including the wires between its nodes, and returns
// what was added.
func (d *Document) Duplicate(s Set) (Set, error) {
	const beside = 24
	return d.paste("Duplicate", d.fragment(s), func(r geom.Rect) geom.Point { return geom.Point{X: beside, Y: beside} })
}

func setOf(ids []string) map[string]bool {
	set := make(map[string]bool, len(ids))
	for _, id := range ids {
		set[id] = true
	}
	return set
}

// keys returns the members of a set, sorted.
func keys(set map[string]bool) []string { return slices.Sorted(maps.Keys(set)) }
