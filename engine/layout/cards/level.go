package cards

import (
	"github.com/svcflow/svc/engine/layout"
	"github.com/svcflow/svc/engine/layout/geom"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/workflow"
)

// Layout is where everything on a level goes when it is arranged, in dp.
type Layout struct {
	Nodes []Placed `json:"nodes"` // in document order
	Notes []Placed `json:"notes"` // in document order
	Wires []Way    `json:"wires"` // in document order, without those that lack an end
}

// Placed is a node or a note: where the top left corner of its card is, and how large that
// is.
type Placed struct {
	ID string  `json:"id"`
	X  float64 `json:"x"`
	Y  float64 `json:"y"`
	W  float64 `json:"w"`
	H  float64 `json:"h"`
}

// Way is a wire, from the port where it begins to the one where it ends.
type Way struct {
	Connection int     `json:"connection"` // its place in the document
	Points     []Point `json:"points"`
}

// Point is a place on a wire.
type Point struct {
	X float64 `json:"x"`
	Y float64 `json:"y"`
}

// Arranged arranges the outermost level of a definition, as the editor does: from the top
// left corner of the nodes that have a position, else from the origin. It changes nothing,
// and takes broken definitions, too.
func Arranged(def *workflow.Definition, registry *node.Registry) Layout {
	all := cardsOf(def, registry)
	var around geom.Rect
	chosen := make([]int, len(all))
	for i := range all {
		chosen[i] = i
		if all[i].Node.Position != nil {
			around = around.Union(all[i].Rect)
		}
	}
	for i, at := range Arrange(all, chosen, def.Connections, def.Groups) {
		all[i].Move(at.Add(around.Min).Snap(geom.Pitch).Sub(all[i].Rect.Min))
	}
	notes := make([]geom.Rect, len(def.Notes))
	for i := range def.Notes {
		notes[i] = NoteRect(&def.Notes[i])
	}
	for i, at := range ClearNotes(all, notes, boundsOf(all, notes, def.Groups)) {
		notes[i] = notes[i].Move(at.Sub(notes[i].Min))
	}
	l := Layout{Nodes: make([]Placed, len(all)), Notes: make([]Placed, len(notes)), Wires: waysOf(all, def.Connections)}
	for i := range all {
		l.Nodes[i] = placed(all[i].Node.ID, all[i].Rect)
	}
	for i := range notes {
		l.Notes[i] = placed(def.Notes[i].ID, notes[i])
	}
	return l
}

func placed(id string, r geom.Rect) Placed {
	return Placed{ID: id, X: r.Min.X, Y: r.Min.Y, W: r.W(), H: r.H()}
}

// cardsOf returns the cards of the nodes of a level, in document order. Those without a
// position lie at the origin.
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
			k.Spec, k.Boundary = &typ.Spec, typ.Spec.Role != node.RoleStep
		}
		k.Inputs, k.Outputs = PortsOf(n, k.Spec, bound, into[n.ID], out[n.ID])
		all[i] = New(n, k)
		if n.Position != nil {
			all[i].Move(geom.Point(*n.Position))
		}
	}
	return all
}

// waysOf returns the ways of the wires that have both ends.
func waysOf(all []Card, connections []workflow.Connection) []Way {
	place, ways := placesOf(all), make([]Way, 0, len(connections))
	for i, c := range connections {
		from, ok := place[c.FromNodeID]
		to, also := place[c.ToNodeID]
		if !ok || !also {
			continue
		}
		source, target := all[from].Anchor(c.FromPort, true), all[to].Anchor(c.ToPort, false)
		if source != nil && target != nil {
			ways = append(ways, Way{i, []Point{Point(source.At), Point(target.At)}})
		}
	}
	return ways
}

// boundsOf returns the rectangle around all that lies on a level.
func boundsOf(all []Card, notes []geom.Rect, groups []workflow.Group) (bounds geom.Rect) {
	place := placesOf(all)
	for i := range all {
		bounds = bounds.Union(all[i].Extent())
	}
	for _, g := range groups {
		var around geom.Rect
		for _, id := range g.NodeIDs {
			if i, ok := place[id]; ok {
				around = around.Union(all[i].Extent())
			}
		}
		if !around.Empty() {
			bounds = bounds.Union(FrameAround(around))
		}
	}
	for _, r := range notes {
		bounds = bounds.Union(r)
	}
	return bounds
}

// ClearNotes returns new places for those of the notes that cards lie on: in a row below
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
