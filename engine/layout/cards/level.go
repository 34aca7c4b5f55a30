package cards

import (
	"slices"

	"github.com/svcflow/svc/engine/layout"
	"github.com/svcflow/svc/engine/layout/geom"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/workflow"
)

// Layout is the positions of everything on a level, in dp.
type Layout struct {
	Nodes  []PlacedNode `json:"nodes"`  // in document order
	Notes  []Placed     `json:"notes"`  // in document order
	Groups []Placed     `json:"groups"` // frames of groups that have nodes, in document order
	Wires  []Way        `json:"wires"`  // in document order, without wires that lack an end
}

// Placed is a node, a note or a group: the top left corner and the size of its card or
// frame.
type Placed struct {
	ID string  `json:"id"`
	X  float64 `json:"x"`
	Y  float64 `json:"y"`
	W  float64 `json:"w"`
	H  float64 `json:"h"`
}

// PlacedNode is the card of a node with its ports, including those from its config and its
// wires.
type PlacedNode struct {
	Placed

	Circle bool         `json:"circle,omitempty"` // the name is below it; otherwise the card has a row for each port
	Ports  []PlacedPort `json:"ports"`            // inputs, outputs, then implicit ports
	Body   *PlacedBody  `json:"body,omitempty"`   // the body shown on the card, if it is unfolded
}

// PlacedPort is the position of a port.
type PlacedPort struct {
	Name   string  `json:"name"`
	Output bool    `json:"output,omitempty"`
	Type   string  `json:"type"`
	X      float64 `json:"x"`
	Y      float64 `json:"y"`
	Fixed  bool    `json:"fixed,omitempty"` // the port cannot be wired
	Value  string  `json:"value,omitempty"` // configured value, as short text
}

// Way is a wire, from its source port to its target port. The points between are bends,
// where the wire turns by a right angle; without bends, the wire is a curve (see package
// ways).
type Way struct {
	Connection int     `json:"connection"` // index in the document
	Points     []Point `json:"points"`
}

// Point is a point of a wire.
type Point struct {
	X float64 `json:"x"`
	Y float64 `json:"y"`
}

// Arranged arranges the outermost level of a definition as the editor does. The layout
// begins at the top left corner of the nodes that have a position, else at the origin.
// Arranged does not change the definition and accepts invalid ones.
func Arranged(def *workflow.Definition, registry *node.Registry) Layout {
	all := cardsOf(def, registry)
	var around geom.Rect
	chosen, moved := make([]int, len(all)), make(map[string]geom.Point, len(all))
	for i := range all {
		chosen[i] = i
		if all[i].Node.Position != nil {
			around = around.Union(all[i].Rect)
		}
	}
	for i, at := range Arrange(all, chosen, def.Connections, def.Groups) {
		by := at.Add(around.Min).Snap(geom.Pitch).Sub(all[i].Rect.Min)
		all[i].Move(by)
		moved[all[i].Node.ID] = by
	}
	connections := slices.Clone(def.Connections)
	for i := range connections {
		connections[i].Via = Rerouted(&connections[i], moved)
	}
	notes := notesOf(def)
	for i, at := range ClearNotes(all, notes, boundsOf(all, notes, def.Groups)) {
		notes[i] = notes[i].Move(at.Sub(notes[i].Min))
	}
	return layoutOf(level{def, connections, all, notes}, registry)
}

// Shown returns the layout that the editor shows when it opens a definition: nodes with a
// position stay there, and the others are arranged below them.
func Shown(def *workflow.Definition, registry *node.Registry) Layout {
	return layoutOf(shown(def, registry), registry)
}

// level is the contents of a level with their positions.
type level struct {
	def         *workflow.Definition
	connections []workflow.Connection
	cards       []Card
	notes       []geom.Rect
}

func shown(def *workflow.Definition, registry *node.Registry) level {
	all := cardsOf(def, registry)
	var fresh []int
	var placed geom.Rect
	for i := range all {
		if all[i].Node.Position == nil {
			fresh = append(fresh, i)
		} else {
			placed = placed.Union(all[i].Rect)
		}
	}
	for i, at := range ArrangeBelow(all, fresh, placed, def.Connections, def.Groups) {
		all[fresh[i]].Move(at)
	}
	return level{def, def.Connections, all, notesOf(def)}
}

// ArrangeBelow is [Arrange] for nodes without a position. It places them below the nodes
// that have one.
func ArrangeBelow(all []Card, fresh []int, placed geom.Rect, wires []workflow.Connection, groups []workflow.Group) []geom.Point {
	const below = 80
	var origin geom.Point
	if !placed.Empty() {
		origin = geom.Point{X: placed.Min.X, Y: placed.Max.Y + below}
	}
	places := Arrange(all, fresh, wires, groups)
	for i := range places {
		places[i] = places[i].Add(origin).Snap(geom.Pitch)
	}
	return places
}

func notesOf(def *workflow.Definition) []geom.Rect {
	notes := make([]geom.Rect, len(def.Notes))
	for i := range def.Notes {
		notes[i] = NoteRect(&def.Notes[i])
	}
	return notes
}

// cardsOf returns the cards of the nodes of a level, in document order. Those without a
// position are at the origin.
func cardsOf(def *workflow.Definition, registry *node.Registry) []Card {
	into, out := map[string][]string{}, map[string][]string{}
	wires := map[PortRef]int{}
	for _, c := range def.Connections {
		into[c.ToNodeID], out[c.FromNodeID] = append(into[c.ToNodeID], c.ToPort), append(out[c.FromNodeID], c.FromPort)
		wires[PortRef{c.FromNodeID, c.FromPort, true}]++
		wires[PortRef{c.ToNodeID, c.ToPort, false}]++
	}
	all, bound, controls := make([]Card, len(def.Nodes)), BoundPorts(registry), NewControls()
	for i := range def.Nodes {
		n := &def.Nodes[i]
		k := Kit{Controls: controls, Wires: func(port string, output bool) int { return wires[PortRef{n.ID, port, output}] }}
		if typ, ok := registry.Lookup(n.Type); ok {
			k.Spec, k.Boundary = &typ.Spec, typ.Spec.Role == node.RoleInput || typ.Spec.Role == node.RoleOutput
		}
		k.Inputs, k.Outputs = PortsOf(n, k.Spec, bound, into[n.ID], out[n.ID])
		all[i] = New(n, k)
		if n.Position != nil {
			all[i].Move(geom.Point(*n.Position))
		}
	}
	return all
}

// ClearNotes returns new positions for notes that are covered by cards: in a row below
// bounds, which is the rectangle around everything.
func ClearNotes(all []Card, notes []geom.Rect, bounds geom.Rect) map[int]geom.Point {
	lying := geom.NewIndex(len(all))
	for i := range all {
		lying.Add(i, all[i].Extent())
	}
	places := map[int]geom.Point{}
	at := geom.Point{X: bounds.Min.X, Y: bounds.Max.Y + layout.NodeGap}.Snap(geom.Pitch)
	for i, r := range notes {
		covered := false
		lying.Within(r, func(int) { covered = true })
		if covered {
			places[i] = at
			at.X += r.W() + layout.NodeGap
		}
	}
	return places
}
