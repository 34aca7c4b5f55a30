// Package wording says in the language of the window what the engine says in English: the
// engine answers programs, too, and those are told the same words everywhere.
package wording

import (
	"strings"

	"fyne.io/fyne/v2/lang"
)

// Of returns a message or a hint of the engine in the language of the window. One that is of
// no known form, such as what somebody else's server has answered, stays as it is.
func Of(text string) string {
	if said, ok := whole(text); ok {
		return said
	}
	const between = "; " // two hints
	first, second, both := strings.Cut(text, between)
	if !both {
		return text
	}
	a, ok := whole(first)
	b, known := whole(second)
	if !ok || !known {
		return text
	}
	return a + between + b
}

func whole(text string) (said string, ok bool) {
	for _, form := range Forms() {
		if values, fits := match(form, text); fits {
			return lang.L(form, values), true
		}
	}
	return "", false
}

// match returns what stands in the places of a form, such as {{.Name}}, if a text is of it.
// Why is said in the language of the window in turn, and so is the "or" of Any.
func match(form, text string) (values map[string]any, fits bool) {
	values = map[string]any{}
	fixed, rest, more := strings.Cut(form, "{{.")
	text, fits = strings.CutPrefix(text, fixed)
	for fits && more {
		var name, behind string
		name, behind, _ = strings.Cut(rest, "}}")
		fixed, rest, more = strings.Cut(behind, "{{.")
		at := strings.Index(text, fixed)
		if !more && fixed == "" {
			at = len(text)
		}
		if at <= 0 || name == "Kind" && strings.Contains(text[:at], " ") { // a node type is one word
			return nil, false
		}
		values[name] = inTurn(name, text[:at])
		text = text[at+len(fixed):]
	}
	return values, fits && text == ""
}

func inTurn(name, value string) string {
	switch name {
	case "Why":
		return Of(value)
	case "Any":
		if i := strings.LastIndex(value, " or "); i >= 0 {
			return value[:i] + " " + lang.L("or") + " " + value[i+len(" or "):]
		}
	}
	return value
}
