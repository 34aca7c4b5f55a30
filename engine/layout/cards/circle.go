package cards

import (
	"math"

	"github.com/svcflow/svc/engine/layout/geom"
)

// layCircle places the inputs along the left arc of a circle and the outputs along the
// right arc.
func (c *Card) layCircle(inputs int) {
	outputs := len(c.Ports) - inputs
	radius := ringRadius(inputs, outputs)
	middle := geom.Point{X: CircleSize / 2, Y: CircleSize / 2}
	for i := range c.Ports {
		at := onArc(radius, i, inputs, -1)
		if i >= inputs {
			at = onArc(radius, i-inputs, outputs, 1)
		}
		c.Ports[i].At = middle.Add(at)
	}
	c.layControlsAround(radius)
	c.Rect = geom.RectAt(geom.Point{}, CircleSize, CircleSize)
}

// arcStep returns the angle between neighbouring ports on one arc, in degrees: wide if
// there are few ports, but small enough that the arcs do not meet.
func arcStep(ports int) float64 {
	const comfortable, widest = 46, 150
	if ports < 2 {
		return comfortable
	}
	return min(comfortable, widest/float64(ports-1))
}

// ringRadius returns the distance of the ports from the center: the edge of the circle, or
// more if the ports would be too close together to be hit.
func ringRadius(inputs, outputs int) float64 {
	span := func(n int) float64 { return arcStep(n) * float64(max(n, 1)-1) / 2 }
	gap := min(arcStep(inputs), arcStep(outputs), 180-span(inputs)-span(outputs))
	return max(CircleSize/2, PortReach/math.Sin(gap/2*math.Pi/180))
}

// onArc returns the position of port i of n relative to the center; side is -1 for the left
// arc and 1 for the right arc.
func onArc(radius float64, i, n int, side float64) geom.Point {
	angle := arcStep(n) * (float64(i) - float64(n-1)/2) * math.Pi / 180
	return geom.Point{X: side * radius * math.Cos(angle), Y: radius * math.Sin(angle)}
}
