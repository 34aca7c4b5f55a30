package board

import (
	"maps"
	"slices"

	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/ui/editor/doc"
	"github.com/svcflow/svc/ui/editor/scene"
)

// comparing is a comparison with another state of the workflow.
type comparing struct {
	other  *doc.Document
	as     string     // the user's name for that state
	marked *Selection // the selected ones among the removed parts
	shown  *scene.Compared
	at     int // revision of the document that was compared
}

// Compare shows the changes of the workflow since other, which the user calls as; nil ends
// the comparison.
func (b *Board) Compare(other *workflow.Definition, as string) {
	b.compare = nil
	if other != nil {
		b.compare = &comparing{other: doc.New(other, b.doc.Specs()), as: as, marked: newSelection()}
	}
}

// Comparing reports whether the document is compared with another state, and returns that
// state's name.
func (b *Board) Comparing() (as string, is bool) {
	if b.compare == nil {
		return "", false
	}
	return b.compare.as, true
}

// Differences returns the differences of the level; nil without a comparison.
func (b *Board) Differences() *doc.Differences {
	if c := b.compared(); c != nil {
		return c.Differences
	}
	return nil
}

// compared returns what the scene shows of the other state.
func (b *Board) compared() *scene.Compared {
	c := b.compare
	if c == nil {
		return nil
	}
	if c.shown == nil || c.at != b.doc.Revision() {
		diff := doc.Differ(c.other, b.doc)
		before := scene.New(c.other)
		if !slices.Equal(c.other.Path(), b.doc.Path()) { // the other state has no such level
			before = scene.New(doc.New(&workflow.Definition{}, b.doc.Specs()))
		}
		c.shown, c.at = scene.Compare(diff, before, b.Scene(), c.marked), b.doc.Revision()
		c.unmark(diff)
	}
	return c.shown
}

// unmark removes parts from the marked ones that exist again.
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

// Take changes the selected and the marked removed parts to their other state; without
// either, the whole workflow. When no differences are left, it ends the comparison.
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
