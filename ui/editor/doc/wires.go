package doc

import (
	"errors"
	"fmt"
	"slices"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/layout/cards"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/engine/workflow"
)

// Connect adds a wire between an output and an input, in either order. It replaces a wire of
// the input, unless that takes lists.
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

// Reconnect moves one end of a wire to another port of the same side.
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

// Disconnect removes wires. If a wire exists several times, each mention removes one.
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

// moveWires reconnects the wires of a node: to returns the new end, or false if the wire must
// go.
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

// ErrIllegalWire reports that two ports cannot be connected. Errors that wrap it say why.
var ErrIllegalWire = errors.New("this wire is not possible")

// Verdict is whether a wire between two ports is possible.
type Verdict struct {
	// Fit rates how well the types match; see [value.Assign].
	Fit value.Fit
	// Replaces is true if the new wire would replace one of the input.
	Replaces bool
	// Reason says why the wire is not possible; "" if it is.
	Reason string
}

// Legal reports whether the wire is possible.
func (v Verdict) Legal() bool { return v.Reason == "" }

func (v Verdict) err() error {
	if v.Legal() {
		return nil
	}
	return fmt.Errorf("%w: %s", ErrIllegalWire, v.Reason)
}

func illegal(format string, args ...any) Verdict {
	return Verdict{Reason: fmt.Sprintf(format, args...)}
}

// Judge knows which ports one end of a wire may connect to. It is valid until the document
// changes.
type Judge struct {
	d      *Document
	end    cards.PortRef
	port   node.Port
	loops  map[string]bool      // nodes that would form a cycle
	moving *workflow.Connection // a wire that is being moved, and is ignored; nil if none
}

// Judge collects everything that the verdicts for a wire from end depend on.
func (d *Document) Judge(end cards.PortRef, moving *workflow.Connection) (*Judge, error) {
	port, ok := d.port(end)
	if !ok {
		return nil, fmt.Errorf("%w: there is no port %q at node %q", ErrIllegalWire, end.Port, end.Node)
	}
	return &Judge{d: d, end: end, port: port, loops: d.reach(end.Node, !end.Output), moving: moving}, nil
}

// Type returns the type of the fixed end.
func (j *Judge) Type() value.Type { return j.port.Type }

// Verdict judges a wire to the port other.
func (j *Judge) Verdict(other cards.PortRef) Verdict {
	port, ok := j.d.port(other)
	switch {
	case !ok:
		return illegal("node %q has no port %q", other.Node, other.Port)
	case other.Output == j.end.Output && other.Output:
		return illegal("both are outputs: a wire leads from an output to an input")
	case other.Output == j.end.Output:
		return illegal("both are inputs: a wire leads from an output to an input")
	case other.Node == j.end.Node:
		return illegal("a node cannot be connected to itself")
	case j.loops[other.Node]:
		return illegal("this would close a cycle; to repeat nodes, put them into a loop")
	}
	if j.end.Output {
		return j.into(wire(j.end, other), j.port, port)
	}
	return j.into(wire(other, j.end), port, j.port)
}

// into judges the wire c by its ports.
func (j *Judge) into(c workflow.Connection, source, target node.Port) Verdict {
	if target.Literal {
		return illegal("%q takes its value from the node's settings only", target.Name)
	}
	others, again := j.others(c)
	if target.Type.Kind() != value.KindList {
		if again {
			return illegal("they are connected already")
		}
		return judgeTypes(source.Type, target.Type, 1, len(others) > 0 && target.Name != node.AfterPort)
	}
	v := judgeTypes(source.Type, target.Type, len(others)+1, false)
	if len(others) == 1 && v.Legal() {
		if sole, ok := j.d.port(cards.PortRef{Node: others[0].FromNodeID, Port: others[0].FromPort, Output: true}); ok && engine.Assign(sole.Type, target.Type, 2) == value.Misfit {
			return illegal("with a second wire each is one item of %q, and the first brings a whole list", target.Name)
		}
	}
	return v
}

func judgeTypes(source, target value.Type, wires int, replaces bool) Verdict {
	fit := engine.Assign(source, target, wires)
	if fit == value.Misfit {
		return illegal("%s does not fit into %s", source, target)
	}
	return Verdict{Fit: fit, Replaces: replaces}
}

// others returns the other wires into the target of c, without the one that is being moved.
// again reports whether c exists already.
func (j *Judge) others(c workflow.Connection) (others []workflow.Connection, again bool) {
	left := j.moving
	for _, i := range j.d.wiresInto(c.ToNodeID, c.ToPort) {
		other := j.d.level.Connections[i]
		if left != nil && other == *left {
			left = nil
			continue
		}
		others = append(others, other)
		again = again || other == c
	}
	return others, again
}

// wire returns the connection between an output and an input.
func wire(from, to cards.PortRef) workflow.Connection {
	return workflow.Connection{FromNodeID: from.Node, FromPort: from.Port, ToNodeID: to.Node, ToPort: to.Port}
}

// between is wire for two ends in either order.
func between(a, b cards.PortRef) workflow.Connection {
	if a.Output {
		return wire(a, b)
	}
	return wire(b, a)
}

// reach returns a node and all nodes that can be reached from it, along the wires or against
// them.
func (d *Document) reach(id string, down bool) map[string]bool {
	x := d.lookup()
	seen := map[string]bool{id: true}
	for queue := []string{id}; len(queue) > 0; queue = queue[1:] {
		wires := x.into[queue[0]]
		if down {
			wires = x.out[queue[0]]
		}
		for _, i := range wires {
			c := d.level.Connections[i]
			next := c.FromNodeID
			if down {
				next = c.ToNodeID
			}
			if !seen[next] {
				seen[next] = true
				queue = append(queue, next)
			}
		}
	}
	return seen
}

// SoleWire returns the single wire into an input.
func (d *Document) SoleWire(ref cards.PortRef) (w workflow.Connection, ok bool) {
	wires := d.wiresInto(ref.Node, ref.Port)
	if ref.Output || len(wires) != 1 {
		return w, false
	}
	return d.level.Connections[wires[0]], true
}
