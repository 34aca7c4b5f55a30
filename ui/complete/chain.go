package complete

import (
	"strings"

	"github.com/svcflow/svc/engine/node"
)

// chain is the path at the end of a text: item.address.ci.
type chain struct {
	start   int // where it begins
	root    string
	steps   []step
	partial string // the incomplete last name
}

type step struct {
	kind stepKind
	name string
}

type stepKind uint8

const (
	intoField stepKind = iota
	intoItem
	intoAny // at any depth
)

// chainBefore parses the path at the end of a text.
func chainBefore(text string, language node.Language) chain {
	start := len(text)
	for start > 0 {
		switch c := text[start-1]; {
		case inWord(c), c == '.', c == '?', c == '$', c == '@':
			start--
			continue
		case c == ']':
			if open := opening(text[:start-1]); open >= 0 {
				start = open
				continue
			}
		case c == '"' && language == node.LanguageJQ:
			if open := strings.LastIndexByte(text[:start-1], '"'); open > 0 && text[open-1] == '.' {
				start = open
				continue
			}
		}
		break
	}
	for start < len(text) && text[start] == '?' {
		start++
	}
	c := readChain(text[start:], language)
	c.start = start
	return c
}

// opening returns the index of the bracket that the end of a text closes; -1 if it closes
// none.
func opening(text string) int {
	depth := 1
	for i := len(text) - 1; i >= 0; i-- {
		switch text[i] {
		case ']':
			depth++
		case '[':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// readChain takes a path apart.
func readChain(text string, language node.Language) (c chain) {
	rest := text
	switch {
	case strings.HasPrefix(rest, ".") && language == node.LanguageJQ:
		c.root = "." // the dot is the first step, too
	default:
		end := 0
		for end < len(rest) && (inWord(rest[end]) || end == 0 && (rest[0] == '$' || rest[0] == '@')) {
			end++
		}
		if c.root, rest = rest[:end], rest[end:]; rest == "" {
			return chain{partial: c.root}
		}
	}
	for rest != "" {
		switch {
		case strings.HasPrefix(rest, "?"):
			rest = rest[1:]
		case strings.HasPrefix(rest, "["):
			end := 1 + strings.IndexByte(rest, ']')
			if end == 0 {
				return chain{}
			}
			c.steps, rest = append(c.steps, inBrackets(rest[1:end-1])), rest[end:]
		case strings.HasPrefix(rest, "."):
			rest = c.named(rest[1:])
		default:
			return chain{}
		}
	}
	return c
}

// named reads a name behind a dot; the last one is incomplete.
func (c *chain) named(rest string) string {
	if strings.HasPrefix(rest, ".") { // two dots
		c.steps = append(c.steps, step{kind: intoAny})
		return rest
	}
	if strings.HasPrefix(rest, "[") { // .[]
		return rest
	}
	if name, behind, ok := strings.Cut(strings.TrimPrefix(rest, `"`), `"`); ok && rest[0] == '"' {
		c.steps = append(c.steps, step{intoField, name})
		return behind
	}
	end := 0
	for end < len(rest) && inWord(rest[end]) {
		end++
	}
	switch {
	case end == len(rest):
		c.partial = rest
	case strings.HasPrefix(rest, "*"):
		c.steps, end = append(c.steps, step{kind: intoItem}), 1
	default:
		c.steps = append(c.steps, step{intoField, rest[:end]})
	}
	return rest[end:]
}

// inBrackets parses the text between brackets: a name, or an expression that selects items.
func inBrackets(text string) step {
	if len(text) > 2 && (text[0] == '"' || text[0] == '\'') && text[len(text)-1] == text[0] {
		return step{intoField, text[1 : len(text)-1]}
	}
	return step{kind: intoItem}
}
