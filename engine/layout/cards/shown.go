package cards

import (
	"github.com/svcflow/svc/engine/layout/geom"
	"github.com/svcflow/svc/engine/layout/ways"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/workflow"
)

// layoutOf returns the positions of everything on a level.
func layoutOf(on level, registry *node.Registry) Layout {
	l := Layout{
		Nodes: make([]PlacedNode, len(on.cards)), Notes: make([]Placed, len(on.notes)), Groups: []Placed{},
		Wires: waysOf(on.cards, on.connections),
	}
	for i := range on.cards {
		l.Nodes[i] = placedNode(&on.cards[i])
		l.Nodes[i].Body = bodyOn(&on.cards[i], registry)
	}
	for i := range on.notes {
		l.Notes[i] = placed(on.def.Notes[i].ID, on.notes[i])
	}
	for i, frame := range framesOf(on.cards, on.def.Groups) {
		if !frame.Empty() {
			l.Groups = append(l.Groups, placed(on.def.Groups[i].ID, frame))
		}
	}
	return l
}

func placed(id string, r geom.Rect) Placed {
	return Placed{ID: id, X: r.Min.X, Y: r.Min.Y, W: r.W(), H: r.H()}
}

func placedNode(c *Card) PlacedNode {
	n := PlacedNode{Placed: placed(c.Node.ID, c.Rect), Circle: c.Circle, Ports: make([]PlacedPort, 0, len(c.Ports)+len(c.Controls))}
	for _, anchors := range [][]Anchor{c.Ports, c.Controls} {
		for i := range anchors {
			a := &anchors[i]
			n.Ports = append(n.Ports, PlacedPort{
				Name: a.Port, Output: a.Output, Type: a.Spec.Type.String(), X: a.At.X, Y: a.At.Y, Fixed: a.Fixed(), Value: a.Value,
			})
		}
	}
	return n
}

// waysOf returns the ways of the wires that have both ends: through the points in the
// document, else around the cards between the ends.
func waysOf(all []Card, connections []workflow.Connection) []Way {
	place, led := placesOf(all), make([]Way, 0, len(connections))
	var wires []ways.Wire
	var free []int // indexes in led of wires whose way is to be found
	for i := range connections {
		c := &connections[i]
		from, ok := place[c.FromNodeID]
		to, also := place[c.ToNodeID]
		if !ok || !also {
			continue
		}
		source, target := all[from].Anchor(c.FromPort, true), all[to].Anchor(c.ToPort, false)
		if source == nil || target == nil {
			continue
		}
		points := []Point{Point(source.At)}
		if c.Via != nil && len(*c.Via) > 0 {
			for _, at := range *c.Via {
				points = append(points, Point(at))
			}
		} else {
			free = append(free, len(led))
			wires = append(wires, ways.Wire{From: source.At, To: target.At, Source: from, Target: to})
		}
		led = append(led, Way{i, append(points, Point(target.At))})
	}
	for k, bends := range ways.New(extentsOf(all), PortReach, wires).Bends {
		way := &led[free[k]]
		end := way.Points[1]
		way.Points = way.Points[:1]
		for _, at := range bends {
			way.Points = append(way.Points, Point(at))
		}
		way.Points = append(way.Points, end)
	}
	return led
}

func extentsOf(all []Card) []geom.Rect {
	boxes := make([]geom.Rect, len(all))
	for i := range all {
		boxes[i] = all[i].Extent()
	}
	return boxes
}

// framesOf returns the frames of groups, which are empty for groups without nodes.
func framesOf(all []Card, groups []workflow.Group) []geom.Rect {
	place, frames := placesOf(all), make([]geom.Rect, len(groups))
	for i, g := range groups {
		var around geom.Rect
		for _, id := range g.NodeIDs {
			if k, ok := place[id]; ok {
				around = around.Union(all[k].Extent())
			}
		}
		if !around.Empty() {
			frames[i] = FrameAround(around)
		}
	}
	return frames
}

// boundsOf returns the rectangle around everything on a level.
func boundsOf(all []Card, notes []geom.Rect, groups []workflow.Group) (bounds geom.Rect) {
	for i := range all {
		bounds = bounds.Union(all[i].Extent())
	}
	for _, r := range append(framesOf(all, groups), notes...) {
		bounds = bounds.Union(r)
	}
	return bounds
}
