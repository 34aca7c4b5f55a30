package layout

import (
	"slices"

	"golang.org/x/text/unicode/bidi"
)

// A page shows Hebrew and Arabic from right to left, but files draw all characters from left
// to right. Texts have them in the order in which they are spoken.

func isLeftward(r rune) bool {
	if r < 0x590 {
		return false
	}
	p, _ := bidi.LookupRune(r)
	return p.Class() == bidi.R || p.Class() == bidi.AL
}

// isRightward reports whether r is a letter that is written to the right, or a digit.
func isRightward(r rune) bool {
	p, _ := bidi.LookupRune(r)
	switch p.Class() {
	case bidi.L, bidi.EN, bidi.AN:
		return true
	}
	return false
}

// leftward returns how many more letters are written to the left than to the right.
func (l *line) leftward() (n int) {
	for _, r := range l.text {
		if isLeftward(r) {
			n++
		} else if r >= 'A' && isRightward(r) {
			n--
		}
	}
	return n
}

// turnRight puts the letters of a line that are written to the left into their order. If
// the page is mostly so, the line begins at its right end.
func (l *line) turnRight(page bool) {
	text := []rune(l.text)
	if !slices.ContainsFunc(text, isLeftward) {
		return
	}
	if page {
		slices.Reverse(text)
	}
	for i := 0; i < len(text); {
		var from int
		if page {
			for i < len(text) && !isRightward(text[i]) {
				i++
			}
			from = i
			for i < len(text) && !isLeftward(text[i]) {
				i++
			}
		} else {
			for i < len(text) && !isLeftward(text[i]) {
				i++
			}
			from = i
			for i < len(text) && !isRightward(text[i]) {
				i++
			}
		}
		run := text[from:i]
		for len(run) > 0 && run[len(run)-1] == ' ' { // spaces beside stay where they are
			run = run[:len(run)-1]
		}
		slices.Reverse(run)
	}
	l.text = string(text)
}
