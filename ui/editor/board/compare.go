package board

import (
	"maps"
	"slices"

	"github.com/svcflow/svc/engine/layout/geom"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/ui/editor/doc"
	"github.com/svcflow/svc/ui/editor/scene"
)

// comparing is that the document is shown beside another state of the workflow.
type comparing struct {
	other  *doc.Document
	as     string          // what the user calls that state
	marked map[string]bool // nodes that are gone and were clicked
	shown  *scene.Compared
	at     int // revision of the document that is shown
}

// Compare shows what has become of the workflow since it was as other is, which the user
// calls by a name; nil shows the document alone again.
func (b *Board) Compare(other *workflow.Definition, as string) {
	b.compare = nil
	if other != nil {
		b.compare = &comparing{other: doc.New(other, b.doc.Specs()), as: as, marked: map[string]bool{}}
	}
}

// Comparing reports whether the document is compared with another state, and what that is
// called.
func (b *Board) Comparing() (as string, is bool) {
	if b.compare == nil {
		return "", false
	}
	return b.compare.as, true
}

// Differences are those of the level to the state that it is compared with; nil if it is
// not.
func (b *Board) Differences() *doc.Differences {
	if c := b.compared(); c != nil {
		return c.Differences
	}
	return nil
}

// compared returns what is to be shown of the other state.
func (b *Board) compared() *scene.Compared {
	c := b.compare
	if c == nil {
		return nil
	}
	if c.shown == nil || c.at != b.doc.Revision() {
		diff := doc.Differ(c.other, b.doc)
		c.shown, c.at = &scene.Compared{Differences: diff, Before: scene.New(c.other), Marked: c.marked}, b.doc.Revision()
		if !slices.Equal(c.other.Path(), b.doc.Path()) { // the other has no such level
			c.shown.Before = scene.New(doc.New(&workflow.Definition{}, b.doc.Specs()))
		}
		maps.DeleteFunc(c.marked, func(id string, _ bool) bool { return diff.Nodes[id].Change != doc.Removed })
	}
	return c.shown
}

// pressGone marks the node that is gone from a place, and unmarks all others unless mods
// say otherwise. It reports whether there is one.
func (b *Board) pressGone(at geom.Point, mods Mods) bool {
	c := b.compared()
	if c == nil {
		return false
	}
	id, found := c.GoneAt(at)
	if mods&(Shift|Ctrl) == 0 {
		clear(c.Marked)
	}
	if found {
		c.Marked[id] = true
	}
	return found
}

// Take makes the selected nodes, and those that are gone and marked, what they are in the
// state that is compared with; without any, the whole workflow. When nothing differs any
// more, the document is shown alone again.
func (b *Board) Take() error {
	err := b.act(func(s doc.Set) error {
		if b.compare == nil {
			return nil
		}
		ids := append(slices.Clone(s.Nodes), idsOf(b.compare.marked)...)
		if len(ids) == 0 {
			return b.doc.TakeAll(b.compare.other)
		}
		return b.doc.Take(b.compare.other, ids...)
	})
	if err == nil && b.compare != nil && len(b.doc.Path()) == 0 && b.compared().Empty() {
		b.compare = nil
	}
	return err
}
