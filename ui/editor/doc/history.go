package doc

import (
	"reflect"
	"slices"
)

// history is the undo history of a document, without limit.
type history struct {
	done, undone []step
	saved        int // how many steps were done when the document was saved; -1 if that state cannot be reached
	sealed       bool
}

// step is what one undo undoes.
type step struct {
	name  string // for the menu: "Undo …"
	key   string // steps in a row with the same key are one; "" stands alone
	path  []string
	edits []edit
}

func (h *history) push(s step) {
	if h.saved > len(h.done) {
		h.saved = -1 // the saved state was undone and can no longer be redone
	}
	h.undone = nil
	if h.merge(s) {
		return
	}
	h.done = append(h.done, s)
	h.sealed = false
}

// merge merges s into the last step if users see both as one.
func (h *history) merge(s step) bool {
	last := len(h.done) - 1
	if h.sealed || s.key == "" || last < 0 || h.done[last].key != s.key || h.saved == len(h.done) || !slices.Equal(h.done[last].path, s.path) {
		return false
	}
	into := &h.done[last]
	if !leadsAll(into.edits, s.edits) {
		into.edits = append(into.edits, s.edits...)
		return true
	}
	for i, e := range into.edits {
		e.absorb(s.edits[i])
	}
	return true
}

// leadsAll reports whether each edit leads to its counterpart.
func leadsAll(edits, next []edit) bool {
	if len(edits) != len(next) {
		return false
	}
	for i, e := range edits {
		if !e.leads(next[i]) {
			return false
		}
	}
	return true
}

// takeUndo moves the last step to those that can be redone.
func (h *history) takeUndo() (step, bool) {
	return move(&h.done, &h.undone, h)
}

func (h *history) takeRedo() (step, bool) {
	return move(&h.undone, &h.done, h)
}

func move(from, to *[]step, h *history) (step, bool) {
	last := len(*from) - 1
	if last < 0 {
		return step{}, false
	}
	s := (*from)[last]
	(*from)[last] = step{}
	*from, *to = (*from)[:last], append(*to, s)
	h.sealed = true
	return s, true
}

// edit is one change of the document that can be undone. The values that an edit removes and
// inserts are never changed afterwards, only replaced by further edits.
type edit interface {
	do()
	undo()
	// leads reports whether next changes just what the edit inserted, so that absorb can
	// merge both.
	leads(next edit) bool
	absorb(next edit)
}

// splice replaces a piece of a list.
type splice[T any] struct {
	list          *[]T
	at            int
	before, after []T
	absent        bool // the list was nil before, which differs from empty in a document
}

func (s *splice[T]) do() {
	*s.list = slices.Replace(*s.list, s.at, s.at+len(s.before), s.after...)
}

func (s *splice[T]) undo() {
	*s.list = slices.Replace(*s.list, s.at, s.at+len(s.after), s.before...)
	if s.absent {
		*s.list = nil
	}
}

func (s *splice[T]) leads(next edit) bool {
	n, ok := next.(*splice[T])
	return ok && n.list == s.list && n.at == s.at && len(s.before) == 1 && len(s.after) == 1 && len(n.before) == 1 && len(n.after) == 1
}

func (s *splice[T]) absorb(next edit) {
	if n, ok := next.(*splice[T]); ok {
		s.after = n.after
	}
}

// assign replaces one text.
type assign struct {
	target        *string
	before, after string
}

func (a *assign) do()   { *a.target = a.after }
func (a *assign) undo() { *a.target = a.before }

func (a *assign) leads(next edit) bool {
	n, ok := next.(*assign)
	return ok && n.target == a.target
}

func (a *assign) absorb(next edit) {
	if n, ok := next.(*assign); ok {
		a.after = n.after
	}
}

// change collects the edits of one command. They are applied at once.
type change struct {
	*Document

	edits []edit
}

func (c *change) do(e edit) {
	e.do()
	c.edits = append(c.edits, e)
	c.touch()
}

// takeBack undoes all edits.
func (c *change) takeBack() {
	for _, e := range slices.Backward(c.edits) {
		e.undo()
	}
	c.edits = nil
	c.touch()
}

// replace replaces count items by others; it does nothing if they are the same.
func replace[T any](c *change, list *[]T, at, count int, items ...T) {
	if count == 0 && len(items) == 0 {
		return
	}
	before := slices.Clone((*list)[at : at+count])
	if count == len(items) && reflect.DeepEqual(before, items) {
		return
	}
	c.do(&splice[T]{list: list, at: at, before: before, after: slices.Clone(items), absent: *list == nil})
}

// extend appends items to list.
func extend[T any](c *change, list *[]T, items ...T) {
	if len(items) > 0 {
		replace(c, list, len(*list), 0, items...)
	}
}

// remove removes the items for which gone is true, last ones first.
func remove[T any](c *change, list *[]T, gone func(i int, item *T) bool) {
	for i := len(*list) - 1; i >= 0; i-- {
		if gone(i, &(*list)[i]) {
			replace(c, list, i, 1)
		}
	}
}

// modify replaces item i of list by the result of f. f must not change what the item points
// to, but replace it.
func modify[T any](c *change, list *[]T, i int, f func(item *T)) {
	item := (*list)[i]
	f(&item)
	replace(c, list, i, 1, item)
}

func (c *change) setText(target *string, text string) {
	if *target != text {
		c.do(&assign{target: target, before: *target, after: text})
	}
}
