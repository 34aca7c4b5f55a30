package value

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// SyntaxError says where JSON text is wrong.
type SyntaxError struct {
	Offset  int64  // in bytes
	Pointer string // RFC 6901, to the innermost value around the place
	Reason  string
	cause   error
}

// Unwrap returns [ErrTooBig] where the text is not wrong, but too much.
func (e *SyntaxError) Unwrap() error { return e.cause }

// Error implements error.
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("offset %d, at %q: %s", e.Offset, e.Pointer, e.Reason)
}

const duplicateName = "the name stands twice in its object"

// Errorf returns a [*SyntaxError] at what was read last: a name, a value, or the
// closing delimiter of an object or list.
func (r *Reader) Errorf(format string, args ...any) error {
	return r.errorAt(fmt.Sprintf(format, args...))
}

func (r *Reader) errorAt(reason string) *SyntaxError {
	return &SyntaxError{Offset: r.dec.InputOffset() - int64(r.width), Pointer: pointerTo(r.dec.StackPointer()), Reason: reason}
}

// syntaxError puts an error of the tokenizer into this package's terms.
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

// maxPointer is how long the pointer of an error gets, in bytes.
const maxPointer = 512

// pointerTo returns p, or an outer value's pointer if p is too long.
func pointerTo(p jsontext.Pointer) string {
	for len(p) > maxPointer {
		p = p.Parent()
	}
	return string(p)
}
