package outline

import (
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/lang"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/ui/editor/board"
	"github.com/svcflow/svc/ui/kit"
)

// Problems lists all problems of a workflow, in document order, with what to do about
// each, and below them, in grey, what is valid but may not be meant. The zero value is not usable; see [NewProblems].
type Problems struct {
	list    *kit.List
	found   []problem
	measure *problemView // never drawn
	empty   fyne.CanvasObject
	whole   fyne.CanvasObject
}

// problem is a problem and its texts.
type problem struct {
	*engine.ValidationError

	place string
	doubt bool // it is a hint
}

// NewProblems returns an empty list. show is called with the problem that the user clicks or
// moves to; it may be nil.
func NewProblems(show func(*engine.ValidationError)) *Problems {
	p := &Problems{measure: newProblemView()}
	tell := func(i int) {
		if show != nil {
			show(p.found[i].ValidationError)
		}
	}
	p.list = kit.NewList(kit.Rows{
		Len:      func() int { return len(p.found) },
		Make:     func() fyne.CanvasObject { return newProblemView() },
		Fill:     func(i int, view fyne.CanvasObject) { view.(*problemView).set(p.found[i]) },
		Height:   p.height,
		Selected: tell,
		Chosen:   tell,
	})
	p.empty = kit.Empty(lang.L("No problems"), lang.L("The workflow can be run. What is wrong with it is listed here while you edit."), nil)
	p.whole = kit.Panel(container.NewStack(p.list, p.empty))
	return p
}

// Object returns the list's canvas object.
func (p *Problems) Object() fyne.CanvasObject { return p.whole }

// Count returns the number of rows, including hints.
func (p *Problems) Count() int { return len(p.found) }

// Update lists the problems of the board's last validation. The current row stays while its
// problem exists.
func (p *Problems) Update(board *board.Board) {
	current := -1
	var was problem
	if i := p.list.Current(); i >= 0 {
		was = p.found[i]
	}
	all := board.Problems().All()
	p.found = make([]problem, 0, len(all))
	for _, e := range all {
		p.found = append(p.found, problem{e, location(board, e), false})
	}
	for _, h := range board.Hints() {
		e := &engine.ValidationError{NodeID: h.NodeID, Port: h.Port, Message: h.Message}
		p.found = append(p.found, problem{e, location(board, e), true})
	}
	if was.ValidationError != nil {
		current = slices.IndexFunc(p.found, was.same)
	}
	p.empty.Hide()
	if len(p.found) == 0 {
		p.empty.Show()
	}
	p.list.Update()
	if p.list.Current() != current {
		p.list.SetCurrent(current)
	}
}

// same reports whether two problems of different validations are the same.
func (e problem) same(other problem) bool {
	return e.Code == other.Code && e.NodeID == other.NodeID && e.Port == other.Port && e.Message == other.Message
}

func (p *Problems) height(i int, width float32) float32 {
	p.measure.set(p.found[i])
	return p.measure.heightAt(width)
}
