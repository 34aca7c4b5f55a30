package app

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/layout/cards"
	"github.com/svcflow/svc/engine/layout/geom"
	"github.com/svcflow/svc/engine/workflow"
)

// mostCrossings is how often wires of all templates together cross each other, arranged
// automatically. It is there to become less.
const mostCrossings = 20

// Wires of what is arranged go around cards, and hardly cross.
func TestWiresOfTemplatesHardlyCross(t *testing.T) {
	all, err := Templates()
	require.NoError(t, err)
	a := newTestApp(t, Config{ExtraPlugins: services()})
	wires, crossings := 0, 0
	for _, tmpl := range all {
		eachLevel(tmpl.Definition, func(def *workflow.Definition) {
			l := cards.Arranged(def, a.registry)
			here := crossed(def, &l)
			if here > 0 {
				t.Logf("%s: %d", tmpl.Name, here)
			}
			wires, crossings = wires+len(l.Wires), crossings+here
			requireAround(t, tmpl.Name, def, &l)
		})
	}
	t.Logf("%d wires cross %d times", wires, crossings)
	require.LessOrEqual(t, crossings, mostCrossings)
}

func eachLevel(def *workflow.Definition, do func(*workflow.Definition)) {
	do(def)
	for i := range def.Nodes {
		if body := def.Nodes[i].Body; body != nil {
			eachLevel(body, do)
		}
	}
}

// lineOf returns points along a wire as it is drawn.
func lineOf(w *cards.Way) (line []geom.Point) {
	points := make([]geom.Point, len(w.Points))
	for i, p := range w.Points {
		points[i] = geom.Point(p)
	}
	if len(points) > 2 {
		return points
	}
	const pieces = 32
	curve := geom.WireCurve(points[0], points[1])
	for i := range pieces + 1 {
		line = append(line, geom.CurveAt(curve, float64(i)/pieces))
	}
	return line
}

// crossed counts the crossings of wires that share no port.
func crossed(def *workflow.Definition, l *cards.Layout) (n int) {
	for i := range l.Wires {
		for k := range i {
			a, b := def.Connections[l.Wires[i].Connection], def.Connections[l.Wires[k].Connection]
			if a.FromNodeID == b.FromNodeID && a.FromPort == b.FromPort || a.ToNodeID == b.ToNodeID && a.ToPort == b.ToPort {
				continue
			}
			if crosses(lineOf(&l.Wires[i]), lineOf(&l.Wires[k])) {
				n++
			}
		}
	}
	return n
}

func crosses(a, b []geom.Point) bool {
	for i := range len(a) - 1 {
		for k := range len(b) - 1 {
			if side(a[i], a[i+1], b[k])*side(a[i], a[i+1], b[k+1]) < 0 && side(b[k], b[k+1], a[i])*side(b[k], b[k+1], a[i+1]) < 0 {
				return true
			}
		}
	}
	return false
}

// side tells on which side of a line a point lies.
func side(from, to, p geom.Point) float64 {
	return (to.X-from.X)*(p.Y-from.Y) - (to.Y-from.Y)*(p.X-from.X)
}

// requireAround requires that no wire passes over a card that it does not lead to.
func requireAround(t *testing.T, name string, def *workflow.Definition, l *cards.Layout) {
	t.Helper()
	for i := range l.Wires {
		c := def.Connections[l.Wires[i].Connection]
		line := lineOf(&l.Wires[i])
		for _, n := range l.Nodes {
			if n.ID == c.FromNodeID || n.ID == c.ToNodeID {
				continue
			}
			box := geom.RectAt(geom.Point{X: n.X, Y: n.Y}, n.W, n.H)
			for k := range len(line) - 1 {
				for j := range 9 {
					at := line[k].Add(line[k+1].Sub(line[k]).Scale(float64(j) / 8))
					require.False(t, box.Contains(at), "%s: the wire from %s to %s lies on %s", name, c.FromNodeID, c.ToNodeID, n.ID)
				}
			}
		}
	}
}
