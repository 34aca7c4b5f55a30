package cards

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/layout/geom"
)

func TestPortsOfACircleCanBeHitOneByOne(t *testing.T) {
	for inputs := range 12 {
		for outputs := range 12 {
			radius := ringRadius(inputs, outputs)
			require.GreaterOrEqual(t, radius, CircleSize/2)
			var ports []geom.Point
			for i := range inputs {
				ports = append(ports, onArc(radius, i, inputs, -1))
			}
			for i := range outputs {
				ports = append(ports, onArc(radius, i, outputs, 1))
			}
			for i, p := range ports {
				for _, q := range ports[:i] {
					require.GreaterOrEqual(t, p.Sub(q).Length(), 20-1e-9, "%d inputs and %d outputs", inputs, outputs)
				}
			}
		}
	}
	require.Equal(t, CircleSize/2, ringRadius(3, 5), "the service nodes keep theirs on the edge")
}
