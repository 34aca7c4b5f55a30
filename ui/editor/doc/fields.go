package doc

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/svcflow/svc/engine/layout/cards"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/engine/workflow"
)

// ErrTaken reports that an id belongs to another node.
var ErrTaken = errors.New("another node has this id")

// SetConfig sets the value of an input, which must not be changed afterwards. Typing into one
// input is one step.
func (d *Document) SetConfig(id, port string, v any) error {
	if err := value.Check(v); err != nil {
		return err
	}
	return d.set("Change "+port, "config/"+id+"/"+port, id, func(n *workflow.Node) {
		n.Config = withEntry(n.Config, port, v)
	})
}

// ClearConfig removes the value of an input, so that its default applies.
func (d *Document) ClearConfig(id, port string) error {
	return d.set("Clear "+port, "config/"+id+"/"+port, id, func(n *workflow.Node) {
		if _, given := n.Config[port]; !given {
			return
		}
		if n.Config = maps.Clone(n.Config); len(n.Config) == 1 {
			n.Config = nil
		}
		delete(n.Config, port)
	})
}

// SetLabel sets the label of a node; "" means that of its type.
func (d *Document) SetLabel(id, label string) error {
	return d.set("Rename node", "label/"+id, id, func(n *workflow.Node) { n.Label = label })
}

// SetTimeout sets the timeout of an attempt of a node in milliseconds; 0 is the default of
// its type.
func (d *Document) SetTimeout(id string, ms int) error {
	return d.set("Change timeout", "timeout/"+id, id, func(n *workflow.Node) { n.TimeoutMs = ms })
}

// SetRetry sets how often a node is retried; nil means never.
func (d *Document) SetRetry(id string, retry *workflow.Retry) error {
	if retry != nil {
		kept := *retry
		retry = &kept
	}
	return d.set("Change retries", "retry/"+id, id, func(n *workflow.Node) { n.Retry = retry })
}

// SetDisabled disables or enables nodes.
func (d *Document) SetDisabled(disabled bool, ids ...string) error {
	name := "Enable"
	if disabled {
		name = "Disable"
	}
	return d.do(name, "", func(c *change) error {
		for _, id := range ids {
			i, err := c.need(id)
			if err != nil {
				return err
			}
			modify(c, &c.level.Nodes, i, func(n *workflow.Node) { n.Disabled = disabled })
		}
		return nil
	})
}

// set changes one node. It refuses a node that a document cannot contain.
func (d *Document) set(name, key, id string, f func(n *workflow.Node)) error {
	return d.do(name, key, func(c *change) error {
		i, err := c.need(id)
		if err != nil {
			return err
		}
		n := c.level.Nodes[i]
		f(&n)
		if err := checkNode(n); err != nil {
			return err
		}
		replace(c, &c.level.Nodes, i, 1, n)
		return nil
	})
}

// checkNode checks that a document can contain n, by marshalling it.
func checkNode(n workflow.Node) error {
	n.Body = nil
	def := workflow.Definition{ID: "check", Nodes: []workflow.Node{n}}
	_, err := workflow.Decode(def.AppendJSON(nil), workflow.DefaultLimits())
	return err
}

// Rename gives a node another id; its wires and groups follow. References that
// configs make to it are not changed.
func (d *Document) Rename(id, to string) error {
	return d.do("Change id", "", func(c *change) error {
		i, err := c.need(id)
		if err != nil || id == to {
			return err
		}
		if err := workflow.CheckNodeID(to); err != nil {
			return err
		}
		if _, taken := c.at(to); taken {
			return fmt.Errorf("%w: %q", ErrTaken, to)
		}
		modify(c, &c.level.Nodes, i, func(n *workflow.Node) { n.ID = to })
		c.moveWires(id, func(end cards.PortRef) (cards.PortRef, bool) {
			end.Node = to
			return end, true
		})
		c.renameInGroups(id, to)
		return nil
	})
}

func (c *change) renameInGroups(id, to string) {
	for i := range c.level.Groups {
		ids := slices.Clone(c.level.Groups[i].NodeIDs)
		for k := range ids {
			if ids[k] == id {
				ids[k] = to
			}
		}
		modify(c, &c.level.Groups, i, func(g *workflow.Group) { g.NodeIDs = ids })
	}
}
