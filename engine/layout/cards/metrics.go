package cards

import (
	"strings"

	"github.com/rivo/uniseg"
)

// The measures of cards and notes, in dp.
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
	BadgeRoom     = BadgeWidth + 16 // with what keeps it from the title
	PortRadius    = 5.5
	ControlRadius = 3.5  // of a port without a row
	ControlReach  = 7.0  // how far from its middle it can be hit
	ControlStep   = 15.0 // between two of them
	firstControl  = 10.0 // from the top of a card to the first
	labelHeight   = 44.0 // of the name and state below a circle
	maxNameWidth  = 168.0
	PortReach     = 10.0 // how far from its middle a port can be hit
	NoteWidth     = 160.0
	NoteHeight    = 80.0
	MinNoteWidth  = 64.0
	MinNoteHeight = 40.0
	NoteGrip      = 14.0 // side of the corner that resizes a note
)

// The sizes of text, in dp.
const (
	TitleText   = 13.0
	RowText     = 12.0
	CaptionText = 11.5
	ValueText   = 13.5 // monospaced; from smaller letters the toolkit cuts underscores off
	ValueSpace  = 14.0 // the size whose estimate monospaced letters of valueText fit into
)

// longestValue is how many characters of a value a card shows.
const longestValue = 18

// TextWidth estimates how wide a text is. Cards take their width from it, so that
// a workflow looks the same on every machine, whatever fonts that has.
func TextWidth(text string, size float64) float64 {
	const perCell = 0.58 // of the size; measured on Noto Sans, with some to spare
	return float64(cells(text)) * size * perCell
}

// cells returns how many cells a terminal would give to a text. Nearly all texts
// are plain, and for them it is as good as free.
func cells(text string) int {
	for i := range len(text) {
		if text[i] < ' ' || text[i] > '~' {
			return uniseg.StringWidth(text)
		}
	}
	return len(text)
}

// Shorten returns text cut to a width, with an ellipsis if something was cut. Only
// the first line counts.
func Shorten(text string, size, width float64) string {
	const slack = 1e-6 // widths are differences of places, which round
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
