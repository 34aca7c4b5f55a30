package doc

import (
	"fmt"
	"slices"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/layout/cards"
	"github.com/svcflow/svc/engine/layout/geom"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/engine/workflow"
)

// Insert inserts a node without wires into a wire: the wire's source goes to the node's first
// input that fits, and the node's first output that fits goes to the wire's target.
func (d *Document) Insert(id string, into workflow.Connection) error {
	return d.do("Insert into wire", "", func(c *change) error { return c.insert(id, into) })
}

// InsertNew adds a node of a type and inserts it into a wire, at a point or where there is
// room; see [Document.RoomIn].
func (d *Document) InsertNew(typ string, at geom.Point, into workflow.Connection) (id string, err error) {
	err = d.do("Insert into wire", "", func(c *change) (err error) {
		room := c.RoomIn(into, c.Ghost(typ).Extent().Move(at), at, "")
		c.settle()
		c.makeRoom(room, "")
		if id, err = c.add(typ, room.At); err != nil {
			return err
		}
		return c.insert(id, into)
	})
	return id, err
}

// MoveInto moves a node by a distance and inserts it into a wire, where there is room, in one
// step.
func (d *Document) MoveInto(id string, by geom.Point, into workflow.Connection) error {
	return d.do("Insert into wire", "", func(c *change) error {
		if card, ok := c.Card(id); ok {
			room := c.RoomIn(into, card.Extent().Move(by), card.Rect.Min.Add(by), id)
			by = room.At.Sub(card.Rect.Min)
			c.settle()
			c.makeRoom(room, id)
		}
		c.move(Set{Nodes: []string{id}}, by)
		return c.insert(id, into)
	})
}

func (c *change) insert(id string, into workflow.Connection) error {
	i, err := c.need(id)
	if err != nil {
		return err
	}
	source, target, err := c.endsOf(into)
	if err != nil {
		return err
	}
	k := c.kitOf(&c.level.Nodes[i])
	in, out, ok := c.passage(k, &into, source, target)
	if !ok {
		return fmt.Errorf("%w: %q has no input for %s with an output for %s", ErrIllegalWire, id, source.Type, target.Type)
	}
	at := slices.Index(c.level.Connections, into)
	replace(c, &c.level.Connections, at, 1)
	if err := c.connect(cards.PortRef{Node: into.FromNodeID, Port: into.FromPort, Output: true}, cards.PortRef{Node: id, Port: in, Output: false}); err != nil {
		return err
	}
	return c.connect(cards.PortRef{Node: id, Port: out, Output: true}, cards.PortRef{Node: into.ToNodeID, Port: into.ToPort, Output: false})
}

// CanInsert reports whether a node of a type could be inserted into a wire.
func (d *Document) CanInsert(typ string, into workflow.Connection) bool {
	source, target, err := d.endsOf(into)
	if err != nil {
		return false
	}
	_, _, ok := d.passage(d.kitOf(&workflow.Node{Type: typ}), &into, source, target)
	return ok
}

// endsOf returns the ports of a wire that is there.
func (d *Document) endsOf(w workflow.Connection) (source, target node.Port, err error) {
	if !slices.Contains(d.level.Connections, w) {
		return source, target, fmt.Errorf("%w: it is not there any more", ErrIllegalWire)
	}
	source, ok := d.port(cards.PortRef{Node: w.FromNodeID, Port: w.FromPort, Output: true})
	target, also := d.port(cards.PortRef{Node: w.ToNodeID, Port: w.ToPort, Output: false})
	if !ok || !also {
		return source, target, fmt.Errorf("%w: it has no end", ErrIllegalWire)
	}
	return source, target, nil
}

// passage finds the input and output by which the wire w can pass through a node. Required
// inputs are preferred. A wire that only orders nodes is replaced by wires that do so, too.
func (d *Document) passage(k *kit, w *workflow.Connection, source, target node.Port) (in, out string, ok bool) {
	in, ordered := order(cards.PortRef{Port: w.FromPort, Output: true})
	if ordered && d.specs.controls.Find(k.spec, in, false) == nil {
		return "", "", false
	}
	if !ordered {
		in = nameOf(k.inputs, bestPort(k.inputs, func(p *node.Port) int {
			if p.Literal || cards.IsControl(p.Name) {
				return 0
			}
			return rank(p, engine.Assign(source.Type, p.Type, 1))
		}))
	}
	out, ordered = order(cards.PortRef{Port: w.ToPort})
	if !ordered {
		out = nameOf(k.outputs, bestPort(k.outputs, func(p *node.Port) int {
			if cards.IsControl(p.Name) {
				return 0
			}
			return int(engine.Assign(p.Type, target.Type, 1))
		}))
	}
	return in, out, in != "" && out != ""
}

// nameOf returns the name of the port with an index; "" if it is -1.
func nameOf(ports []node.Port, at int) string {
	if at < 0 {
		return ""
	}
	return ports[at].Name
}

// rank rates an input for a wire: better for better fitting types, and among equals for
// required inputs. 0 means that it does not fit.
func rank(p *node.Port, fit value.Fit) int {
	score := 2 * int(fit)
	if score > 0 && p.Required() {
		score++
	}
	return score
}

// bestPort returns the index of the first port with the highest score above 0, or -1.
func bestPort(ports []node.Port, score func(*node.Port) int) int {
	best, at := 0, -1
	for i := range ports {
		if s := score(&ports[i]); s > best {
			best, at = s, i
		}
	}
	return at
}
