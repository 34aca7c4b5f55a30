package scene

import (
	"math"

	"github.com/svcflow/svc/engine/layout/geom"
)

// Direction is where an arrow key points.
type Direction uint8

// The directions.
const (
	Left Direction = iota
	Right
	Up
	Down
)

// Vector returns the unit vector of the direction.
func (d Direction) Vector() geom.Point {
	return [...]geom.Point{{X: -1, Y: 0}, {X: 1, Y: 0}, {X: 0, Y: -1}, {X: 0, Y: 1}}[d]
}

// Nearest returns the node that an arrow key selects: the nearest one in that direction,
// where sideways distance counts double.
func (s *Scene) Nearest(from string, d Direction) (id string, ok bool) {
	card, ok := s.Card(from)
	if !ok {
		return "", false
	}
	start, way := card.Rect.Center(), d.Vector()
	best := math.Inf(1)
	for i := range s.Cards {
		to := s.Cards[i].Rect.Center().Sub(start)
		ahead := to.X*way.X + to.Y*way.Y
		aside := math.Abs(to.X*way.Y) + math.Abs(to.Y*way.X)
		if cost := ahead + 2*aside; ahead > 0 && aside <= 2*ahead && cost < best {
			best, id = cost, s.Cards[i].Node.ID
		}
	}
	return id, id != ""
}

// NearestTo returns the node whose middle is nearest to p.
func (s *Scene) NearestTo(p geom.Point) (id string, ok bool) {
	best := math.Inf(1)
	for i := range s.Cards {
		if far := s.Cards[i].Rect.Center().Sub(p).Length(); far < best {
			best, id = far, s.Cards[i].Node.ID
		}
	}
	return id, id != ""
}
