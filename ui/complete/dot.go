package complete

import (
	"strings"

	"github.com/svcflow/svc/engine/node"
)

// dot returns what is known of jq's dot at the end of a text: the output of the filter before
// it. For filters that are too complex, it takes all records there are.
func (s Scope) dot(before string) Known {
	at, opened := pieceStart(before)
	if at == 0 {
		return s.Names["."]
	}
	if !opened { // behind a |
		return s.given(before[:at-1])
	}
	outer := strings.TrimRight(before[:at-1], " \t\n")
	name := outer[wordStart(outer):]
	known := s.dot(outer[:len(outer)-len(name)])
	switch name {
	case "map", "map_values", "sort_by", "group_by", "unique_by", "min_by", "max_by", "any", "all", "with_entries":
		return known.items()
	}
	return known
}

// given returns what is known of the output of the filter at the end of a text.
func (s Scope) given(text string) Known {
	text = strings.TrimRight(text, " \t\n")
	start, _ := pieceStart(text)
	piece := strings.TrimLeft(text[start:], " \t\n")
	input := s.dot(text[:len(text)-len(piece)])
	switch c := chainBefore(piece, node.LanguageJQ); {
	case strings.HasPrefix(piece, "select(") || strings.HasPrefix(piece, "sort_by(") || piece == "sort" || piece == "reverse" || piece == ".":
		return input
	case c.start == 0 && c.root == "." && c.partial != "":
		return input.along(append(c.steps, step{intoField, c.partial}))
	case c.start == 0 && c.root == ".":
		return input.along(c.steps)
	case piece == "first" || piece == "last":
		return input.items()
	}
	return Known{values: s.Names["."].anywhere()}
}

// pieceStart returns where the last part of a filter begins: after a |, a comma or a colon,
// or after the last unclosed bracket.
func pieceStart(text string) (at int, opened bool) {
	depth := 0
	for i := len(text) - 1; i >= 0; i-- {
		switch c := text[i]; {
		case c == ')' || c == ']' || c == '}':
			depth++
		case c == '(' || c == '[' || c == '{':
			if depth == 0 {
				return i + 1, true
			}
			depth--
		case c == '|' && depth == 0:
			return i + 1, false
		}
	}
	return 0, false
}

// wordStart returns where the word at the end of a text begins.
func wordStart(text string) int {
	i := len(text)
	for i > 0 && inWord(text[i-1]) {
		i--
	}
	return i
}

// candidate returns what is known of JSONPath's @ at the end of a text: the items that the
// filter around it selects from.
func (s Scope) candidate(before string) (Known, bool) {
	filter := strings.LastIndex(before, "[?")
	if filter < 0 {
		return Known{}, false
	}
	c := chainBefore(before[:filter], node.LanguageJSONPath)
	root, partial := c.root, c.partial
	if root == "" {
		root, partial = partial, ""
	}
	known, ok := s.resolve(before[:c.start], root)
	if partial != "" {
		c.steps = append(c.steps, step{intoField, partial})
	}
	return known.along(c.steps).items(), ok
}
