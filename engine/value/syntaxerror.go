package value

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// SyntaxError is an error in JSON text.
type SyntaxError struct {
	Offset  int64  // in bytes
	Pointer string // RFC 6901, to the innermost value around Offset
	Reason  string
	cause   error
}

// Unwrap returns [ErrTooBig] if the text is valid but its values are too large.
func (e *SyntaxError) Unwrap() error { return e.cause }

// Error implements error.
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("offset %d, at %q: %s", e.Offset, e.Pointer, e.Reason)
}

const duplicateName = "the name stands twice in its object"

// Errorf returns a [*SyntaxError] at the last token: a name, a value, or the closing
// delimiter of an object or list.
func (r *Reader) Errorf(format string, args ...any) error {
	return r.errorAt(fmt.Sprintf(format, args...))
}

func (r *Reader) errorAt(reason string) *SyntaxError {
	return &SyntaxError{Offset: r.dec.InputOffset() - int64(r.width), Pointer: pointerTo(r.dec.StackPointer()), Reason: reason}
}

// syntaxError converts an error of the tokenizer to a [*SyntaxError].
func (r *Reader) syntaxError(err error) error {
	var syntax *jsontext.SyntacticError
	if !errors.As(err, &syntax) { // io.EOF before the first token
		return &SyntaxError{Offset: int64(len(r.data)), Reason: "the text is empty"}
	}
	e := &SyntaxError{Offset: syntax.ByteOffset, Pointer: pointerTo(syntax.JSONPointer)}
	switch {
	case errors.Is(syntax, io.ErrUnexpectedEOF):
		e.Offset, e.Reason = int64(len(r.data)), "the text ends too early"
	case errors.Is(syntax, jsontext.ErrDuplicateName):
		e.Reason = duplicateName
	case errors.Is(syntax, jsontext.ErrNonStringName):
		e.Reason = "a name has to be a string in double quotes"
	default:
		e.Reason = strings.TrimPrefix(syntax.Err.Error(), "jsontext: ")
	}
	return e
}

// maxPointer is the maximum length of the pointer in an error, in bytes.
const maxPointer = 512

// pointerTo returns p, or the pointer of an outer value if p is too long.
func pointerTo(p jsontext.Pointer) string {
	for len(p) > maxPointer {
		p = p.Parent()
	}
	return string(p)
}
