package text

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// segment is a piece of a template: text to copy, and then the placeholder that
// follows it, if name is not empty.
type segment struct {
	text string
	name string
}

// templateError says where a template is wrong.
type templateError struct {
	Offset int // in characters, from 0
	Reason string
}

// Error implements error.
func (e *templateError) Error() string {
	return fmt.Sprintf("character %d: %s", e.Offset+1, e.Reason)
}

// parseTemplate cuts a template into its segments. {name} is a placeholder, {{
// and }} stand for single braces, and every other brace is an error.
func parseTemplate(template string) ([]segment, error) {
	var segments []segment
	var text []byte
	for rest := template; rest != ""; {
		i := strings.IndexAny(rest, "{}")
		if i < 0 {
			text = append(text, rest...)
			break
		}
		text = append(text, rest[:i]...)
		at := len(template) - len(rest) + i
		rest = rest[i:]
		if doubled := rest[:1]; strings.HasPrefix(rest[1:], doubled) {
			text, rest = append(text, doubled...), rest[2:]
			continue
		}
		name, reason := placeholder(rest)
		if reason != "" {
			return nil, &templateError{utf8.RuneCountInString(template[:at]), reason}
		}
		segments = append(segments, segment{string(text), name})
		text, rest = text[:0], rest[len(name)+2:]
	}
	if len(text) > 0 {
		segments = append(segments, segment{text: string(text)})
	}
	return segments, nil
}

// placeholder returns the name in front of rest, which starts with a brace, or
// why there is none.
func placeholder(rest string) (name, reason string) {
	if rest[0] == '}' {
		return "", "a } without a { before it; write }} for a brace"
	}
	name, _, closed := strings.Cut(rest[1:], "}")
	switch {
	case !closed:
		return "", "a { without a } behind it; write {{ for a brace"
	case !isIdentifier(name):
		return "", "between { and } stands the name of a placeholder: letters, digits and _, no digit first; write {{ for a brace"
	case name == templatePort || name == valuesPort:
		return "", fmt.Sprintf("%s is an input of the node itself; give the placeholder another name", name)
	}
	return name, ""
}

func isIdentifier(s string) bool {
	for i, c := range []byte(s) {
		letter := c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z'
		if digit := c >= '0' && c <= '9'; !letter && (i == 0 || !digit) {
			return false
		}
	}
	return s != ""
}
