package cards

import (
	"strings"

	"github.com/rivo/uniseg"
)

// Dimensions of cards and notes, in dp.
const (
	CircleSize    = 64.0 // docs/design.md, Node types
	MinWidth      = 144.0
	MaxWidth      = 264.0
	HeaderHeight  = 34.0
	RowHeight     = 24.0
	firstRow      = 50.0 // from the top of a card to the middle of its first row
	cardFoot      = 16.0 // from the middle of the last row to the bottom
	RowIndent     = 14.0
	RowGap        = 12.0
	TitleIndent   = 26.0
	BadgeWidth    = 56.0
	BadgeRoom     = BadgeWidth + 16 // including the gap to the title
	PortRadius    = 5.5
	ControlRadius = 3.5  // of a port without a row
	ControlReach  = 7.0  // distance from its center within which it can be hit
	ControlStep   = 15.0 // between two of them
	firstControl  = 10.0 // from the top of a card to the first
	labelHeight   = 44.0 // of the name and state below a circle
	maxNameWidth  = 168.0
	PortReach     = 10.0 // distance from its center within which a port can be hit
	NoteWidth     = 160.0
	NoteHeight    = 80.0
	MinNoteWidth  = 64.0
	MinNoteHeight = 40.0
	NoteGrip      = 14.0 // side of the corner that resizes a note
)

// Sizes of text, in dp.
const (
	TitleText   = 13.0
	RowText     = 12.0
	CaptionText = 11.5
	ValueText   = 13.5 // monospaced; the toolkit cuts underscores off smaller letters
	ValueSpace  = 14.0 // size with which TextWidth estimates monospaced letters of ValueText
)

// longestValue is the maximum number of characters of a value on a card.
const longestValue = 18

// TextWidth estimates the width of a text. The width of cards depends on it, so that a
// workflow has the same layout on every machine, whatever its fonts.
func TextWidth(text string, size float64) float64 {
	const perCell = 0.58 // of the size; measured with Noto Sans, plus a margin
	return float64(cells(text)) * size * perCell
}

// cells returns the number of terminal cells of a text. Nearly all texts are ASCII, for
// which it is fast.
func cells(text string) int {
	for i := range len(text) {
		if text[i] < ' ' || text[i] > '~' {
			return uniseg.StringWidth(text)
		}
	}
	return len(text)
}

// Shorten returns the first line of text, cut to a width and with an ellipsis if something
// was cut.
func Shorten(text string, size, width float64) string {
	const slack = 1e-6 // for rounding errors in differences of positions
	line, _, more := strings.Cut(text, "\n")
	width += slack
	if !more && TextWidth(line, size) <= width {
		return line
	}
	room := width - TextWidth("…", size)
	var kept strings.Builder
	for rest, state := line, -1; rest != "" && room > 0; {
		var cluster string
		cluster, rest, _, state = uniseg.FirstGraphemeClusterInString(rest, state)
		if room -= TextWidth(cluster, size); room >= 0 {
			kept.WriteString(cluster)
		}
	}
	return kept.String() + "…"
}
