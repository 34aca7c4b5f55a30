package doc

import (
	"errors"
	"fmt"
	"strings"

	"github.com/svcflow/svc/engine/layout/cards"
	"github.com/svcflow/svc/engine/layout/geom"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/engine/workflow"
)

// ErrCannotCollapse reports that nodes cannot become a body.
var ErrCannotCollapse = errors.New("these nodes cannot become a body")

// Collapse moves nodes into the body of a new container of a type and returns its id. Every
// wire that crosses the border becomes a port of the container, with a boundary node inside.
// If the container loops over a list, that is the first list among its inputs. Boundary nodes
// stay outside: they are the interface of the workflow.
func (d *Document) Collapse(typ string, ids ...string) (id string, err error) {
	err = d.do("Collapse", "", func(c *change) error {
		f, err := c.foldInto(typ, ids)
		if err != nil {
			return err
		}
		id = f.id
		return f.fold()
	})
	return id, err
}

// folding is a Collapse in progress.
type folding struct {
	*change

	id, typ string
	inside  map[string]bool
	around  geom.Rect
	body    *workflow.Definition
	ids     *names                   // of the body's nodes
	ports   *names                   // of the container, inputs and outputs alike
	inputs  map[cards.PortRef]string // source outside → node of the body
	outputs map[cards.PortRef]string // source inside → port of the container
	wires   []workflow.Connection
	loop    node.Loop
	looped  bool // the loop has got its list
}

func (c *change) foldInto(typ string, ids []string) (*folding, error) {
	if !c.isContainer(typ) {
		return nil, fmt.Errorf("%w: nodes of type %q have none", ErrCannotCollapse, typ)
	}
	f := &folding{
		change: c, typ: typ, loop: c.specs.loop(typ), inside: map[string]bool{}, ids: &names{map[string]bool{}},
		ports: c.ownPorts(typ), inputs: map[cards.PortRef]string{}, outputs: map[cards.PortRef]string{},
		body: &workflow.Definition{Nodes: []workflow.Node{}, Connections: []workflow.Connection{}},
	}
	c.settle()
	for _, id := range ids {
		card, ok := c.Card(id)
		if !ok {
			return nil, fmt.Errorf("%w: %q", ErrNoNode, id)
		}
		if c.specs.boundary(card.Node.Type) {
			continue
		}
		f.inside[id], f.ids.taken[id] = true, true
		f.around = f.around.Union(card.Rect)
	}
	if len(f.inside) == 0 {
		return nil, fmt.Errorf("%w: select some first", ErrCannotCollapse)
	}
	if id, between := c.between(f.inside); between {
		return nil, fmt.Errorf("%w: %q lies between them; take it too", ErrCannotCollapse, id)
	}
	f.id = nodeNames(c.level).unique(idFor(typ))
	return f, nil
}

// ownPorts returns the names of the container's predefined ports.
func (d *Document) ownPorts(typ string) *names {
	own := &names{map[string]bool{}}
	if spec, ok := d.specs.Lookup(typ); ok {
		for _, p := range spec.Inputs {
			own.taken[p.Name] = true
		}
		for _, p := range spec.Outputs {
			own.taken[p.Name] = true
		}
	}
	loop := d.specs.loop(typ)
	for _, name := range []string{loop.Item, loop.Index, loop.While} {
		own.taken[name] = true
	}
	return own
}

// between returns a node outside that is behind some of the nodes and before others: as one
// container they would form a cycle with it.
func (d *Document) between(inside map[string]bool) (id string, found bool) {
	after, before := map[string]bool{}, map[string]bool{}
	for _, w := range d.level.Connections {
		if inside[w.FromNodeID] && !inside[w.ToNodeID] && !after[w.ToNodeID] {
			for id := range d.reach(w.ToNodeID, true) {
				after[id] = true
			}
		}
		if inside[w.ToNodeID] && !inside[w.FromNodeID] && !before[w.FromNodeID] {
			for id := range d.reach(w.FromNodeID, false) {
				before[id] = true
			}
		}
	}
	for _, n := range d.level.Nodes {
		if !inside[n.ID] && after[n.ID] && before[n.ID] {
			return n.ID, true
		}
	}
	return "", false
}

func (f *folding) fold() error {
	for _, n := range f.level.Nodes {
		if f.inside[n.ID] {
			f.body.Nodes = append(f.body.Nodes, n)
		}
	}
	for _, w := range f.level.Connections {
		f.foldWire(w)
	}
	f.foldGroups()
	at := f.around.Center()
	f.delete(Set{Nodes: keys(f.inside)})
	extend(f.change, &f.level.Nodes, workflow.Node{
		ID: f.id, Type: f.typ, Body: f.body,
		Position: position(geom.Point{X: at.X - cards.MinWidth/2, Y: at.Y - cards.HeaderHeight}.Snap(geom.Pitch)),
	})
	extend(f.change, &f.level.Connections, f.wires...)
	return nil
}

// foldWire moves a wire into the body, leaves it outside, or splits it at a port of the
// container.
func (f *folding) foldWire(w workflow.Connection) {
	switch from, to := f.inside[w.FromNodeID], f.inside[w.ToNodeID]; {
	case from && to:
		f.body.Connections = append(f.body.Connections, w)
	case to:
		f.foldInput(w)
	case from:
		f.foldOutput(w)
	}
}

// foldInput routes a wire into the body through a boundary node.
func (f *folding) foldInput(w workflow.Connection) {
	source := cards.PortRef{Node: w.FromNodeID, Port: w.FromPort, Output: true}
	id, known := f.inputs[source]
	if !known {
		port, _ := f.port(source)
		name, typ := "", port.Type
		if f.loop.Over != "" && typ.Kind() == value.KindList && !f.looped && !cards.IsControl(w.ToPort) {
			f.looped, name, typ = true, f.loop.Item, typ.Elem()
			f.wires = append(f.wires, wire(source, cards.PortRef{Node: f.id, Port: f.loop.Over, Output: false}))
		} else {
			name = f.ports.unique(strings.TrimPrefix(w.ToPort, "$")) // names with $ are the engine's
			f.wires = append(f.wires, wire(source, cards.PortRef{Node: f.id, Port: name, Output: false}))
		}
		id = f.boundary(f.specs.input, name, map[string]any{
			"name": name, "type": typ.String(), "required": !typ.Nullable(),
		})
		f.inputs[source] = id
	}
	f.body.Connections = append(f.body.Connections, workflow.Connection{
		FromNodeID: id, FromPort: boundaryPort, ToNodeID: w.ToNodeID, ToPort: w.ToPort,
	})
}

// foldOutput routes a wire out of the body through a boundary node.
func (f *folding) foldOutput(w workflow.Connection) {
	source := cards.PortRef{Node: w.FromNodeID, Port: w.FromPort, Output: true}
	name, known := f.outputs[source]
	if !known {
		name = f.ports.unique(strings.TrimPrefix(w.FromPort, "$"))
		id := f.boundary(f.specs.output, name, map[string]any{"name": name})
		f.body.Connections = append(f.body.Connections, workflow.Connection{
			FromNodeID: w.FromNodeID, FromPort: w.FromPort, ToNodeID: id, ToPort: boundaryPort,
		})
		f.outputs[source] = name
	}
	f.wires = append(f.wires, workflow.Connection{FromNodeID: f.id, FromPort: name, ToNodeID: w.ToNodeID, ToPort: w.ToPort})
}

// boundaryPort is the data port of a boundary node.
const boundaryPort = "value"

// boundary adds a boundary node to the body: inputs in a column to the left of
// the others, outputs to the right.
func (f *folding) boundary(typ, name string, config map[string]any) (id string) {
	const gap, pitch = 80, 88
	at := geom.Point{X: f.around.Min.X - gap - cards.MinWidth, Y: f.around.Min.Y + pitch*float64(len(f.inputs))}
	if typ == f.specs.output {
		at = geom.Point{X: f.around.Max.X + gap, Y: f.around.Min.Y + pitch*float64(len(f.outputs))}
	}
	id = f.ids.unique(name)
	f.body.Nodes = append(f.body.Nodes, workflow.Node{
		ID: id, Type: typ, Config: config, Position: position(at),
	})
	return id
}

// foldGroups moves groups that are completely inside into the body.
func (f *folding) foldGroups() {
	for _, g := range f.level.Groups {
		if len(g.NodeIDs) == 0 {
			continue
		}
		whole := true
		for _, id := range g.NodeIDs {
			whole = whole && f.inside[id]
		}
		if whole {
			f.body.Groups = append(f.body.Groups, g)
		}
	}
}
