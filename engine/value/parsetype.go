package value

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// TypeError is a syntax error in a type.
type TypeError struct {
	Text   string
	Offset int // in bytes
	Reason string
}

// Error implements error.
func (e *TypeError) Error() string {
	return fmt.Sprintf("type %q, offset %d: %s", Shorten(e.Text, maxBrief), e.Offset, e.Reason)
}

// maxTypeDepth limits the nesting of a type, so that no text can exhaust the stack.
const maxTypeDepth = 64

// ParseType reads a type:
//
//	any string int float bool credential media
//	media(image|video)   enum(a|b)   list<T>   record   record{id:string,"full name":string?}
//
// with ? after a type that may also be null. Enum members and kinds of media consist of
// letters, digits, '_', '.' and '-'; field names are identifiers or JSON strings. Spaces
// are allowed between the parts. Its error is a [*TypeError].
func ParseType(text string) (Type, error) {
	p := typeParser{text: text}
	t := p.typ(0)
	p.space()
	if p.err == nil && p.at < len(text) {
		p.fail("unexpected %q after the type", Shorten(text[p.at:], maxBrief))
	}
	if p.err != nil {
		return Type{}, p.err
	}
	return t, nil
}

// MustType is [ParseType] for types in Go source. It panics if the text is malformed.
func MustType(text string) Type {
	t, err := ParseType(text)
	if err != nil {
		panic(err)
	}
	return t
}

// typeParser is a recursive descent parser for a type. After the first error it reads
// nothing more.
type typeParser struct {
	text string
	at   int
	err  error
}

func (p *typeParser) fail(format string, args ...any) {
	if p.err == nil {
		p.err = &TypeError{p.text, p.at, fmt.Sprintf(format, args...)}
	}
}

func (p *typeParser) space() {
	for p.at < len(p.text) && p.text[p.at] == ' ' {
		p.at++
	}
}

// accept skips c if it is next, and reports whether it was.
func (p *typeParser) accept(c byte) bool {
	p.space()
	if p.err == nil && p.at < len(p.text) && p.text[p.at] == c {
		p.at++
		return true
	}
	return false
}

func (p *typeParser) expect(c byte) {
	if !p.accept(c) {
		p.fail("expected %q", string(c))
	}
}

// word returns the longest run of bytes for which in is true.
func (p *typeParser) word(in func(byte) bool) string {
	p.space()
	start := p.at
	for p.at < len(p.text) && in(p.text[p.at]) {
		p.at++
	}
	return p.text[start:p.at]
}

func (p *typeParser) typ(depth int) Type {
	if depth > maxTypeDepth {
		p.fail("nested deeper than %d", maxTypeDepth)
		return Type{}
	}
	t := p.bare(depth)
	if p.accept('?') {
		t = t.OrNull()
	}
	return t
}

func (p *typeParser) bare(depth int) Type {
	start := p.at
	switch word := p.word(func(c byte) bool { return c >= 'a' && c <= 'z' }); word {
	case "any":
		return Any()
	case "string":
		return String()
	case "int":
		return Int()
	case "float":
		return Float()
	case "bool":
		return Bool()
	case "credential":
		return CredentialType()
	case "media":
		return p.media()
	case "enum":
		return enumOf(p.members())
	case "list":
		p.expect('<')
		elem := p.typ(depth + 1)
		p.expect('>')
		return ListOf(elem)
	case "record":
		return recordOf(p.fields(depth))
	default:
		p.at = start
		p.fail("expected any, string, int, float, bool, credential, media, enum(…), list<…> or record")
		return Type{}
	}
}

// media reads the kinds of media, if any.
func (p *typeParser) media() Type {
	if p.space(); p.at >= len(p.text) || p.text[p.at] != '(' {
		return MediaType()
	}
	kinds, _ := p.members()
	return MediaOf(kinds...)
}

// members reads the members of an enum, or kinds of media, and returns the index of each.
func (p *typeParser) members() (members []string, places map[string]int) {
	places = map[string]int{}
	p.expect('(')
	for p.err == nil {
		m := p.word(isMemberByte)
		if m == "" {
			p.fail("expected a member made of letters, digits, '_', '.' and '-'")
		}
		if _, seen := places[m]; seen {
			p.fail("member %q stands twice", Shorten(m, maxBrief))
		}
		places[m] = len(members)
		members = append(members, m)
		if !p.accept('|') {
			break
		}
	}
	p.expect(')')
	return members, places
}

func isMemberByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("_.-", c) >= 0
}

// fields reads the fields of a record, if any, and returns the index of each.
func (p *typeParser) fields(depth int) (fields []Field, places map[string]int) {
	if !p.accept('{') || p.accept('}') {
		return nil, nil
	}
	places = map[string]int{}
	var full [][]Field // earlier full chunks of fields
	for p.err == nil {
		name := p.fieldName()
		if _, seen := places[name]; seen {
			p.fail("field %q stands twice", Shorten(name, maxBrief))
		}
		places[name] = len(places)
		p.expect(':')
		if n := len(fields); n == cap(fields) && n >= chunk {
			full, fields = append(full, fields), make([]Field, 0, n)
		}
		fields = append(fields, Field{name, p.typ(depth + 1)})
		if !p.accept(',') {
			break
		}
	}
	p.expect('}')
	if full != nil {
		fields = slices.Concat(append(full, fields)...)
	}
	return fields, places
}

func (p *typeParser) fieldName() string {
	p.space()
	if p.at < len(p.text) && p.text[p.at] == '"' {
		return p.quoted()
	}
	start := p.at
	name := p.word(func(c byte) bool { return isMemberByte(c) && c != '.' && c != '-' })
	if !IsIdentifier(name) {
		p.at = start
		p.fail("expected a field name: an identifier or a JSON string")
	}
	return name
}

// quoted reads a JSON string.
func (p *typeParser) quoted() string {
	end := p.at + 1
	for end < len(p.text) && p.text[end] != '"' {
		if p.text[end] == '\\' {
			end++
		}
		end++
	}
	name, err := jsontext.AppendUnquote(nil, p.text[p.at:min(end+1, len(p.text))])
	if err != nil {
		p.fail("malformed field name: %v", err)
		return ""
	}
	p.at = end + 1
	return string(name)
}
