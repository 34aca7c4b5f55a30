package workflow

import (
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"
)

const maxID = 200 // characters

// CheckID reports whether id is a valid workflow id: 1 to 200 characters, no control
// characters, and neither "." nor "..", which URLs cannot contain. Every other character is
// valid, including "/" and "%", so an id must never be used as a path.
func CheckID(id string) error {
	switch {
	case id == "":
		return errors.New("an id must not be empty")
	case id == "." || id == "..":
		return errors.New(`"." and ".." cannot be ids`)
	case !utf8.ValidString(id):
		return errors.New("an id has to be valid UTF-8")
	case utf8.RuneCountInString(id) > maxID:
		return errors.New("an id has at most 200 characters")
	case strings.ContainsFunc(id, unicode.IsControl):
		return errors.New("an id must not contain control characters")
	}
	return nil
}

// CheckNodeID reports whether id is a valid node id: like [CheckID], but without "/", which
// separates the nodes of a path such as "loop/3/fmt".
func CheckNodeID(id string) error {
	if strings.Contains(id, "/") {
		return errors.New(`a node's id must not contain "/"`)
	}
	return CheckID(id)
}
