package eml

import (
	"slices"
	"strconv"
	"strings"
)

// params is a header value with parameters, such as a content type.
type params struct {
	value  string
	byName map[string]string
	// decoded are the parameters in the form of RFC 2231, which have no encoded words.
	decoded map[string]bool
}

func (p params) charset() string { return strings.TrimSpace(p.byName["charset"]) }

// name returns the text of a parameter that names a file.
func (p params) name(key string) string {
	text := p.byName[key]
	if !p.decoded[key] {
		text = decodeWords(text)
	}
	return strings.TrimSpace(text)
}

// parseParams reads a value and its parameters as mail programs write them: values without
// quotes may have blanks and any character but a semicolon; of repeated parameters the first
// counts; comments are left out.
func parseParams(text string) params {
	p := params{byName: map[string]string{}}
	s := paramScanner{text: text}
	p.value = s.next(true)
	for s.at < len(s.text) {
		s.at++ // the semicolon
		name, found := s.key()
		if !found {
			continue
		}
		// Programs that leave out the quotes of a name leave them out around parentheses, too.
		isName := strings.HasPrefix(name, "filename") || strings.HasPrefix(name, "name")
		value := s.next(!isName)
		if _, again := p.byName[name]; !again {
			p.byName[name] = value
		}
	}
	if name, value, ok := strings.Cut(p.value, "="); ok && !strings.ContainsAny(name, " /") { // the value is missing
		p.value = ""
		if name = strings.ToLower(name); p.byName[name] == "" {
			p.byName[name] = value
		}
	}
	p.join()
	return p
}

// paramScanner reads pieces of a header value; at is on a semicolon or at the end between
// them.
type paramScanner struct {
	text     string
	at       int
	unclosed bool // a comment has no end
}

// key reads the name of a parameter. There is none if no equals sign comes before the next
// semicolon.
func (s *paramScanner) key() (name string, found bool) {
	var b strings.Builder
	for ; s.at < len(s.text); s.at++ {
		switch c := s.text[s.at]; c {
		case '=':
			s.at++
			return strings.ToLower(strings.TrimSpace(b.String())), true
		case ';':
			return "", false
		case '(':
			s.comment()
		default:
			b.WriteByte(c)
		}
	}
	return "", false
}

// next reads a value up to the next semicolon.
func (s *paramScanner) next(comments bool) string {
	var b strings.Builder
	token := false // a parenthesis continues the token, as in Invoice(1).pdf
	for ; s.at < len(s.text) && s.text[s.at] != ';'; s.at++ {
		switch c := s.text[s.at]; {
		case c == '"' && strings.TrimSpace(b.String()) == "":
			if quoted, ok := s.quoted(); ok {
				return quoted
			}
		case c == '"':
			// A quote inside a token, or one that is never closed, is no part of the value.
		case c == '(' && comments && !token && s.comment():
		default:
			b.WriteByte(c)
			token = c != ' ' && c != '\t'
		}
	}
	return strings.TrimSpace(b.String())
}

// quoted reads a string in quotes, and skips what is behind it. A backslash is part of the
// string unless it escapes a quote or a backslash: there are paths of Windows in names.
func (s *paramScanner) quoted() (text string, ok bool) {
	var b strings.Builder
	for i := s.at + 1; i < len(s.text); i++ {
		c := s.text[i]
		if c == '\\' && i+1 < len(s.text) && (s.text[i+1] == '"' || s.text[i+1] == '\\') {
			i++
			c = s.text[i]
		} else if c == '"' {
			end := strings.IndexByte(s.text[i:], ';')
			if end < 0 {
				end = len(s.text) - i
			}
			s.at = i + end
			return b.String(), true
		}
		b.WriteByte(c)
	}
	return "", false
}

// comment skips a comment, and reports false if it does not end.
func (s *paramScanner) comment() bool {
	if s.unclosed {
		return false
	}
	end := commentEnd(s.text, s.at)
	s.unclosed = end < 0 // to look for the end again and again would be slow
	if end < 0 && strings.IndexByte(s.text[s.at:], ';') >= 0 {
		return false
	}
	if s.at = end; end < 0 {
		s.at = len(s.text) - 1
	}
	return true
}

// longestComment bounds comments, in bytes, so that many open parentheses are not expensive.
const longestComment = 250

// commentEnd returns the index of the parenthesis that closes the one at start, or -1.
func commentEnd(text string, start int) int {
	depth := 0
	for i := start; i < min(len(text), start+longestComment); i++ {
		switch text[i] {
		case '\\':
			i++
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// segment is a piece of a parameter: filename*1*=… is segment 1, and encoded.
type segment struct {
	number  int
	encoded bool
	value   string
}

// join joins the pieces of parameters (RFC 2231). They win over a parameter of the same name
// without pieces, which is for old programs.
func (p *params) join() {
	var pieces map[string][]segment
	for key, value := range p.byName {
		name, piece, ok := cutSegment(key, value)
		if !ok {
			continue
		}
		if pieces == nil {
			pieces, p.decoded = map[string][]segment{}, map[string]bool{}
		}
		pieces[name] = append(pieces[name], piece)
		delete(p.byName, key)
	}
	for name, list := range pieces {
		slices.SortFunc(list, func(a, b segment) int { return a.number - b.number })
		p.byName[name], p.decoded[name] = joined(list), true
	}
}

// cutSegment takes apart the name of a parameter that has a star.
func cutSegment(key, value string) (name string, s segment, ok bool) {
	name, rest, found := strings.Cut(key, "*")
	if !found {
		return "", s, false
	}
	number, encoded := strings.CutSuffix(rest, "*")
	if rest == "" {
		number, encoded = "0", true
	}
	n, err := strconv.Atoi(number)
	return name, segment{number: n, encoded: encoded, value: value}, err == nil && n >= 0
}

// joined decodes pieces. The first may name the encoding and the language of all.
func joined(list []segment) string {
	label, anyEncoded := "", false
	var data []byte
	for i, s := range list {
		if i == 0 && s.encoded {
			if parts := strings.SplitN(s.value, "'", 3); len(parts) == 3 {
				label, s.value = parts[0], parts[2]
			}
		}
		if s.encoded {
			anyEncoded = true
			data = append(data, unescapePercent(s.value)...)
		} else {
			data = append(data, s.value...)
		}
	}
	if !anyEncoded {
		return decodeWords(string(data))
	}
	return wordText(data, label)
}

// unescapePercent decodes %41. What is no such escape stays as it is.
func unescapePercent(text string) []byte {
	out := make([]byte, 0, len(text))
	for i := 0; i < len(text); i++ {
		if text[i] == '%' && i+2 < len(text) {
			if high, low := hexDigit(text[i+1]), hexDigit(text[i+2]); high >= 0 && low >= 0 {
				out = append(out, byte(high<<4|low)) //nolint:gosec // both are below 16
				i += 2
				continue
			}
		}
		out = append(out, text[i])
	}
	return out
}

func hexDigit(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	}
	return -1
}
