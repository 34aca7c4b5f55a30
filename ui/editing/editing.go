// Package editing applies commands and gestures to the document: it changes, copies and
// arranges the selection, and lets the user pick node types and ports where needed. While no
// workflow is open, its commands do nothing.
package editing

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/lang"

	"github.com/svcflow/svc/engine/layout/cards"
	"github.com/svcflow/svc/engine/layout/geom"
	"github.com/svcflow/svc/ui/editor/board"
	"github.com/svcflow/svc/ui/editor/doc"
	"github.com/svcflow/svc/ui/editor/scene"
	"github.com/svcflow/svc/ui/wording"
)

// View is the part of the window that edit commands use.
type View interface {
	// Board returns the board of the canvas; nil while nothing is open.
	Board() *board.Board
	// OnScreen converts a point of the document to one of the window.
	OnScreen(at geom.Point) fyne.Position
	// Refresh updates everything.
	Refresh()
	// Edit shows the settings of the selection; port may name one of them.
	Edit(port string)
	// Act runs the action of a card's value.
	Act(id string)
	// Back focuses the canvas.
	Back()
	// Tell shows a message; a bad one stands out.
	Tell(text string, bad bool)
	Complain(err error)
	// NextFailure shows the next failed node of the run; with step -1, the previous one. ok
	// is false if no node failed.
	NextFailure(step int) (ok bool)
	// Used is called with the type of each node that is added.
	Used(typ string)
}

// Config is what EditCommands needs. All fields are required.
type Config struct {
	View      View
	Canvas    fyne.Canvas // of the window
	Clipboard fyne.Clipboard
	// Menu returns the context menu for a kind of part.
	Menu func(kind scene.HitKind) *fyne.Menu
}

// EditCommands are the commands that change the document of a window. Make them with [New].
// They belong to Fyne's own goroutine.
type EditCommands struct{ config Config }

// New returns the edit commands of a window.
func New(c Config) *EditCommands { return &EditCommands{c} }

// Do runs a command and shows the result.
func (h *EditCommands) Do(command func(*board.Board) error) {
	b := h.board()
	if b == nil {
		return
	}
	if err := command(b); err != nil {
		h.config.View.Complain(err)
	}
	h.config.View.Refresh()
}

// Look runs a command that changes only the view or the selection.
func (h *EditCommands) Look(look func(*board.Board)) {
	h.Do(func(b *board.Board) error {
		look(b)
		return nil
	})
}

func (h *EditCommands) board() *board.Board { return h.config.View.Board() }

// sole returns the single selected node, note or group.
func (h *EditCommands) sole() (b *board.Board, id string, ok bool) {
	if b = h.board(); b == nil {
		return nil, "", false
	}
	id, ok = b.Selection.Sole()
	return b, id, ok
}

// soleCard returns the board and the card of the single selected node.
func (h *EditCommands) soleCard() (b *board.Board, card *cards.Card, ok bool) {
	b, id, ok := h.sole()
	if ok {
		card, ok = b.Document().Card(id)
	}
	return b, card, ok
}

// Undo undoes the last step.
func (h *EditCommands) Undo() {
	h.Look(func(b *board.Board) {
		if name, ok := b.Undo(); ok {
			h.config.View.Tell(lang.L("Undone: {{.Step}}", map[string]any{"Step": lang.L(name)}), false)
		}
	})
}

// Redo repeats the step that was undone last.
func (h *EditCommands) Redo() {
	h.Look(func(b *board.Board) {
		if name, ok := b.Redo(); ok {
			h.config.View.Tell(lang.L("Done again: {{.Step}}", map[string]any{"Step": lang.L(name)}), false)
		}
	})
}

// Copy copies the selection to the clipboard, as JSON.
func (h *EditCommands) Copy() {
	b := h.board()
	if b == nil {
		return
	}
	if data := b.Copy(); data != nil {
		h.config.Clipboard.SetContent(string(data))
		h.config.View.Tell(lang.L("Copied as JSON"), false)
	}
}

// Cut moves the selection to the clipboard.
func (h *EditCommands) Cut() {
	h.Do(func(b *board.Board) error {
		data, err := b.Cut()
		if data != nil && err == nil {
			h.config.Clipboard.SetContent(string(data))
		}
		return err
	})
}

// Paste inserts the contents of the clipboard.
func (h *EditCommands) Paste() {
	h.Do(func(b *board.Board) error { return b.Paste([]byte(h.config.Clipboard.Content())) })
}

// Note adds a note in the middle of the view and lets the user edit it.
func (h *EditCommands) Note() {
	b := h.board()
	if b == nil {
		return
	}
	id, err := b.Document().AddNote("", room(b))
	if err != nil {
		h.config.View.Complain(err)
		return
	}
	b.Selection.Replace(doc.Set{Notes: []string{id}})
	h.config.View.Refresh()
	h.config.View.Edit("")
}

// Group makes a group of the selection and lets the user name it.
func (h *EditCommands) Group() {
	h.Do(func(b *board.Board) error { return b.Group(lang.L("Group")) })
	h.config.View.Edit("")
}

// Ungroup removes the selected groups, or removes the selected nodes from theirs.
func (h *EditCommands) Ungroup() {
	h.Do(func(b *board.Board) error {
		set := b.Selection.Set()
		if len(set.Groups) > 0 {
			return b.Document().Ungroup(set.Groups...)
		}
		return b.Document().RemoveFromGroups(set.Nodes...)
	})
}

// Arrange lays out the selected nodes, or all if fewer than two are selected.
func (h *EditCommands) Arrange() {
	h.Do(func(b *board.Board) error {
		nodes := b.Selection.Set().Nodes
		if len(nodes) > 1 {
			return b.Document().Layout(nodes...)
		}
		err := b.Document().Layout()
		b.FitAll()
		return err
	})
}

// HasBody reports whether the selected node has a body to open.
func (h *EditCommands) HasBody() bool {
	b, id, ok := h.sole()
	return ok && hasBody(b, id)
}

func hasBody(b *board.Board, id string) bool {
	n, ok := b.Document().Node(id)
	if !ok {
		return false
	}
	spec, known := b.Document().Specs().Lookup(n.Type)
	return n.Body != nil || known && spec.Container
}

// Enter opens the body of the selected node.
func (h *EditCommands) Enter() {
	if b, id, ok := h.sole(); ok {
		h.Do(func(*board.Board) error { return b.Document().Enter(id) })
	}
}

// InBody reports whether the canvas shows the body of a node.
func (h *EditCommands) InBody() bool {
	b := h.board()
	return b != nil && len(b.Document().Path()) > 0
}

// CanUnfold reports whether there is a body to show on its card: that of the selected node
// or, without a selection, the one that the canvas shows.
func (h *EditCommands) CanUnfold() bool {
	b := h.board()
	return b != nil && (h.HasBody() || b.Selection.Empty() && h.InBody())
}

// Unfolded reports whether that body is shown on its card.
func (h *EditCommands) Unfolded() bool {
	b := h.board()
	return b != nil && b.Unfolded()
}

// NextProblem shows the next problem and its message; without problems, the next failed node.
func (h *EditCommands) NextProblem(step int) {
	b := h.board()
	if b == nil {
		return
	}
	problem, ok := b.NextProblem(step)
	if !ok {
		if h.config.View.NextFailure(step) {
			return
		}
		h.config.View.Tell(lang.L("No problems"), false)
		return
	}
	h.config.View.Refresh()
	if problem.Port != "" {
		h.config.View.Edit(problem.Port)
	}
	text := wording.Of(problem.Message)
	if problem.Hint != "" {
		text += " — " + wording.Of(problem.Hint)
	}
	h.config.View.Tell(text, true)
}
