// Package complete proposes completions for a text in one of the languages of nodes: names
// from the values of a run, and from types. It knows no widgets and runs nothing.
package complete

import (
	"slices"
	"strings"

	"github.com/svcflow/svc/engine/node"
)

// Scope is what a text can refer to.
type Scope struct {
	Language node.Language
	// Names are the root names of the text, such as "item", ".", "$vars".
	Names map[string]Known
}

// Proposal is a completion.
type Proposal struct {
	Text  string // what is written
	About string // a type, or the signature of a function
}

// Most is the maximum number of proposals.
const Most = 8

// At returns proposals for the text at the caret; each replaces the text from the index from
// to the caret. Both are in bytes.
func (s Scope) At(text string, caret int) (from int, all []Proposal) {
	text = text[:max(min(caret, len(text)), 0)]
	if s.Language == node.LanguageTemplate {
		open := openBrace(text)
		if open < 0 {
			return len(text), nil
		}
		return s.template(text, open)
	}
	if inText(text) {
		return len(text), nil
	}
	c := chainBefore(text, s.Language)
	from = len(text) - len(c.partial)
	if c.root == "" {
		if c.partial == "" {
			return from, nil
		}
		return from, matching(append(s.roots(), words(s.Language)...), c.partial)
	}
	known, ok := s.resolve(text[:c.start], c.root)
	if !ok {
		return from, nil
	}
	found := matching(known.along(c.steps).fields(), c.partial)
	return s.spelled(from, found)
}

// Begin returns proposals for an empty text.
func (s Scope) Begin() []Proposal {
	all := s.roots()
	for _, root := range []string{".", "$"} {
		if known, ok := s.Names[root]; ok {
			for _, p := range known.fields() {
				if path, ok := Path(s.Language, root, []any{p.Text}); ok {
					all = append(all, Proposal{path, p.About})
				}
			}
		}
	}
	return all[:min(len(all), Most)]
}

// roots returns the root names that are words.
func (s Scope) roots() (all []Proposal) {
	for name, known := range s.Names {
		if isWord(strings.TrimPrefix(name, "$")) {
			all = append(all, Proposal{name, known.about()})
		}
	}
	slices.SortFunc(all, byText)
	return all
}

// resolve returns what is known of a root at the end of a text.
func (s Scope) resolve(before, root string) (Known, bool) {
	switch {
	case s.Language == node.LanguageJQ && root == ".":
		return s.dot(before), true
	case s.Language == node.LanguageJSONPath && root == "@":
		return s.candidate(before)
	}
	known, ok := s.Names[root]
	return known, ok
}

// spelled quotes names that are not words, as the language requires.
func (s Scope) spelled(from int, found []Proposal) (int, []Proposal) {
	for i, p := range found {
		if isWord(p.Text) {
			continue
		}
		if s.Language == node.LanguageJQ {
			found[i].Text = quoted(p.Text)
			continue
		}
		return s.bracketed(from, found)
	}
	return from, found
}

// bracketed replaces the dot before the names if some of them need brackets.
func (s Scope) bracketed(from int, found []Proposal) (int, []Proposal) {
	for i, p := range found {
		switch {
		case isWord(p.Text):
			found[i].Text = "." + p.Text
		default:
			found[i].Text = "[" + quoted(p.Text) + "]"
		}
	}
	return from - 1, found
}

func quoted(name string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(name) + `"`
}

// template completes the placeholder that begins at a brace.
func (s Scope) template(text string, open int) (from int, all []Proposal) {
	path := strings.Split(text[open+1:], ".")
	partial := path[len(path)-1]
	from = len(text) - len(partial)
	if len(path) == 1 {
		return from, matching(s.roots(), partial)
	}
	known, ok := s.Names[path[0]]
	if !ok {
		return from, nil
	}
	for _, name := range path[1 : len(path)-1] {
		known = known.field(name)
	}
	words := slices.DeleteFunc(known.fields(), func(p Proposal) bool { return !isWord(p.Text) })
	return from, matching(words, partial)
}

// openBrace returns the index of the unclosed brace at the end of a template; -1 if there is
// no such brace.
func openBrace(text string) int {
	open := -1
	for i := 0; i < len(text); i++ {
		switch doubled := i+1 < len(text) && text[i+1] == text[i]; {
		case text[i] == '{' && doubled:
			i++
		case text[i] == '{':
			open = i
		case text[i] == '}':
			open = -1
		}
	}
	return open
}

// inText reports whether the end of a program is inside of a quoted string.
func inText(program string) bool {
	quote := byte(0)
	for i := 0; i < len(program); i++ {
		switch c := program[i]; {
		case quote != 0 && c == '\\':
			i++
		case c == quote:
			quote = 0
		case quote == 0 && (c == '"' || c == '\''):
			quote = c
		}
	}
	return quote != 0
}

// matching returns the proposals that begin with the written text, at most [Most].
func matching(all []Proposal, partial string) (found []Proposal) {
	for _, p := range all {
		if len(found) < Most && p.Text != partial && len(p.Text) >= len(partial) && strings.EqualFold(p.Text[:len(partial)], partial) {
			found = append(found, p)
		}
	}
	return found
}

func byText(a, b Proposal) int { return strings.Compare(a.Text, b.Text) }

func isWord(name string) bool {
	for i := range len(name) {
		if !inWord(name[i]) || i == 0 && name[i] >= '0' && name[i] <= '9' {
			return false
		}
	}
	return name != ""
}

func inWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
}
