package app

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/layout/cards"
	"github.com/svcflow/svc/engine/workflow"
)

// Cards of templates lie apart as they were placed, with some room for their wires.
func TestCardsOfTemplatesAreApart(t *testing.T) {
	const room = 16
	all, err := Templates()
	require.NoError(t, err)
	a := newTestApp(t, Config{ExtraPlugins: services()})
	for _, tmpl := range all {
		eachLevel(tmpl.Definition, func(def *workflow.Definition) {
			nodes := cards.Shown(def, a.registry).Nodes
			for i, n := range nodes {
				for _, o := range nodes[:i] {
					apart := n.X >= o.X+o.W+room || o.X >= n.X+n.W+room || n.Y >= o.Y+o.H+room || o.Y >= n.Y+n.H+room
					if !apart {
						t.Errorf("%s: %s (%g %g, %g × %g) and %s (%g %g, %g × %g)", tmpl.Name, n.ID, n.X, n.Y, n.W, n.H, o.ID, o.X, o.Y, o.W, o.H)
					}
				}
			}
		})
	}
}
