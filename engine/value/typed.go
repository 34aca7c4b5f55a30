package value

import (
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Object reads a JSON object with the given fields, at most 64. The first required of them
// must be present. It calls member for each field found, which must read the field's value.
// Unknown, repeated and missing fields are errors.
func (r *Reader) Object(required int, fields []string, member func(field string) error) error {
	if r.dec.PeekKind() != jsontext.KindBeginObject {
		return r.unexpected("an object")
	}
	if err := r.open(); err != nil {
		return err
	}
	var seen uint64
	for r.dec.PeekKind() != jsontext.KindEndObject {
		i, err := r.field(fields)
		if err != nil {
			return err
		}
		if seen&(1<<i) != 0 {
			return r.Errorf(duplicateName)
		}
		seen |= 1 << i
		if err := member(fields[i]); err != nil {
			return err
		}
	}
	if err := r.shut(); err != nil {
		return err
	}
	for i, field := range fields[:required] {
		if seen&(1<<i) == 0 {
			return r.Errorf("the field %q is missing", field)
		}
	}
	return nil
}

// field reads the name of a member and returns its index in fields.
func (r *Reader) field(fields []string) (int, error) {
	name, err := r.name()
	if err != nil {
		return 0, err
	}
	i := slices.Index(fields, name)
	if i < 0 {
		return 0, r.Errorf("unknown field; known are %s", strings.Join(fields, ", "))
	}
	return i, nil
}

// List reads a JSON array. It calls element for each element, which must read it.
func (r *Reader) List(element func() error) error {
	if r.dec.PeekKind() != jsontext.KindBeginArray {
		return r.unexpected("a list")
	}
	if err := r.open(); err != nil {
		return err
	}
	for r.dec.PeekKind() != jsontext.KindEndArray {
		if err := element(); err != nil {
			return err
		}
	}
	return r.shut()
}

// Record reads an object as a record. The result is never nil.
func (r *Reader) Record() (map[string]any, error) {
	if r.dec.PeekKind() != jsontext.KindBeginObject {
		return nil, r.unexpected("an object")
	}
	return r.record()
}

// IsText reports whether the next token is a string.
func (r *Reader) IsText() bool { return r.dec.PeekKind() == jsontext.KindString }

// Text reads a string.
func (r *Reader) Text() (string, error) {
	if !r.IsText() {
		return "", r.unexpected("a string")
	}
	raw, err := r.raw()
	if err != nil {
		return "", err
	}
	return r.intern(raw), nil
}

// Bool reads true or false.
func (r *Reader) Bool() (bool, error) {
	if k := r.dec.PeekKind(); k != jsontext.KindTrue && k != jsontext.KindFalse {
		return false, r.unexpected("true or false")
	}
	t, err := r.token()
	return err == nil && t.Bool(), err
}

// Int reads an int between low and high, inclusive.
func (r *Reader) Int(low, high int) (int, error) {
	if r.dec.PeekKind() != jsontext.KindNumber {
		return 0, r.unexpected("a whole number")
	}
	raw, err := r.raw()
	if err != nil {
		return 0, err
	}
	n, ok := parseInt(raw)
	if !ok || n < low || n > high {
		return 0, r.Errorf("expected a whole number from %d to %d, written without fraction and exponent", low, high)
	}
	return n, nil
}

// Float reads a number between low and high, inclusive.
func (r *Reader) Float(low, high float64) (float64, error) {
	if r.dec.PeekKind() != jsontext.KindNumber {
		return 0, r.unexpected("a number")
	}
	raw, err := r.raw()
	if err != nil {
		return 0, err
	}
	f, err := strconv.ParseFloat(string(raw), 64)
	if err != nil || f < low || f > high {
		return 0, r.Errorf("expected a number from %v to %v", low, high)
	}
	return f, nil
}

// unexpected reads the next token and returns the error that want was expected instead.
func (r *Reader) unexpected(want string) error {
	kind := r.dec.PeekKind()
	var err error
	switch kind {
	case jsontext.KindString, jsontext.KindNumber:
		_, err = r.raw()
	default:
		_, err = r.token()
	}
	if err != nil {
		return err
	}
	return r.Errorf("expected %s, got %s", want, kindWord(kind))
}

func kindWord(k jsontext.Kind) string {
	switch k {
	case jsontext.KindNull:
		return "null"
	case jsontext.KindTrue:
		return "true"
	case jsontext.KindFalse:
		return "false"
	case jsontext.KindString:
		return "a string"
	case jsontext.KindNumber:
		return "a number"
	case jsontext.KindBeginObject:
		return "an object"
	case jsontext.KindBeginArray:
		return "a list"
	}
	return "something else"
}
