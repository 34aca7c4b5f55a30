package board

import (
	"github.com/svcflow/svc/engine/layout/geom"
	"github.com/svcflow/svc/ui/editor/doc"
)

// The commands of menus and shortcuts: commands of the document, applied to the selection.
// New parts are selected afterwards.

// Undo undoes the last step of the document; see [doc.Document.Undo].
func (b *Board) Undo() (name string, ok bool) {
	b.gesture = nil
	name, ok = b.doc.Undo()
	b.sync()
	return name, ok
}

// Redo repeats the step that was undone last.
func (b *Board) Redo() (name string, ok bool) {
	b.gesture = nil
	name, ok = b.doc.Redo()
	b.sync()
	return name, ok
}

// Delete deletes the selection.
func (b *Board) Delete() error { return b.act(b.doc.Delete) }

// DeleteReconnect deletes the selected nodes and connects their sources to their targets.
func (b *Board) DeleteReconnect() error {
	return b.act(func(s doc.Set) error { return b.doc.DeleteReconnect(s.Nodes...) })
}

// Copy returns the selection as JSON for the clipboard; nil if it is empty.
func (b *Board) Copy() []byte {
	b.sync()
	set := b.Selection.Set()
	if len(set.Nodes)+len(set.Notes)+len(set.Groups) == 0 {
		return nil
	}
	return b.doc.Copy(set)
}

// Cut is Copy and Delete.
func (b *Board) Cut() ([]byte, error) {
	data := b.Copy()
	if data == nil {
		return nil, nil
	}
	return data, b.Delete()
}

// Paste adds copied parts at the pointer, or in the middle of the view if the pointer is
// outside.
func (b *Board) Paste(data []byte) error {
	at := b.Pointer()
	switch {
	case b.Inside() && !b.on(b.pointer.At):
		at = b.Scene().Bounds.Center()
	case !b.View.Visible().Contains(at) || b.pointer.At == (geom.Point{}):
		at = b.View.Visible().Center()
	}
	return b.make(func(doc.Set) (doc.Set, error) { return b.doc.Paste(data, at) })
}

// Duplicate adds a copy of the selection beside it.
func (b *Board) Duplicate() error { return b.make(b.doc.Duplicate) }

// Group makes a group of the selected nodes.
func (b *Board) Group(label string) error {
	return b.make(func(s doc.Set) (doc.Set, error) {
		id, err := b.doc.Group(label, s.Nodes...)
		if id == "" {
			return s, err
		}
		return doc.Set{Groups: []string{id}}, err
	})
}

// Collapse moves the selected nodes into the body of a new container.
func (b *Board) Collapse(typ string) error {
	return b.make(func(s doc.Set) (doc.Set, error) {
		id, err := b.doc.Collapse(typ, s.Nodes...)
		return doc.Set{Nodes: []string{id}}, err
	})
}

// Expand replaces the selected sub-workflow by its body.
func (b *Board) Expand() error {
	return b.make(func(s doc.Set) (doc.Set, error) {
		if len(s.Nodes) != 1 {
			return s, doc.ErrNoBody
		}
		return b.doc.Expand(s.Nodes[0])
	})
}

// ToggleDisabled disables the selected nodes, or enables them if all are disabled.
func (b *Board) ToggleDisabled() error {
	return b.act(func(s doc.Set) error {
		disabled := false
		for _, id := range s.Nodes {
			n, ok := b.doc.Node(id)
			disabled = disabled || ok && !n.Disabled
		}
		return b.doc.SetDisabled(disabled, s.Nodes...)
	})
}

// Leave enters the level around the present one and selects the container that was left. It
// reports whether there is such a level.
func (b *Board) Leave() bool {
	path := b.doc.Path()
	return len(path) > 0 && b.LeaveTo(path[:len(path)-1]) == nil
}

// LeaveTo enters an outer level and selects the container that was left.
func (b *Board) LeaveTo(to []string) error {
	b.sync()
	from, base := b.doc.Path(), b.spot.base
	if err := b.doc.GoTo(to); err != nil || len(to) >= len(from) {
		return err
	}
	b.sync()
	if b.spot.base == base { // the same level is the outermost visible one
		b.Selection.Replace(doc.Set{Nodes: []string{from[len(to)]}})
	} else {
		b.Show(from[len(to)])
	}
	return nil
}

// ToggleUnfolded shows the body of the selected container on its card, or hides it again;
// with nothing selected, that of the container which the user is in. It works on past runs,
// too, whose document is never saved.
func (b *Board) ToggleUnfolded() error {
	b.sync()
	path := b.doc.Path()
	id, ok := b.Selection.Sole()
	if !ok && len(path) > 0 {
		if err := b.LeaveTo(path[:len(path)-1]); err != nil {
			return err
		}
		id = path[len(path)-1]
	}
	b.doc.Seal()
	defer b.sync()
	if b.doc.Unfolded(id) {
		return b.doc.Fold(id)
	}
	return b.doc.Unfold(id)
}

// Unfolded reports whether the body that [Board.ToggleUnfolded] would change is shown on its
// card.
func (b *Board) Unfolded() bool {
	if id, ok := b.Selection.Sole(); ok {
		return b.doc.Unfolded(id)
	}
	return b.Inside()
}

func (b *Board) act(command func(doc.Set) error) error {
	b.sync()
	if b.ReadOnly {
		return ErrReadOnly
	}
	b.doc.Seal()
	err := command(b.Selection.Set())
	b.sync()
	return err
}

func (b *Board) make(command func(doc.Set) (doc.Set, error)) error {
	var made doc.Set
	err := b.act(func(s doc.Set) (err error) {
		made, err = command(s)
		return err
	})
	if err == nil {
		b.Selection.Replace(made)
	}
	return err
}
