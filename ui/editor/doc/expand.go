package doc

import (
	"errors"
	"fmt"

	"github.com/svcflow/svc/engine/layout/cards"
	"github.com/svcflow/svc/engine/layout/geom"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/workflow"
)

// ErrHandled reports that a container cannot be expanded because another node handles its
// failure: outside, no single node has that failure.
var ErrHandled = errors.New("something is wired to $error of this node, and nothing could take its place; take that wire off first")

// Expand replaces a sub-workflow by the nodes of its body and returns them: the inverse of
// [Document.Collapse]. Loops cannot be expanded: outside, their nodes would run once.
func (d *Document) Expand(id string) (made Set, err error) {
	err = d.do("Expand", "", func(c *change) error {
		i, err := c.need(id)
		if err != nil {
			return err
		}
		n := c.level.Nodes[i]
		if !c.isContainer(n.Type) || c.specs.loop(n.Type) != (node.Loop{}) || n.Body == nil {
			return fmt.Errorf("%w: only a sub-workflow with a body of its own can be expanded", ErrNoBody)
		}
		if _, targets := c.outerEnds(id); len(targets[node.ErrorPort]) > 0 {
			return ErrHandled
		}
		made = c.unfold(&n)
		return nil
	})
	return made, err
}

// unfold replaces the container n by its body.
func (c *change) unfold(n *workflow.Node) Set {
	c.settle()
	sources, targets := c.outerEnds(n.ID)
	middle := c.Cards()[c.lookup().nodes[n.ID]].Rect.Center()
	body, inputs, outputs := c.inner(n)
	c.delete(Set{Nodes: []string{n.ID}})
	made, ids := c.pourNamed(body, middle.Sub(New(body, c.specs).Bounds().Center()).Snap(geom.Pitch))
	for _, w := range n.Body.Connections {
		from, in := ids[w.FromNodeID]
		to, out := ids[w.ToNodeID]
		starts := []cards.PortRef{{Node: from, Port: w.FromPort, Output: true}}
		if !in {
			starts = sources[inputs[w.FromNodeID]]
		}
		ends := []cards.PortRef{{Node: to, Port: w.ToPort, Output: false}}
		if !out {
			ends = targets[outputs[w.ToNodeID]]
		}
		if in && out {
			continue // poured with the nodes
		}
		c.joinAll(starts, ends)
	}
	c.joinControls(n.Body, ids, sources, targets)
	return made
}

// joinControls keeps the order of the container: the first of its nodes wait for what it
// waited for, and what waited for it waits for the last of them.
func (c *change) joinControls(body *workflow.Definition, ids map[string]string, sources, targets map[string][]cards.PortRef) {
	into, out := map[string]bool{}, map[string]bool{}
	for _, w := range body.Connections {
		if ids[w.FromNodeID] != "" && ids[w.ToNodeID] != "" {
			into[w.ToNodeID], out[w.FromNodeID] = true, true
		}
	}
	for _, n := range body.Nodes {
		id, poured := ids[n.ID]
		if poured && !into[n.ID] {
			c.joinAll(sources[node.AfterPort], []cards.PortRef{{Node: id, Port: node.AfterPort}})
			if when := (cards.PortRef{Node: id, Port: node.WhenPort}); len(c.wiresInto(id, node.WhenPort)) == 0 {
				c.joinAll(sources[node.WhenPort], []cards.PortRef{when})
			}
		}
		for _, to := range targets[node.DonePort] {
			if poured && !out[n.ID] && to.Port == node.AfterPort {
				_ = c.connect(cards.PortRef{Node: id, Port: node.DonePort, Output: true}, to)
			}
		}
	}
}

func (c *change) joinAll(starts, ends []cards.PortRef) {
	for _, from := range starts {
		for _, to := range ends {
			_ = c.connect(from, to) // wires that no longer fit are dropped
		}
	}
}

// outerEnds returns the other ends of a node's wires, by its ports.
func (c *change) outerEnds(id string) (sources, targets map[string][]cards.PortRef) {
	sources, targets = map[string][]cards.PortRef{}, map[string][]cards.PortRef{}
	for _, w := range c.level.Connections {
		if w.ToNodeID == id {
			sources[w.ToPort] = append(sources[w.ToPort], cards.PortRef{Node: w.FromNodeID, Port: w.FromPort, Output: true})
		}
		if w.FromNodeID == id {
			targets[w.FromPort] = append(targets[w.FromPort], cards.PortRef{Node: w.ToNodeID, Port: w.ToPort, Output: false})
		}
	}
	return sources, targets
}

// inner returns the body of n without its boundary nodes, and maps these to the ports of n.
func (c *change) inner(n *workflow.Node) (body *workflow.Definition, inputs, outputs map[string]string) {
	inputs, outputs = map[string]string{}, map[string]string{}
	body = &workflow.Definition{ID: clipboardID, Connections: n.Body.Connections, Groups: n.Body.Groups, Notes: n.Body.Notes}
	for _, in := range n.Body.Nodes {
		name, _ := in.Config["name"].(string)
		switch in.Type {
		case c.specs.input:
			inputs[in.ID] = name
		case c.specs.output:
			outputs[in.ID] = name
		default:
			body.Nodes = append(body.Nodes, in)
		}
	}
	return body, inputs, outputs
}

// pourNamed is pour that also returns the new names of the nodes.
func (c *change) pourNamed(f *workflow.Definition, by geom.Point) (Set, map[string]string) {
	made := c.pour(f, by)
	ids := map[string]string{}
	for i := range f.Nodes {
		ids[f.Nodes[i].ID] = made.Nodes[i]
	}
	return made, ids
}
