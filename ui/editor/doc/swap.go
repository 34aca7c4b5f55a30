package doc

import (
	"fmt"
	"slices"

	"github.com/svcflow/svc/engine/layout/cards"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/workflow"
)

// Replace changes the type of a node. Its id, position, label and settings stay. A wire goes
// to the port of the same name if it fits there, else to the first free port that it fits,
// else it is removed. Values are kept for inputs that the new type has, too.
func (d *Document) Replace(id, typ string) error {
	return d.do("Replace node", "", func(c *change) error {
		i, err := c.need(id)
		if err != nil {
			return err
		}
		spec, ok := c.specs.Lookup(typ)
		if !ok {
			return fmt.Errorf("%w: %q", ErrUnknownType, typ)
		}
		wires := c.takeWires(id)
		modify(c, &c.level.Nodes, i, func(n *workflow.Node) {
			n.Type, n.Config = typ, fittingConfig(n.Config, spec)
			if !c.isContainer(typ) {
				n.Body = nil
			}
		})
		wires = slices.DeleteFunc(wires, func(w workflow.Connection) bool { return c.rewire(id, w, sameName) })
		for _, w := range wires {
			c.rewire(id, w, c.BestAt)
		}
		return nil
	})
}

// takeWires removes the wires of a node and returns them.
func (c *change) takeWires(id string) []workflow.Connection {
	var wires []workflow.Connection
	remove(c, &c.level.Connections, func(_ int, w *workflow.Connection) bool {
		if w.FromNodeID != id && w.ToNodeID != id {
			return false
		}
		wires = append(wires, *w)
		return true
	})
	slices.Reverse(wires)
	return wires
}

// rewire reconnects a wire of a node's former type to the port that pick chooses, if it fits.
// It reports whether it did.
func (c *change) rewire(id string, w workflow.Connection, pick func(was cards.PortRef, j *Judge) (cards.PortRef, bool)) bool {
	was, other := cards.PortRef{Node: w.ToNodeID, Port: w.ToPort, Output: false}, cards.PortRef{Node: w.FromNodeID, Port: w.FromPort, Output: true}
	if other.Node == id {
		was, other = other, was
	}
	j, err := c.Judge(other, nil)
	if err != nil {
		return false
	}
	to, ok := pick(was, j)
	if ok {
		extend(c, &c.level.Connections, between(to, other))
	}
	return ok
}

// sameName picks the port of the same name.
func sameName(was cards.PortRef, j *Judge) (cards.PortRef, bool) {
	v := j.Verdict(was)
	return was, v.Legal() && !v.Replaces
}

// BestAt picks the free port of the same node that a wire fits best.
func (d *Document) BestAt(was cards.PortRef, j *Judge) (cards.PortRef, bool) {
	id := was.Node
	if control, ok := order(j.end); ok || cards.IsControl(was.Port) {
		to := cards.PortRef{Node: id, Port: control, Output: !j.end.Output}
		v := j.Verdict(to)
		return to, ok && v.Legal() && !cards.IsControl(was.Port)
	}
	inputs, outputs, err := d.Ports(id)
	if err != nil {
		return cards.PortRef{}, false
	}
	ports, output := inputs, false
	if !j.end.Output {
		ports, output = outputs, true
	}
	at := bestPort(ports, func(p *node.Port) int {
		v := j.Verdict(cards.PortRef{Node: id, Port: p.Name, Output: output})
		switch {
		case !v.Legal() || v.Replaces || cards.IsControl(p.Name):
			return 0
		case output:
			return int(v.Fit)
		}
		return rank(p, v.Fit)
	})
	if at < 0 {
		return cards.PortRef{}, false
	}
	return cards.PortRef{Node: id, Port: ports[at].Name, Output: output}, true
}

// order returns the port for the other end of a wire that only orders nodes; ok is false for
// a data wire.
func order(end cards.PortRef) (port string, ok bool) {
	switch {
	case end.Output && end.Port == node.DonePort:
		return node.AfterPort, true
	case !end.Output && end.Port == node.AfterPort:
		return node.DonePort, true
	}
	return "", false
}

// fittingConfig returns the values in config that inputs of spec take.
func fittingConfig(config map[string]any, spec *node.Spec) map[string]any {
	var kept map[string]any
	for i := range spec.Inputs {
		p := &spec.Inputs[i]
		v, given := config[p.Name]
		if !given {
			continue
		}
		if _, err := p.Accept(v); err == nil {
			kept = withEntry(kept, p.Name, v)
		}
	}
	return kept
}
