// Package wording says in the language of the window what the engine and its nodes say in English: the
// engine answers programs, too, and those are told the same words everywhere.
package wording

import (
	"strings"

	"fyne.io/fyne/v2/lang"
)

// Of returns a message or a hint of the engine in the language of the window. One that is of
// no known form, such as what somebody else's server has answered, stays as it is; of what
// tells a place first, such as an address, the rest may be known.
func Of(text string) string {
	if said, ok := whole(text); ok {
		return said
	}
	if said, ok := two(text); ok {
		return said
	}
	const behind = ": " // a place
	if place, why, ok := strings.Cut(text, behind); ok {
		return place + behind + Of(why)
	}
	return text
}

// two is for two hints, and for a message with a hint.
func two(text string) (said string, ok bool) {
	const between = "; "
	first, second, _ := strings.Cut(text, between)
	a, ok := whole(first)
	b, known := whole(second)
	return a + between + b, ok && known
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
