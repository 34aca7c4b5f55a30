package ui

import "slices"

// tabbing goes from one workflow that is open to another.
type tabbing struct{ *rooms }

// Several reports whether there is another tab to go to.
func (t *tabbing) Several() bool {
	works := len(t.desk.Works())
	return works > 1 || works == 1 && t.desk.Work() == nil
}

// Any reports whether there is a tab.
func (t *tabbing) Any() bool { return len(t.desk.Works()) > 0 }

// Close closes the tab in front.
func (t *tabbing) Close() {
	work := t.desk.Work()
	if work == nil {
		t.Go(len(t.desk.Works()) - 1) // the start page is seen only while it is in front
		return
	}
	t.desk.Close(work)
}

// Step goes to the next tab, or with -1 to the one before, around the ends.
func (t *tabbing) Step(by int) {
	works := t.desk.Works()
	if len(works) == 0 {
		return
	}
	at := slices.Index(works, t.desk.Work())
	if at < 0 && by < 0 {
		at = len(works)
	}
	t.Go((at + by + len(works)) % len(works))
}

// Go goes to a tab by its place, from 0. If there is none nothing happens.
func (t *tabbing) Go(to int) {
	if works := t.desk.Works(); to >= 0 && to < len(works) {
		t.desk.Front(works[to])
	}
}

// Last goes to the last tab.
func (t *tabbing) Last() { t.Go(len(t.desk.Works()) - 1) }

// Move puts the tab in front one place further, or with -1 back.
func (t *tabbing) Move(by int) {
	if work := t.desk.Work(); work != nil {
		t.desk.Move(work, slices.Index(t.desk.Works(), work)+by)
	}
}
