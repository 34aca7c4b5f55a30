package scene

import (
	"strings"

	"github.com/rivo/uniseg"

	"github.com/svcflow/svc/engine/layout/cards"
)

// wrap returns the first line of a note's text at a width, and the rest. It breaks at a space
// if there is one.
func wrap(text string, width float64) (line, rest string) {
	paragraph, after, _ := strings.Cut(text, "\n")
	if cards.TextWidth(paragraph, cards.RowText) <= width {
		return paragraph, after
	}
	cut, space := 0, 0
	room, state, tail := width, -1, paragraph
	for tail != "" {
		var cluster string
		cluster, tail, _, state = uniseg.FirstGraphemeClusterInString(tail, state)
		if room -= cards.TextWidth(cluster, cards.RowText); room < 0 && cut > 0 {
			break
		}
		if cluster == " " {
			space = cut
		}
		cut += len(cluster)
	}
	if space > 0 && cut < len(paragraph) {
		cut = space
	}
	return text[:cut], strings.TrimLeft(text[cut:], " ")
}
