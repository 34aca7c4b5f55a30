// Package xmltree reads XML into values and writes values as XML.
//
// An element without attributes and child elements is a text. Any other element is a record:
// its attributes under their names with a prefix, its child elements under their names, and
// its own text under "#text". Child elements with the same name are a list. The order of
// child elements with different names is not kept.
package xmltree

import (
	"github.com/svcflow/svc/engine/node"
)

// TextKey is the field for the text of an element that has attributes or child elements.
const TextKey = "#text"

// wrong returns a permanent error for an invalid input.
func wrong(format string, args ...any) error {
	return node.Permanent(node.Errorf(node.CodeInvalidInput, format, args...))
}

// tooMuch returns a permanent error for an exceeded limit.
func tooMuch(format string, args ...any) error {
	return node.Permanent(node.Errorf(node.CodeLimitExceeded, format, args...))
}

// longest is how many characters of a text messages quote.
const longest = 64

// cut shortens a text for a message.
func cut(s string) string {
	if r := []rune(s); len(r) > longest {
		return string(r[:longest]) + "…"
	}
	return s
}
