package sqlnode

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// dialect has the rules by which a database parses SQL.
type dialect struct {
	network   string // whose accounts it takes
	numbered  bool   // parameters are $1, $2, …; else ?
	backslash bool   // in texts, \ takes away what the next sign means
	hash      bool   // # begins a comment
	dollar    bool   // $tag$ begins a text
	nested    bool   // comments can be nested
	quote     string // around names
	most      int    // parameters of a statement
}

func dialects() map[string]dialect {
	return map[string]dialect{
		"postgres": {network: "postgres", numbered: true, dollar: true, nested: true, quote: `"`, most: 65_535},
		"mysql":    {network: "mysql", backslash: true, hash: true, quote: "`", most: 65_535},
		"sqlite":   {network: "sqlite", quote: `"`, most: 32_766},
	}
}

// statement is SQL in a database's dialect, and its parameters.
type statement struct {
	text  string
	names []string // one for each place
}

// translate replaces :name by the placeholders of a dialect. It leaves texts, quoted names,
// comments and casts (::) as they are.
func (d dialect) translate(source string) (statement, error) {
	s := scanner{d: d, text: source}
	for s.at < len(s.text) {
		if err := s.next(); err != nil {
			return statement{}, err
		}
	}
	return statement{s.out.String(), s.names}, nil
}

type scanner struct {
	d     dialect
	text  string
	at    int
	out   strings.Builder
	names []string
}

// take copies n bytes.
func (s *scanner) take(n int) {
	n = min(n, len(s.text)-s.at)
	s.out.WriteString(s.text[s.at : s.at+n])
	s.at += n
}

func (s *scanner) rest() string { return s.text[s.at:] }

// next copies or translates the token at the current position.
func (s *scanner) next() error {
	rest := s.rest()
	switch c := rest[0]; {
	case c == '\'':
		s.quoted('\'', s.d.backslash)
	case c == '"':
		s.quoted('"', s.d.backslash)
	case c == '`' && !s.d.numbered:
		s.quoted('`', false)
	case c == '[' && s.d.network == "sqlite":
		s.until("]")
	case strings.HasPrefix(rest, "--") && (!s.d.backslash || len(rest) == 2 || rest[2] <= ' '), c == '#' && s.d.hash:
		s.until("\n")
	case strings.HasPrefix(rest, "/*"):
		s.comment()
	case c == '$' && s.d.dollar && s.dollar():
	case strings.HasPrefix(rest, "::"):
		s.take(2)
	case c == ':' && len(rest) > 1 && isStart(rest[1]):
		s.parameter()
	case s.foreign(c, rest):
		return fmt.Errorf("at character %d: values come in by name; write :name, and give params a field name", s.at+1)
	case isStart(c): // a word, in which $ and digits have no special meaning
		n := 1
		for n < len(rest) && (isPart(rest[n]) || rest[n] == '$') {
			n++
		}
		if n == 1 && (c == 'e' || c == 'E') && n < len(rest) && rest[1] == '\'' {
			s.take(1)
			s.quoted('\'', true)
			return nil
		}
		s.take(n)
	default:
		s.take(1)
	}
	return nil
}

// foreign reports whether a placeholder of the driver begins here, which it would mistake for
// one of ours.
func (s *scanner) foreign(c byte, rest string) bool {
	if s.d.numbered {
		return c == '$' && len(rest) > 1 && isDigit(rest[1])
	}
	return c == '?' || s.d.network == "sqlite" && (c == '@' || c == '$') && len(rest) > 1 && isPart(rest[1])
}

func (s *scanner) quoted(mark byte, backslash bool) {
	s.take(1)
	for s.at < len(s.text) {
		switch c := s.text[s.at]; {
		case c == '\\' && backslash:
			s.take(2)
		case c == mark: // two of them are one in the text, which begins a text anew and does not matter
			s.take(1)
			return
		default:
			s.take(1)
		}
	}
}

func (s *scanner) until(end string) {
	if i := strings.Index(s.rest(), end); i >= 0 {
		s.take(i + len(end))
		return
	}
	s.take(len(s.text))
}

func (s *scanner) comment() {
	depth := 0
	for s.at < len(s.text) {
		switch rest := s.rest(); {
		case strings.HasPrefix(rest, "/*") && (depth == 0 || s.d.nested):
			depth++
			s.take(2)
		case strings.HasPrefix(rest, "*/"):
			s.take(2)
			if depth--; depth == 0 {
				return
			}
		default:
			s.take(1)
		}
	}
}

// dollar copies a text between two equal $tag$.
func (s *scanner) dollar() bool {
	rest := s.rest()
	n := 1
	for n < len(rest) && isPart(rest[n]) && (n > 1 || !isDigit(rest[n])) {
		n++
	}
	if n == len(rest) || rest[n] != '$' {
		return false
	}
	tag := rest[:n+1]
	s.take(len(tag))
	s.until(tag)
	return true
}

func (s *scanner) parameter() {
	rest := s.rest()
	n := 1
	for n < len(rest) && isPart(rest[n]) {
		n++
	}
	name := rest[1:n]
	s.at += n
	if !s.d.numbered {
		s.names = append(s.names, name)
		s.out.WriteByte('?')
		return
	}
	i := slices.Index(s.names, name)
	if i < 0 {
		i = len(s.names)
		s.names = append(s.names, name)
	}
	s.out.WriteString("$" + strconv.Itoa(i+1))
}

// name quotes a name for SQL. A dot separates schema and name.
func (d dialect) name(name string) string {
	parts := strings.Split(name, ".")
	for i, part := range parts {
		parts[i] = d.part(part)
	}
	return strings.Join(parts, ".")
}

func (d dialect) part(name string) string {
	return d.quote + strings.ReplaceAll(name, d.quote, d.quote+d.quote) + d.quote
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
func isStart(c byte) bool { return c == '_' || 'a' <= c|0x20 && c|0x20 <= 'z' || c >= 0x80 }
func isPart(c byte) bool  { return isStart(c) || isDigit(c) }
