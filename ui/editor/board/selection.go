package board

import (
	"cmp"
	"maps"
	"slices"

	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/ui/editor/doc"
	"github.com/svcflow/svc/ui/editor/scene"
)

// Selection is the selection that commands work on.
type Selection struct {
	nodes, groups, notes map[string]bool
	wires                map[workflow.Connection]bool
	points               map[doc.Point]bool
}

func newSelection() *Selection {
	return &Selection{map[string]bool{}, map[string]bool{}, map[string]bool{}, map[workflow.Connection]bool{}, map[doc.Point]bool{}}
}

// Set returns the selected parts, sorted by id.
func (s *Selection) Set() doc.Set {
	points := slices.SortedFunc(maps.Keys(s.points), func(a, b doc.Point) int {
		return cmp.Or(byEnds(a.Wire, b.Wire), cmp.Compare(a.At, b.At))
	})
	return doc.Set{
		Nodes: idsOf(s.nodes), Groups: idsOf(s.groups), Notes: idsOf(s.notes),
		Wires: slices.SortedFunc(maps.Keys(s.wires), byEnds), Points: points,
	}
}

func byEnds(a, b workflow.Connection) int {
	return cmp.Or(
		cmp.Compare(a.FromNodeID, b.FromNodeID), cmp.Compare(a.FromPort, b.FromPort),
		cmp.Compare(a.ToNodeID, b.ToNodeID), cmp.Compare(a.ToPort, b.ToPort),
	)
}

// Empty reports whether nothing is selected.
func (s *Selection) Empty() bool {
	return len(s.nodes)+len(s.groups)+len(s.notes)+len(s.wires)+len(s.points) == 0
}

// Node reports whether a node is selected.
func (s *Selection) Node(id string) bool { return s.nodes[id] }

// Group reports whether a group is selected.
func (s *Selection) Group(id string) bool { return s.groups[id] }

// Note reports whether a note is selected.
func (s *Selection) Note(id string) bool { return s.notes[id] }

// Wire reports whether a wire is selected.
func (s *Selection) Wire(w workflow.Connection) bool { return s.wires[w] }

// Point reports whether a point of a wire is selected.
func (s *Selection) Point(p doc.Point) bool { return s.points[p] }

// Sole returns the selected node if exactly one is selected.
func (s *Selection) Sole() (id string, ok bool) {
	if len(s.nodes) != 1 {
		return "", false
	}
	return idsOf(s.nodes)[0], true
}

// Replace selects set and nothing else.
func (s *Selection) Replace(set doc.Set) {
	s.Clear()
	s.Add(set)
}

// Add adds set to the selection.
func (s *Selection) Add(set doc.Set) { s.each(set, func(bool) bool { return true }) }

// Remove removes set from the selection.
func (s *Selection) Remove(set doc.Set) { s.each(set, func(bool) bool { return false }) }

// Toggle adds the parts of set that are not selected, and removes the others.
func (s *Selection) Toggle(set doc.Set) { s.each(set, func(selected bool) bool { return !selected }) }

// Clear clears the selection.
func (s *Selection) Clear() {
	clear(s.nodes)
	clear(s.groups)
	clear(s.notes)
	clear(s.wires)
	clear(s.points)
}

// Has reports whether the hit part is selected.
func (s *Selection) Has(h scene.Hit) bool {
	switch h.Kind {
	case scene.HitNode, scene.HitCardCorner, scene.HitAction:
		return s.nodes[h.ID]
	case scene.HitNote, scene.HitNoteCorner:
		return s.notes[h.ID]
	case scene.HitGroup:
		return s.groups[h.ID]
	case scene.HitWire:
		return s.wires[h.Wire]
	case scene.HitPoint:
		return s.points[h.Point()]
	default:
		return false
	}
}

func (s *Selection) each(set doc.Set, choose func(selected bool) bool) {
	mark(s.nodes, set.Nodes, choose)
	mark(s.groups, set.Groups, choose)
	mark(s.notes, set.Notes, choose)
	mark(s.wires, set.Wires, choose)
	mark(s.points, set.Points, choose)
}

func mark[K comparable](marked map[K]bool, items []K, choose func(bool) bool) {
	for _, k := range items {
		if choose(marked[k]) {
			marked[k] = true
		} else {
			delete(marked, k)
		}
	}
}

// prune removes parts that the document no longer has.
func (s *Selection) prune(d *doc.Document) {
	maps.DeleteFunc(s.nodes, func(id string, _ bool) bool {
		_, there := d.Node(id)
		return !there
	})
	maps.DeleteFunc(s.groups, func(id string, _ bool) bool {
		return !slices.ContainsFunc(d.Groups(), func(g workflow.Group) bool { return g.ID == id })
	})
	maps.DeleteFunc(s.notes, func(id string, _ bool) bool {
		return !slices.ContainsFunc(d.Notes(), func(n workflow.Note) bool { return n.ID == id })
	})
	if len(s.wires)+len(s.points) > 0 {
		s.pruneWires(d)
	}
}

// pruneWires is prune for wires and their points. A wire whose points have changed is still
// the same.
func (s *Selection) pruneWires(d *doc.Document) {
	there, alike := map[workflow.Connection]bool{}, map[workflow.Connection]workflow.Connection{}
	for _, w := range d.Connections() {
		there[w] = true
		alike[w.Bare()] = w
	}
	now := func(w workflow.Connection) (workflow.Connection, bool) {
		if there[w] {
			return w, true
		}
		w, ok := alike[w.Bare()]
		return w, ok
	}
	set := s.Set()
	clear(s.wires)
	clear(s.points)
	for _, w := range set.Wires {
		if w, ok := now(w); ok {
			s.wires[w] = true
		}
	}
	for _, p := range set.Points {
		if w, ok := now(p.Wire); ok && p.At < len(scene.Via(w)) {
			s.points[doc.Point{Wire: w, At: p.At}] = true
		}
	}
}

// idsOf returns the members of a set, sorted.
func idsOf(set map[string]bool) []string { return slices.Sorted(maps.Keys(set)) }
