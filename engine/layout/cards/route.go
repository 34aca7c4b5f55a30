package cards

import (
	"github.com/svcflow/svc/engine/layout/geom"
	"github.com/svcflow/svc/engine/workflow"
)

// Rerouted returns the points of a wire after nodes were moved by the given distances. If
// both ends moved by the same distance, the points move with them; if they moved
// differently, the route is dropped, because it no longer fits. A wire whose ends did not
// move keeps its points.
func Rerouted(c *workflow.Connection, by map[string]geom.Point) *workflow.Route {
	from, moved := by[c.FromNodeID]
	to, also := by[c.ToNodeID]
	switch {
	case c.Via == nil || !moved && !also || from == to && from == geom.Point{}:
		return c.Via
	case from != to:
		return nil
	}
	route := make(workflow.Route, len(*c.Via))
	for i, at := range *c.Via {
		route[i] = workflow.Position(geom.Point(at).Add(from))
	}
	return &route
}
