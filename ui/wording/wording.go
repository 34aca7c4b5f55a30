// Package wording translates messages of the engine and its nodes to the language of the
// window. The engine's own messages are English everywhere, because programs read them, too.
package wording

import (
	"strings"

	"fyne.io/fyne/v2/lang"
)

// Of translates a message or hint of the engine. A text of no known form, such as an answer
// of a third party's server, stays as it is; behind a prefix, such as an address, the rest
// may be translated.
func Of(text string) string {
	if said, ok := known(text); ok {
		return said
	}
	const behind = ": " // a prefix
	if place, why, ok := strings.Cut(text, behind); ok {
		if said, ok := whole(place); ok { // or a message with its cause behind it
			place = said
		}
		return place + behind + Of(why)
	}
	return text
}

func known(text string) (said string, ok bool) {
	for _, of := range []func(string) (string, bool){whole, several, noted} {
		if said, ok = of(text); ok {
			return said, true
		}
	}
	return text, false
}

// several matches consecutive hints, and a message with a hint.
func several(text string) (said string, ok bool) {
	const between = "; "
	for at := 0; ; {
		i := strings.Index(text[at:], between)
		if i < 0 {
			return text, false
		}
		at += i
		if first, ok := whole(text[:at]); ok {
			rest, ok := known(text[at+len(between):])
			return first + between + rest, ok
		}
		at += len(between)
	}
}

// noted matches a message followed by a remark in brackets, such as the answer of a network.
func noted(text string) (said string, ok bool) {
	at := strings.LastIndex(text, " (")
	if i := strings.Index(text, " ("); i >= 0 && strings.HasSuffix(text, ")") {
		if said, ok = whole(text[:i]); ok {
			return said + text[i:], true
		}
		said, ok = whole(text[:at])
		return said + text[at:], ok
	}
	return text, false
}

func whole(text string) (said string, ok bool) {
	for form := range all() {
		if values, fits := match(form, text); fits {
			return lang.L(form, values), true
		}
	}
	return "", false
}

// match returns the values of the placeholders of a form, such as {{.Name}}, if the text
// matches it. Why is translated in turn, and so is the "or" of Any.
func match(form, text string) (values map[string]any, fits bool) {
	fixed, rest, more := strings.Cut(form, "{{.")
	text, fits = strings.CutPrefix(text, fixed)
	if !fits || !more {
		return nil, fits && text == ""
	}
	values = map[string]any{}
	for fits && more {
		var name, behind string
		name, behind, _ = strings.Cut(rest, "}}")
		fixed, rest, more = strings.Cut(behind, "{{.")
		at := strings.Index(text, fixed)
		switch {
		case !more && strings.HasSuffix(text, fixed):
			at = len(text) - len(fixed)
		case name == "Why" && len(values) == 0 && strings.HasPrefix(form, "{{."): // a nested message is added last
			at = strings.LastIndex(text, fixed)
		}
		if at <= 0 || !may(name, text[:at], len(values) == 0 && strings.HasPrefix(form, "{{.")) {
			return nil, false
		}
		values[name] = text[:at]
		text = text[at+len(fixed):]
	}
	if text != "" {
		return nil, false
	}
	for name, value := range values {
		values[name] = inTurn(name, value.(string))
	}
	return values, true
}

// may reports whether a text can be the value of a placeholder. A node type is one word; a
// name at the beginning of a form contains no prefix and is no message itself.
func may(name, text string, first bool) bool {
	switch name {
	case "Kind":
		return !strings.Contains(text, " ")
	case "Name":
		return !first || !strings.Contains(text, ": ") && !strings.Contains(text, "; ")
	}
	return true
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
