package board

import (
	"github.com/svcflow/svc/engine/layout/geom"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/ui/editor/doc"
	"github.com/svcflow/svc/ui/editor/scene"
)

// AddPoint adds a point to a wire and selects it, so that it can be moved.
func (b *Board) AddPoint(wire workflow.Connection, at geom.Point) error {
	return b.make(func(doc.Set) (doc.Set, error) {
		p, err := b.doc.AddPoint(wire, b.Scene().PointNumber(wire, at), at.Snap(geom.Pitch))
		return doc.Set{Points: []doc.Point{p}}, err
	})
}

// AddMiddlePoint adds a point in the middle of the single selected wire.
func (b *Board) AddMiddlePoint() error {
	wires := b.Selection.Set().Wires
	if len(wires) != 1 {
		return nil
	}
	at, ok := b.Scene().MiddleOf(wires[0])
	if !ok {
		return nil
	}
	return b.AddPoint(wires[0], at)
}

// Straighten removes all points of the selected wires, and of wires with selected points.
func (b *Board) Straighten() error {
	return b.act(func(s doc.Set) error {
		wires := s.Wires
		for _, p := range s.Points {
			wires = append(wires, p.Wire)
		}
		return b.doc.Straighten(wires...)
	})
}

// Led reports whether one of the selected wires, or of those with selected points, has
// points.
func (b *Board) Led() bool {
	set := b.Selection.Set()
	for _, w := range set.Wires {
		if len(scene.Via(w)) > 0 {
			return true
		}
	}
	return len(set.Points) > 0
}
