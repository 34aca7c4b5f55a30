package text

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/svcflow/svc/engine/node"
)

// segment is a piece of a template: text to copy, and then the placeholder that
// follows it, if name is not empty.
type segment struct {
	text string
	name string
	path []string // the field of a field of … it, if the placeholder has dots
}

// maxPlaceholders bounds a template, since each placeholder becomes an input.
const maxPlaceholders = 10_000

// templateError says where a template is wrong.
type templateError struct {
	Offset int // in characters, from 0
	Reason string
}

// Error implements error.
func (e *templateError) Error() string {
	return fmt.Sprintf("character %d: %s", e.Offset+1, e.Reason)
}

// parseTemplate cuts a template into its segments. {name} and {name.field} are placeholders, {{
// and }} are escaped braces, and every other brace is an error.
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
		if len(segments) == maxPlaceholders {
			reason = "there are too many placeholders; at most 10,000 may be in one template"
		}
		if reason != "" {
			return nil, &templateError{utf8.RuneCountInString(template[:at]), reason}
		}
		path := strings.Split(name, ".")
		segments = append(segments, segment{string(text), path[0], path[1:]})
		text, rest = text[:0], rest[len(name)+2:]
	}
	if len(text) > 0 {
		segments = append(segments, segment{text: string(text)})
	}
	return segments, nil
}

// placeholder returns the name at the start of rest, which begins with a brace, or an error.
func placeholder(rest string) (name, reason string) {
	if rest[0] == '}' {
		return "", "a } without a { before it; write }} for a brace"
	}
	name, _, closed := strings.Cut(rest[1:], "}")
	if !closed {
		return "", "a { without a } behind it; write {{ for a brace"
	}
	path := strings.Split(name, ".")
	switch first := path[0]; {
	case slices.ContainsFunc(path, notIdentifier):
		return "", "between { and } stands the name of a placeholder: letters, digits and _, no digit first, " +
			"and with dots between them the fields of a record, as in {user.name}; write {{ for a brace"
	case first == templatePort || first == valuesPort:
		return "", fmt.Sprintf("%s is an input of the node itself; give the placeholder another name", first)
	}
	return name, ""
}

// doubled matches the content of {{…}} that looks like a placeholder of another product: a
// name, fields of one, or anything that begins with a dollar.
var doubled = regexp.MustCompile(`(?:^|[^{])\{\{ *(\$[^{}]*|[A-Za-z_][A-Za-z0-9_.]*) *\}\}`)

// doubts returns warnings about text that is valid but probably not meant.
func doubts(template string) []node.Problem {
	found := doubled.FindStringSubmatch(template[:min(len(template), maxDoubted)])
	if found == nil {
		return nil
	}
	name := found[1]
	for _, theirs := range []string{"$json.", "$input.", "$"} {
		name = strings.TrimPrefix(name, theirs)
	}
	if name = strings.TrimSpace(name); len(name) > maxShown || slices.ContainsFunc(strings.Split(name, "."), notIdentifier) {
		name = "name"
	}
	return []node.Problem{node.Invalid(templatePort,
		"{{ and }} print braces, so that this is not filled in; if it is to be, write {%s}, with one brace at each side", name)}
}

// maxDoubted bounds the part of a template that is checked for warnings, in bytes.
const maxDoubted = 64 << 10

// maxShown bounds what messages quote of a template, in bytes.
const maxShown = 60

func notIdentifier(s string) bool { return !isIdentifier(s) }

func isIdentifier(s string) bool {
	for i, c := range []byte(s) {
		letter := c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z'
		if digit := c >= '0' && c <= '9'; !letter && (i == 0 || !digit) {
			return false
		}
	}
	return s != ""
}
