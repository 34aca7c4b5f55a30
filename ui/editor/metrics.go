package editor

import (
	"strings"

	"github.com/rivo/uniseg"
)

// The measures of cards and notes, in dp.
const (
	circleSize    = 64.0 // docs/design.md, Node types
	minCardWidth  = 144.0
	maxCardWidth  = 264.0
	headerHeight  = 34.0
	rowHeight     = 24.0
	firstRow      = 50.0 // from the top of a card to the middle of its first row
	cardFoot      = 16.0 // from the middle of the last row to the bottom
	rowIndent     = 14.0
	rowGap        = 12.0
	titleIndent   = 26.0
	badgeWidth    = 56.0
	badgeRoom     = badgeWidth + 16 // with what keeps it from the title
	portRadius    = 5.5
	labelHeight   = 44.0 // of the name and state below a circle
	maxNameWidth  = 168.0
	portReach     = 10.0 // how far from its middle a port can be hit
	noteWidth     = 160.0
	noteHeight    = 80.0
	minNoteWidth  = 64.0
	minNoteHeight = 40.0
	noteGrip      = 14.0 // side of the corner that resizes a note
)

// The sizes of text, in dp.
const (
	titleText   = 13.0
	rowText     = 12.0
	captionText = 11.5
	valueText   = 13.5 // monospaced; from smaller letters the toolkit cuts underscores off
	valueSpace  = 14.0 // the size whose estimate monospaced letters of valueText fit into
)

// longestValue is how many characters of a value a card shows.
const longestValue = 18

// textWidth estimates how wide a text is. Cards take their width from it, so that
// a workflow looks the same on every machine, whatever fonts that has.
func textWidth(text string, size float64) float64 {
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

// shorten returns text cut to a width, with an ellipsis if something was cut. Only
// the first line counts.
func shorten(text string, size, width float64) string {
	const slack = 1e-6 // widths are differences of places, which round
	line, _, more := strings.Cut(text, "\n")
	width += slack
	if !more && textWidth(line, size) <= width {
		return line
	}
	room := width - textWidth("…", size)
	var kept strings.Builder
	for rest, state := line, -1; rest != "" && room > 0; {
		var cluster string
		cluster, rest, _, state = uniseg.FirstGraphemeClusterInString(rest, state)
		if room -= textWidth(cluster, size); room >= 0 {
			kept.WriteString(cluster)
		}
	}
	return kept.String() + "…"
}
