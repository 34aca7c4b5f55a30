package eml

import (
	"bytes"
	"net/mail"
	"strings"
	"unicode"
)

// address is an entry of a list of addresses. Either text may be empty.
type address struct{ name, spec string }

// Addresses returns the addresses in the header fields called name that mail can be sent to.
func (l *Letter) Addresses(name string) []*mail.Address {
	var list []*mail.Address
	for _, a := range l.addresses(name) {
		if parsed, err := mail.ParseAddress("<" + a.spec + ">"); err == nil {
			list = append(list, &mail.Address{Name: a.name, Address: parsed.Address})
		}
	}
	return list
}

// addresses returns the addresses in all fields called name; in the first one only of a
// field that a message has once.
func (l *Letter) addresses(name string) []address {
	name = strings.ToLower(name)
	switch name {
	case "to", "cc", "bcc":
		return parseAddresses(strings.Join(l.header.all(name), ", "))
	}
	return parseAddresses(l.header.first(name))
}

// Shown returns the addresses in the header called name in readable form. A header without
// addresses is returned as it is.
func (l *Letter) Shown(name string) []string {
	list := l.addresses(name)
	texts := make([]string, 0, len(list))
	for _, a := range list {
		texts = append(texts, a.show())
	}
	if text := l.Field(name); len(texts) == 0 && text != "" {
		texts = append(texts, text)
	}
	return texts
}

// show formats an address for people. It quotes the name only where it would be ambiguous.
func (a address) show() string {
	switch {
	case a.name == "":
		return a.spec
	case a.spec == "":
		return a.name
	case strings.ContainsAny(a.name, `()<>[]:;@\,."`):
		return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(a.name) + `" <` + a.spec + ">"
	}
	return a.name + " <" + a.spec + ">"
}

// parseAddresses reads a list of addresses as people write them: names with commas and
// without quotes, semicolons between addresses, missing brackets, comments and groups, of
// which the members are returned.
func parseAddresses(text string) []address {
	s := addressScanner{text: text}
	for s.at < len(s.text) {
		s.step()
	}
	s.flush()
	return mergeNames(s.list)
}

// mergeNames joins the pieces of names with commas: Doe, Ann <ann@example.com>.
func mergeNames(list []address) []address {
	var merged []address
	var pending []string
	keep := func() { // they are names without an address
		for _, name := range pending {
			merged = append(merged, address{name: name})
		}
		pending = nil
	}
	for _, a := range list {
		if a.spec == "" {
			pending = append(pending, a.name)
			continue
		}
		if a.name != "" && len(pending) > 0 {
			a.name, pending = strings.Join(append(pending, a.name), ", "), nil
		}
		keep()
		merged = append(merged, a)
	}
	keep()
	return merged
}

// addressScanner collects the pieces of one address after another.
type addressScanner struct {
	text string
	at   int
	list []address

	words    []addressWord
	open     bool // the last word continues
	literal  bool // in the brackets of ann@[IPv6:2001:db8::1]
	comments []string
	unclosed bool   // a comment has no end
	angle    string // what is in angle brackets
	hasAngle bool
	before   int // how many words are before the brackets
}

type addressWord struct {
	text   []byte
	quoted bool
}

// step reads a character, or a piece that begins with it.
func (s *addressScanner) step() {
	c := s.text[s.at]
	switch {
	case c == '"' && s.quoted(), c == '(' && s.comment(), c == '=' && s.encodedWord():
		return
	case c == '<':
		s.bracket()
		return
	case c == ',' || c == ';':
		s.flush()
	case c == ':' && !s.literal:
		s.colon()
	case c == ' ' || c == '\t' || c == '\r' || c == '\n':
		s.open = false
	case c == '"' || c == '(' || c == '>':
		// It has no counterpart.
	default:
		s.literal = c == '[' && s.at > 0 && s.text[s.at-1] == '@' || s.literal && c != ']'
		s.write(s.text[s.at:s.at+1], false)
	}
	s.at++
}

// colon ends the name of a group, or the scheme of a link: Ann [mailto:ann@example.com].
func (s *addressScanner) colon() {
	s.open = false
	if n := len(s.words) - 1; n >= 0 && strings.EqualFold(strings.Trim(string(s.words[n].text), "["), "mailto") {
		s.words = s.words[:n]
		return
	}
	s.words, s.comments = nil, nil
}

// write adds text to the last word, or a word.
func (s *addressScanner) write(text string, quoted bool) {
	if s.open && len(s.words) > 0 {
		last := &s.words[len(s.words)-1]
		last.text, last.quoted = append(last.text, text...), last.quoted && quoted
	} else {
		s.words = append(s.words, addressWord{[]byte(text), quoted})
	}
	s.open = true
}

func (s *addressScanner) quoted() bool {
	var b strings.Builder
	for i := s.at + 1; i < len(s.text); i++ {
		switch c := s.text[i]; {
		case c == '\\' && i+1 < len(s.text):
			i++
			b.WriteByte(s.text[i])
		case c == '"':
			s.write(b.String(), true)
			s.at = i + 1
			return true
		default:
			b.WriteByte(c)
		}
	}
	return false
}

func (s *addressScanner) comment() bool {
	end := -1
	if !s.unclosed {
		end = commentEnd(s.text, s.at)
	}
	if end < 0 {
		s.unclosed = true // to look for the end again and again would be slow
		return false
	}
	if text := strings.TrimSpace(s.text[s.at+1 : end]); text != "" {
		s.comments = append(s.comments, text)
	}
	s.at = end + 1
	return true
}

// encodedWord reads an encoded word as one piece: it may have commas and other characters
// that mean something elsewhere.
func (s *addressScanner) encodedWord() bool {
	if !strings.HasPrefix(s.text[s.at:], "=?") {
		return false
	}
	w, ok := readWord(s.text, s.at)
	if ok {
		s.write(s.text[s.at:w.end], false)
		s.at = w.end
	}
	return ok
}

// bracket reads an address in angle brackets. A second one begins another address, whose
// comma is missing.
func (s *addressScanner) bracket() {
	if s.hasAngle {
		next := s.words[s.before:]
		s.words = s.words[:s.before:s.before]
		s.flush()
		s.words = next
	}
	s.at++
	end := s.bracketEnd()
	s.angle, s.hasAngle, s.before, s.open = s.text[s.at:end], true, len(s.words), false
	if s.at = end; end < len(s.text) && s.text[end] == '>' {
		s.at++
	}
}

// bracketEnd returns the end of the address that begins at s.at. If its bracket does not
// close, it ends where the next address begins.
func (s *addressScanner) bracketEnd() int {
	route := strings.HasPrefix(strings.TrimSpace(s.text[s.at:]), "@") // of the form @relay,@other:
	inQuotes, complete, comma := false, false, -1
	for i := s.at; i < len(s.text); i++ {
		switch c := s.text[i]; {
		case c == '"':
			inQuotes = !inQuotes && strings.IndexByte(s.text[i+1:], '"') >= 0
		case inQuotes:
		case c == '>', c == '<' && comma < 0, complete && (c == ',' || c == ';'):
			return i
		case c == '<':
			return comma
		case (c == ',' || c == ';') && comma < 0 && !route:
			comma = i
		case c == ':':
			route = false
		case c == '@':
			complete = !route
		}
	}
	if comma >= 0 {
		return comma
	}
	return len(s.text)
}

// flush ends an address.
func (s *addressScanner) flush() {
	var a address
	if s.hasAngle {
		a.spec = cleanSpec(s.angle)
	} else {
		s.joinAt()
		for i, w := range s.words {
			if bytes.IndexByte(w.text, '@') >= 0 && !w.quoted {
				a.spec = cleanSpec(string(w.text))
				s.words = append(s.words[:i:i], s.words[i+1:]...)
				break
			}
		}
	}
	var names []string
	for _, w := range s.words {
		names = append(names, string(w.text))
	}
	if len(names) == 0 {
		names = s.comments
	}
	a.name = strings.TrimSpace(visible(decodeWords(strings.Join(names, " "))))
	if a.spec == "" && strings.Count(a.name, "@") == 1 && !strings.ContainsAny(a.name, " <>") {
		a.spec, a.name = a.name, ""
	}
	if a.name == a.spec && strings.Contains(a.spec, "@") {
		a.name = ""
	}
	if a.name != "" || a.spec != "" {
		s.list = append(s.list, a)
	}
	s.words, s.comments, s.angle, s.hasAngle, s.open, s.literal = nil, nil, "", false, false, false
}

// joinAt joins an address with blanks around its @.
func (s *addressScanner) joinAt() {
	const longest = 1000 // of an address, in bytes
	joined := s.words[:0]
	for _, w := range s.words {
		if n := len(joined) - 1; n >= 0 && !w.quoted && !joined[n].quoted && len(joined[n].text) < longest &&
			(bytes.HasSuffix(joined[n].text, []byte("@")) || bytes.HasPrefix(w.text, []byte("@"))) {
			joined[n].text = append(joined[n].text, w.text...)
			continue
		}
		joined = append(joined, w)
	}
	s.words = joined
}

// cleanSpec returns the address in angle brackets without white space, comments, a route
// and the scheme of a link.
func cleanSpec(text string) string {
	text = decodeWords(withoutComments(text))
	text = strings.Trim(strings.Join(strings.Fields(text), ""), "<>,;")
	if i := strings.LastIndexByte(text, ':'); i > 0 && text[0] == '@' {
		text = text[i+1:]
	}
	if !strings.Contains(text, "[") {
		text = strings.TrimSuffix(text, "]")
	}
	if len(text) > 7 && strings.EqualFold(text[:7], "mailto:") {
		text = text[7:]
	}
	return visible(text)
}

// visible replaces control characters.
func visible(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, text)
}
