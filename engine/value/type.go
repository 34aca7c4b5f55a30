package value

import (
	"math"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Kind is the outermost shape of a [Type].
type Kind uint8

// The kinds of types. The zero Kind is Any.
const (
	KindAny Kind = iota
	KindString
	KindInt
	KindFloat
	KindBool
	KindCredential
	KindMedia
	KindEnum
	KindList
	KindRecord
)

// String returns the word for k in the syntax of types.
func (k Kind) String() string {
	return [...]string{"any", "string", "int", "float", "bool", "credential", "media", "enum", "list", "record"}[k]
}

// Type is the type of a port. The zero Type is any. Types are immutable and
// safe for concurrent use; build them with [ParseType] or the constructors
// below. Its text form is described at [ParseType].
type Type struct {
	kind     Kind
	nullable bool
	parts    *parts // nil if there are none
}

// parts are the components of a type. They are separate from Type to keep it small: a wide
// record has many types, most of which have no parts.
type parts struct {
	elem    Type       // of a list
	members []string   // of an enum; or the kinds of media, none means any
	fields  []Field    // of a record; nil means any record
	index   *typeIndex // of members or fields, if there are many; else nil
}

// Field is one field of a record type.
type Field struct {
	Name string
	Type Type
}

// Any returns any, the type of every value. The basic types are functions, so that nobody
// can change them.
func Any() Type { return Type{} }

// String returns string.
func String() Type { return Type{kind: KindString} }

// Int returns int.
func Int() Type { return Type{kind: KindInt} }

// Float returns float.
func Float() Type { return Type{kind: KindFloat} }

// Bool returns bool.
func Bool() Type { return Type{kind: KindBool} }

// CredentialType returns credential.
func CredentialType() Type { return Type{kind: KindCredential} }

// MediaType returns media.
func MediaType() Type { return Type{kind: KindMedia} }

// ListOf returns list<elem>.
func ListOf(elem Type) Type { return Type{kind: KindList, parts: &parts{elem: elem}} }

// EnumOf returns enum(members…).
func EnumOf(members ...string) Type { return enumOf(slices.Clone(members), nil) }

// RecordOf returns record{fields…}. Without fields it returns record, which accepts any
// record.
func RecordOf(fields ...Field) Type {
	return recordOf(slices.Clone(fields), nil)
}

// OrNull returns t?, which also accepts null; any already does.
func (t Type) OrNull() Type {
	t.nullable = t.kind != KindAny
	return t
}

// NotNull returns t without the ?.
func (t Type) NotNull() Type {
	t.nullable = false
	return t
}

// Kind returns the outermost shape of t.
func (t Type) Kind() Kind { return t.kind }

// Nullable reports whether null is a value of t.
func (t Type) Nullable() bool { return t.nullable || t.kind == KindAny }

// Elem returns the element type of a list, and any for other types.
func (t Type) Elem() Type {
	if t.parts == nil {
		return Type{}
	}
	return t.parts.elem
}

// Members returns the members of an enum, or the kinds of media. The caller must not change
// them.
func (t Type) Members() []string {
	if t.parts == nil {
		return nil
	}
	return t.parts.members
}

// Fields returns the fields of a record type, or none for a bare record. The caller must
// not change them.
func (t Type) Fields() []Field {
	if t.parts == nil {
		return nil
	}
	return t.parts.fields
}

// Equal reports whether t and u are the same type.
func (t Type) Equal(u Type) bool {
	if t.kind != u.kind || t.nullable != u.nullable || !slices.Equal(t.Members(), u.Members()) {
		return false
	}
	if t.kind == KindList {
		return t.Elem().Equal(u.Elem())
	}
	return slices.EqualFunc(t.Fields(), u.Fields(), func(a, b Field) bool {
		return a.Name == b.Name && a.Type.Equal(b.Type)
	})
}

// String prints t in the syntax of [ParseType].
func (t Type) String() string { return string(t.append(nil)) }

// maxBrief is the maximum length of [Type.Brief], in bytes.
const maxBrief = 200

// Brief is String for messages: it shortens long types. It takes constant time even for a
// type with a million fields.
func (t Type) Brief() string {
	text := string(t.appendUpTo(nil, maxBrief))
	if len(text) <= maxBrief {
		return text
	}
	return strings.ToValidUTF8(text[:maxBrief-len(ellipsis)], "") + ellipsis
}

func (t Type) append(b []byte) []byte { return t.appendUpTo(b, math.MaxInt) }

// appendUpTo appends t, but stops after b has become longer than end.
func (t Type) appendUpTo(b []byte, end int) []byte {
	b = append(b, t.kind.String()...)
	switch t.kind {
	case KindList:
		b = append(b, '<')
		b = append(t.Elem().appendUpTo(b, end), '>')
	case KindEnum:
		b = t.appendMembers(b, end)
	case KindMedia:
		if len(t.Members()) > 0 {
			b = t.appendMembers(b, end)
		}
	case KindRecord:
		b = t.appendFields(b, end)
	}
	if t.nullable {
		b = append(b, '?')
	}
	return b
}

func (t Type) appendMembers(b []byte, end int) []byte {
	b = append(b, '(')
	for i, m := range t.Members() {
		if i > 0 {
			b = append(b, '|')
		}
		if b = append(b, m...); len(b) > end {
			return b
		}
	}
	return append(b, ')')
}

func (t Type) appendFields(b []byte, end int) []byte {
	if len(t.Fields()) == 0 {
		return b
	}
	b = append(b, '{')
	for i, f := range t.Fields() {
		if i > 0 {
			b = append(b, ',')
		}
		if len(b) > end {
			return b
		}
		if IsIdentifier(f.Name) {
			b = append(b, f.Name...)
		} else {
			b, _ = jsontext.AppendQuote(b, f.Name) // names are valid UTF-8: the parser checks
		}
		b = append(b, ':')
		b = f.Type.appendUpTo(b, end)
	}
	return append(b, '}')
}

// MarshalText prints t in the syntax of [ParseType].
func (t Type) MarshalText() ([]byte, error) { return t.append(nil), nil }

// UnmarshalText is [ParseType].
func (t *Type) UnmarshalText(text []byte) error {
	u, err := ParseType(string(text))
	*t = u
	return err
}

// IsIdentifier reports whether s can be the name of a field without quotes: ASCII letters,
// digits and underscores, not beginning with a digit.
func IsIdentifier(s string) bool {
	for i, c := range []byte(s) {
		if c != '_' && (c|0x20 < 'a' || c|0x20 > 'z') && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}
