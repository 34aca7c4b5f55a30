package sqlnode

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"strconv"
	"strings"
	"time"
)

// array reads an array as PostgreSQL writes it, such as {1,NULL,"a b"}. It reports whether text
// is one.
func (c column) array(text string) (any, bool) {
	if strings.HasPrefix(text, "[") { // bounds, such as [0:1]={1,2}
		_, text, _ = strings.Cut(text, "=")
	}
	p := arrayParser{text: text, element: column{name: c.name, typ: strings.TrimPrefix(c.typ, "_")}}
	list, ok := p.list()
	return list, ok && p.at == len(text)
}

type arrayParser struct {
	text    string
	at      int
	element column
}

func (p *arrayParser) peek() byte {
	if p.at < len(p.text) {
		return p.text[p.at]
	}
	return 0
}

func (p *arrayParser) list() ([]any, bool) {
	list := []any{}
	if p.peek() != '{' {
		return nil, false
	}
	p.at++
	if p.peek() == '}' {
		p.at++
		return list, true
	}
	for {
		v, ok := p.value()
		if !ok {
			return nil, false
		}
		list = append(list, v)
		end := p.peek()
		p.at++
		switch end {
		case '}':
			return list, true
		case ',':
		default:
			return nil, false
		}
	}
}

func (p *arrayParser) value() (any, bool) {
	switch p.peek() {
	case '{':
		return p.list()
	case '"':
		return p.quoted()
	}
	n := strings.IndexAny(p.text[p.at:], ",}")
	if n < 0 {
		return nil, false
	}
	word := p.text[p.at : p.at+n]
	p.at += n
	if word == "NULL" {
		return nil, true
	}
	return p.element.fromText(word), true
}

func (p *arrayParser) quoted() (any, bool) {
	var b strings.Builder
	for p.at++; p.at < len(p.text); p.at++ {
		switch c := p.text[p.at]; {
		case c == '"':
			p.at++
			return p.element.fromText(b.String()), true
		case c == '\\' && p.at+1 < len(p.text):
			p.at++
			b.WriteByte(p.text[p.at])
		default:
			b.WriteByte(c)
		}
	}
	return nil, false
}

// fromText converts a value that PostgreSQL wrote as text to what read makes of a column.
func (c column) fromText(s string) any {
	switch c.typ {
	case "int2", "int4", "int8":
		if n, err := strconv.Atoi(s); err == nil {
			return n
		}
	case "float4", "float8":
		if f, err := strconv.ParseFloat(s, 64); err == nil {
			return c.float(f)
		}
	case "bool":
		return s == "t"
	case "bytea":
		if b, err := hex.DecodeString(strings.TrimPrefix(s, `\x`)); err == nil {
			return base64.StdEncoding.EncodeToString(b)
		}
	case "timestamp":
		return strings.Replace(s, " ", "T", 1)
	case "timestamptz":
		for _, zone := range []string{"Z07", "Z07:00"} {
			if t, err := time.Parse("2006-01-02 15:04:05.999999999"+zone, s); err == nil {
				return c.time(t)
			}
		}
	}
	return c.text(s)
}

// readOwnArrays converts the arrays of types that users made, such as enumerations. The driver
// knows only the number of such a type.
func (s *session) readOwnArrays(ctx context.Context, out *queryOut) error {
	for i := range out.Columns {
		c := &out.Columns[i]
		number, err := strconv.ParseUint(c.Type, 10, 32)
		if err != nil || s.network != "postgres" {
			continue
		}
		var isArray bool
		if err := s.QueryRowContext(ctx, "SELECT typname, typcategory = 'A' FROM pg_type WHERE oid = $1", number).Scan(&c.Type, &isArray); err != nil {
			return err
		}
		for _, row := range out.Rows {
			fields := row.(map[string]any)
			text, isText := fields[c.Name].(string)
			if list, ok := (column{c.Name, c.Type}).array(text); isArray && isText && ok {
				fields[c.Name] = list
			}
		}
	}
	return nil
}
