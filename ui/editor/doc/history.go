package doc

import "slices"

// history is what was done to a document, without limit.
type history struct {
	done, undone []step
	saved        int // how many steps were done when the document was saved; -1 if there is no way back there
	sealed       bool
}

// step is what one command did: what one undo takes back.
type step struct {
	name  string // for the menu: "Undo …"
	key   string // steps in a row with the same key are one; "" stands alone
	path  []string
	edits []edit
}

func (h *history) push(s step) {
	if h.saved > len(h.done) {
		h.saved = -1 // what was saved has been undone and will never be redone
	}
	h.undone = nil
	if h.merge(s) {
		return
	}
	h.done = append(h.done, s)
	h.sealed = false
}

// merge makes s a part of the last step if a user takes both for one.
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

// takeUndo moves the last step that was done to those that can be redone.
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
