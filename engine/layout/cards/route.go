package cards

import (
	"github.com/svcflow/svc/engine/layout/geom"
	"github.com/svcflow/svc/engine/workflow"
)

// Rerouted returns over which points a wire is led when nodes have been moved by distances:
// with its ends if both were moved alike, else over none, since there they would lead astray.
// A wire neither end of which is among the nodes keeps its points.
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
