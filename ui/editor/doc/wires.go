package doc

import (
	"fmt"
	"slices"

	"github.com/svcflow/svc/engine/layout/cards"

	"github.com/svcflow/svc/engine/workflow"
)

// Connect draws a wire between an output and an input, in either order. A wire
// that an input had is replaced, unless the input takes lists.
func (d *Document) Connect(a, b cards.PortRef) error {
	return d.do("Connect", "", func(c *change) error { return c.connect(a, b) })
}

func (c *change) connect(a, b cards.PortRef) error {
	j, err := c.Judge(a, nil)
	if err != nil {
		return err
	}
	v := j.Verdict(b)
	if !v.Legal() {
		return v.err()
	}
	made := between(a, b)
	if v.Replaces {
		replace(c, &c.level.Connections, c.wiresInto(made.ToNodeID, made.ToPort)[0], 1, made)
		return nil
	}
	extend(c, &c.level.Connections, made)
	return nil
}

// Reconnect leads one end of a wire to another port of the same side.
func (d *Document) Reconnect(old workflow.Connection, end cards.PortRef) error {
	return d.do("Reconnect", "", func(c *change) error {
		i := slices.Index(c.level.Connections, old)
		if i < 0 {
			return fmt.Errorf("%w: it is not there any more", ErrIllegalWire)
		}
		kept := cards.PortRef{Node: old.FromNodeID, Port: old.FromPort, Output: true}
		if end.Output {
			kept = cards.PortRef{Node: old.ToNodeID, Port: old.ToPort, Output: false}
		}
		j, err := c.Judge(kept, &old)
		if err != nil {
			return err
		}
		v := j.Verdict(end)
		if !v.Legal() {
			return v.err()
		}
		made := between(kept, end)
		made.Via = old.Via
		others, _ := j.others(made)
		replace(c, &c.level.Connections, i, 1, made)
		if v.Replaces {
			c.disconnect(others...)
		}
		return nil
	})
}

// Disconnect removes wires. Of several equal ones, each mention removes one.
func (d *Document) Disconnect(wires ...workflow.Connection) error {
	return d.do("Disconnect", "", func(c *change) error {
		c.disconnect(wires...)
		return nil
	})
}

func (c *change) disconnect(wires ...workflow.Connection) {
	count := map[workflow.Connection]int{}
	for _, w := range wires {
		count[w]++
	}
	remove(c, &c.level.Connections, func(_ int, w *workflow.Connection) bool {
		count[*w]--
		return count[*w] >= 0
	})
}

// moveWires leads the wires of a node elsewhere: to gives the new place of an end
// at the node, or false if the wire has to go.
func (c *change) moveWires(id string, to func(cards.PortRef) (cards.PortRef, bool)) {
	for i, w := range slices.Backward(c.level.Connections) {
		source, target := cards.PortRef{Node: w.FromNodeID, Port: w.FromPort, Output: true}, cards.PortRef{Node: w.ToNodeID, Port: w.ToPort, Output: false}
		keep := true
		if w.FromNodeID == id {
			source, keep = to(source)
		}
		if keep && w.ToNodeID == id {
			target, keep = to(target)
		}
		if keep {
			led := wire(source, target)
			led.Via = w.Via
			replace(c, &c.level.Connections, i, 1, led)
		} else {
			replace(c, &c.level.Connections, i, 1)
		}
	}
}
