package valueview

import (
	"unicode/utf8"

	"golang.org/x/text/width"
)

// line is the part of a text that fits into one row: its bytes from one index up to another.
type line struct{ from, to int }

// tabCells is the width of a tab in cells.
const tabCells = 4

// cellsOf returns the width of a letter in cells.
func cellsOf(r rune) int {
	if r < utf8.RuneSelf {
		if r == '\t' {
			return tabCells
		}
		return 1
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	return 1
}

// wrap breaks a text into lines of a number of cells: after a space in the second half of the
// row, else between any two letters.
func wrap(text string, columns int) []line {
	columns = max(columns, tabCells)
	var lines []line
	from, cells, space := 0, 0, -1 // space is the index after the last one
	for i, r := range text {
		if r == '\n' {
			lines = append(lines, line{from, i})
			from, cells, space = i+1, 0, -1
			continue
		}
		if n := cellsOf(r); cells+n > columns {
			at := i
			if space > from+(i-from)/2 {
				at = space
			}
			lines = append(lines, line{from, at})
			from, cells, space = at, measure(text[at:i]), -1
		}
		cells += cellsOf(r)
		if r == ' ' {
			space = i + 1
		}
	}
	return append(lines, line{from, len(text)})
}

// measure returns the width of a text in cells.
func measure(text string) (cells int) {
	for _, r := range text {
		cells += cellsOf(r)
	}
	return cells
}

// placeAt returns the index in a text nearest to a number of cells from its beginning.
func placeAt(text string, cells float32) int {
	passed := float32(0)
	for i, r := range text {
		n := float32(cellsOf(r))
		if passed+n/2 > cells {
			return i
		}
		passed += n
	}
	return len(text)
}
