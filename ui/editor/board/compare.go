package board

import (
	"maps"
	"slices"

	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/ui/editor/doc"
	"github.com/svcflow/svc/ui/editor/scene"
)

// comparing is that the document is shown beside another state of the workflow.
type comparing struct {
	other  *doc.Document
	as     string     // what the user calls that state
	marked *Selection // what is gone and was clicked
	shown  *scene.Compared
	at     int // revision of the document that is shown
}

// Compare shows what has become of the workflow since it was as other is, which the user
// calls by a name; nil shows the document alone again.
func (b *Board) Compare(other *workflow.Definition, as string) {
	b.compare = nil
	if other != nil {
		b.compare = &comparing{other: doc.New(other, b.doc.Specs()), as: as, marked: newSelection()}
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
		before := scene.New(c.other)
		if !slices.Equal(c.other.Path(), b.doc.Path()) { // the other has no such level
			before = scene.New(doc.New(&workflow.Definition{}, b.doc.Specs()))
		}
		c.shown, c.at = scene.Compare(diff, before, b.Scene(), c.marked), b.doc.Revision()
		c.unmark(diff)
	}
	return c.shown
}

// unmark takes out what is not gone any more.
func (c *comparing) unmark(diff *doc.Differences) {
	back := func(marked map[string]bool, all map[string]doc.Difference) {
		maps.DeleteFunc(marked, func(id string, _ bool) bool { return all[id].Change != doc.Removed })
	}
	back(c.marked.nodes, diff.Nodes)
	back(c.marked.groups, diff.Groups)
	back(c.marked.notes, diff.Notes)
}

// pressGone selects a removed part under the pointer where nothing else is. Without mods the
// selection is replaced. It reports whether there is such a part.
func (b *Board) pressGone(hit scene.Hit, mods Mods) bool {
	c := b.compared()
	if c == nil {
		return false
	}
	alone := mods&(Shift|Ctrl) == 0
	if alone {
		b.compare.marked.Clear()
	}
	if hit.Kind != scene.HitNothing {
		return false
	}
	gone := c.GoneAt(b.Pointer(), b.View.Zoom)
	if gone.Kind == scene.HitNothing {
		return false
	}
	if alone {
		b.doc.Seal()
		b.Selection.Clear()
	}
	b.compare.marked.Toggle(gone.Set())
	return true
}

// Take makes what is selected, and what is gone and marked, what it is in the state that is
// compared with; without either, the whole workflow. When nothing differs any more, the
// document is shown alone again.
func (b *Board) Take() error {
	err := b.act(func(s doc.Set) error {
		if b.compare == nil {
			return nil
		}
		gone := b.compare.marked.Set()
		s.Nodes, s.Groups, s.Notes = append(s.Nodes, gone.Nodes...), append(s.Groups, gone.Groups...), append(s.Notes, gone.Notes...)
		if s.Empty() {
			return b.doc.TakeAll(b.compare.other)
		}
		return b.doc.Take(b.compare.other, s)
	})
	if err == nil && b.compare != nil && len(b.doc.Path()) == 0 && b.compared().Empty() {
		b.compare = nil
	}
	return err
}
