package jsonnode

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/svcflow/svc/engine/value"
)

// diagnosis describes an error in JSON text for people: with line and column, and what a
// text that is nearly JSON has.
func diagnosis(text string, err error) string {
	syntax, is := errors.AsType[*value.SyntaxError](err)
	if !is {
		return err.Error()
	}
	offset := int(min(max(syntax.Offset, 0), int64(len(text))))
	line, column := position(text, offset)
	reason := syntax.Reason
	if errors.Is(err, value.ErrTooBig) {
		return fmt.Sprintf("line %d, column %d, at %q: %s", line, column, syntax.Pointer, reason)
	}
	if hint := nearly(text, offset); hint != "" {
		reason += "; " + hint
	}
	return fmt.Sprintf("line %d, column %d, at %q: %s", line, column, syntax.Pointer, reason)
}

// position returns the line and column of an offset in bytes, both from 1.
func position(text string, offset int) (line, column int) {
	before := text[:offset]
	line = strings.Count(before, "\n") + 1
	return line, utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:]) + 1
}

// nearly names what people write in JSON that is not allowed there.
func nearly(text string, offset int) string {
	before, rest := strings.TrimRight(text[:offset], " \t\r\n"), strings.TrimLeft(text[offset:], " \t\r\n")
	starts := func(prefixes ...string) bool {
		for _, p := range prefixes {
			if strings.HasPrefix(rest, p) {
				return true
			}
		}
		return false
	}
	switch {
	case starts("//", "/*", "#"):
		return "JSON has no comments"
	case strings.HasSuffix(before, ",") && starts("]", "}"), starts(",") && strings.HasPrefix(strings.TrimLeft(rest[1:], " \t\r\n"), "]"),
		starts(",") && strings.HasPrefix(strings.TrimLeft(rest[1:], " \t\r\n"), "}"):
		return "no comma may follow the last value"
	case starts("NaN", "Infinity", "-Infinity", "nan", "inf"):
		return "JSON has no such number; use null"
	case starts("'"):
		return "texts stand in double quotes"
	case starts("True", "False", "None"):
		return "JSON has true, false and null, in small letters"
	case starts("undefined"):
		return "JSON has null, but not undefined"
	case starts("\u201c", "\u201d"):
		return "quotes have to be straight"
	case starts("<"):
		return "this looks like XML or HTML"
	}
	if first, err := value.DecodeText(before); err == nil && first != nil && rest != "" {
		return "a value ends before; values that follow each other, as in JSON Lines, have to be parsed one by one: split the text into lines"
	}
	return ""
}
