package doc

import (
	"fmt"
	"slices"

	"github.com/svcflow/svc/engine/layout/cards"
	"github.com/svcflow/svc/engine/layout/geom"
	"github.com/svcflow/svc/engine/workflow"
)

// Point is a point that the user has routed a wire through.
type Point struct {
	Wire workflow.Connection
	At   int
}

// AddPoint adds a point to a wire, with that number, and returns it.
func (d *Document) AddPoint(wire workflow.Connection, number int, at geom.Point) (p Point, err error) {
	err = d.do("Add point", "", func(c *change) error {
		i, err := c.needWire(wire)
		if err != nil {
			return err
		}
		points := slices.Clone(c.viaOf(i))
		number = min(max(number, 0), len(points))
		if len(points) >= workflow.MaxVia {
			return fmt.Errorf("%w: it is led over %d points, and no more are possible", ErrIllegalWire, len(points))
		}
		c.setVia(i, slices.Insert(points, number, *position(at)))
		p = Point{c.level.Connections[i], number}
		return nil
	})
	return p, err
}

// Straighten removes all points of wires.
func (d *Document) Straighten(wires ...workflow.Connection) error {
	return d.do("Remove points", "", func(c *change) error {
		gone := map[workflow.Connection]bool{}
		for _, w := range wires {
			if gone[w] {
				continue
			}
			i, err := c.needWire(w)
			if err != nil {
				return err
			}
			gone[w] = true
			c.setVia(i, nil)
		}
		return nil
	})
}

func (d *Document) needWire(w workflow.Connection) (int, error) {
	i := slices.Index(d.level.Connections, w)
	if i < 0 {
		return 0, fmt.Errorf("%w: it is not there any more", ErrIllegalWire)
	}
	return i, nil
}

// viaOf returns the points of a wire, for reading only.
func (d *Document) viaOf(i int) []workflow.Position {
	if via := d.level.Connections[i].Via; via != nil {
		return *via
	}
	return nil
}

// setVia sets the points of a wire; a wire without points that gets none is not changed.
func (c *change) setVia(i int, points []workflow.Position) {
	if len(points) == 0 && len(c.viaOf(i)) == 0 {
		return
	}
	modify(c, &c.level.Connections, i, func(w *workflow.Connection) {
		w.Via = nil
		if len(points) > 0 {
			route := workflow.Route(points)
			w.Via = &route
		}
	})
}

// movePoints moves points by a distance, and all points of wires between moved nodes.
func (c *change) movePoints(points []Point, nodes map[string]bool, by geom.Point) {
	chosen := map[Point]bool{}
	for _, p := range points {
		chosen[p] = true
	}
	for i, w := range c.level.Connections {
		with := nodes[w.FromNodeID] && nodes[w.ToNodeID]
		via, moves := slices.Clone(c.viaOf(i)), with
		for k := range via {
			if with || chosen[Point{w, k}] {
				via[k], moves = *position(geom.Point(via[k]).Add(by)), true
			}
		}
		if moves {
			c.setVia(i, via)
		}
	}
}

// deletePoints deletes single points.
func (c *change) deletePoints(points []Point) {
	gone := map[Point]bool{}
	for _, p := range points {
		gone[p] = true
	}
	for i, w := range c.level.Connections {
		var left []workflow.Position
		for k, at := range c.viaOf(i) {
			if !gone[Point{w, k}] {
				left = append(left, at)
			}
		}
		if len(left) < len(c.viaOf(i)) {
			c.setVia(i, left)
		}
	}
}

// reroute updates the points of wires when the layout moves nodes.
func (c *change) reroute(places map[string]geom.Point) {
	by := map[string]geom.Point{}
	for id, to := range places {
		if card, ok := c.Card(id); ok {
			by[id] = to.Sub(card.Rect.Min)
		}
	}
	for i := range c.level.Connections {
		w := c.level.Connections[i]
		if route := cards.Rerouted(&w, by); route != w.Via {
			modify(c, &c.level.Connections, i, func(w *workflow.Connection) { w.Via = route })
		}
	}
}

// movedRoute returns a route moved by a distance.
func movedRoute(route *workflow.Route, by geom.Point) *workflow.Route {
	if route == nil || by == (geom.Point{}) {
		return route
	}
	moved := slices.Clone(*route)
	for k := range moved {
		moved[k] = *position(geom.Point(moved[k]).Add(by))
	}
	return &moved
}
