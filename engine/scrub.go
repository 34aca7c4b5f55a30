package engine

import (
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"maps"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/svcflow/svc/engine/value"
)

// scrubber replaces the secrets that a run has resolved in whatever the run gives
// away. It is a second net: secrets are not supposed to get there. The zero value
// is ready for use and costs nothing until a secret is added.
type scrubber struct {
	mu       sync.Mutex
	secrets  map[string]bool
	forms    []string // of all secrets
	replacer atomic.Pointer[strings.Replacer]

	// What nodes hand on by themselves is shown nowhere, but wires bring it: kept replaces
	// all other secrets. It is nil until something is handed on.
	handed map[string]bool // forms
	kept   atomic.Pointer[strings.Replacer]
}

// redacted stands where a secret stood.
const redacted = "[redacted]"

// minSecret is the length in bytes below which a text is not treated as a secret:
// replacing it would garble ordinary words.
const minSecret = 4

// add makes s replace secret from now on, in all the forms it usually takes.
func (s *scrubber) add(secret string) {
	if len(secret) < minSecret {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.secrets[secret] {
		return
	}
	if s.secrets == nil {
		s.secrets = map[string]bool{}
	}
	s.secrets[secret] = true
	s.forms = append(s.forms, formsOf(secret)...)
	slices.SortFunc(s.forms, func(a, b string) int { return cmp.Or(len(b)-len(a), cmp.Compare(a, b)) }) // the longest wins
	s.forms = slices.Compact(s.forms)
	s.replacer.Store(replacerOf(s.forms))
	s.keep()
}

// hand makes s replace secret, a text that the node which asks for it means to put out: the
// nodes behind it get it all the same.
func (s *scrubber) hand(secret string) {
	if len(secret) < minSecret {
		return
	}
	s.mu.Lock()
	known := s.secrets[secret]
	if !known {
		if s.handed == nil {
			s.handed = map[string]bool{}
		}
		for _, form := range formsOf(secret) {
			s.handed[form] = true
		}
	}
	s.mu.Unlock()
	s.add(secret)
}

// keep makes kept anew.
func (s *scrubber) keep() {
	if s.handed == nil {
		return
	}
	s.kept.Store(replacerOf(slices.DeleteFunc(slices.Clone(s.forms), func(form string) bool { return s.handed[form] })))
}

func replacerOf(forms []string) *strings.Replacer {
	pairs := make([]string, 0, 2*len(forms))
	for _, form := range forms {
		pairs = append(pairs, form, redacted)
	}
	return strings.NewReplacer(pairs...)
}

// carried returns what wires bring of v, and whether that is more than may be shown.
func (s *scrubber) carried(v any) (any, bool) {
	r := s.kept.Load()
	if r == nil {
		return nil, false
	}
	v, _ = (&scrubbing{replacer: r}).value(v)
	return v, true
}

// formsOf returns secret and what usual encodings make of it. JSON has two: the
// shortest, and the one of encoding/json, which escapes HTML.
func formsOf(secret string) []string {
	lower := hex.EncodeToString([]byte(secret))
	forms := []string{
		secret, url.QueryEscape(secret), url.PathEscape(secret), url.User(secret).String(),
		unquoted(value.AppendText(nil, secret)), lower, strings.ToUpper(lower),
	}
	if text, err := json.Marshal(secret); err == nil {
		forms = append(forms, unquoted(text))
	}
	forms = append(forms, htmlForms(secret)...)
	for _, enc := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		forms = append(forms, base64Cores(enc, secret)...)
	}
	return forms
}

// htmlForms returns how pages write secret: with the entities that one or the other library
// uses for what has to be escaped, or with each character as a number.
func htmlForms(secret string) []string {
	forms := []string{html.EscapeString(secret)}
	for _, quotes := range [][2]string{{`"`, "'"}, {"&quot;", "'"}, {"&quot;", "&#39;"}, {"&quot;", "&#039;"}, {"&quot;", "&#x27;"}, {"&quot;", "&apos;"}, {"&#34;", "&apos;"}} {
		named := strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, quotes[0], "'", quotes[1])
		forms = append(forms, named.Replace(secret))
	}
	for _, number := range []string{"&#%d;", "&#x%x;", "&#x%X;"} {
		var b strings.Builder
		for _, c := range secret {
			fmt.Fprintf(&b, number, c)
		}
		forms = append(forms, b.String())
	}
	return forms
}

// unquoted returns what stands between the quotes of a JSON string.
func unquoted(text []byte) string { return string(text[1 : len(text)-1]) }

// base64Cores returns what base64 makes of secret wherever it stands in a longer
// text ("user:secret"): the characters that depend on the secret alone, for each
// of the three places in a group that it can start at.
func base64Cores(enc *base64.Encoding, secret string) []string {
	var cores []string
	for shift := range 3 {
		text := enc.EncodeToString([]byte(strings.Repeat("\x00", shift) + secret))
		first := (shift*8 + 5) / 6                   // the first character without bits of what stands before
		last := (shift + len(secret)) * 8 / 6        // behind the last character without bits of what follows
		if core := text[first:last]; len(core) > 5 { // shorter ones turn up by chance
			cores = append(cores, core)
		}
	}
	return cores
}

// active reports whether there is anything to replace.
func (s *scrubber) active() bool { return s.replacer.Load() != nil }

// text returns t without secrets.
func (s *scrubber) text(t string) string {
	if r := s.replacer.Load(); r != nil {
		return r.Replace(t)
	}
	return t
}

// value returns v without secrets, keys of records included. It copies what it
// changes, for values are shared, and nothing else.
func (s *scrubber) value(v any) any {
	v, _ = s.changed(v)
	return v
}

// changed is value, and reports whether there were any.
func (s *scrubber) changed(v any) (any, bool) {
	if r := s.replacer.Load(); r != nil {
		return (&scrubbing{replacer: r}).value(v)
	}
	return v, false
}

// scrubbing goes over one value.
type scrubbing struct {
	replacer *strings.Replacer
	text     string // that is looked at
	clean    bool   // what was written is text, whole
}

// WriteString implements io.StringWriter, for replace. A text in which nothing is
// replaced is written in one piece.
func (s *scrubbing) WriteString(piece string) (int, error) {
	s.clean = piece == s.text
	return len(piece), nil
}

// Write implements io.Writer; a Replacer prefers WriteString.
func (s *scrubbing) Write(piece []byte) (int, error) { return s.WriteString(string(piece)) }

// replace returns t without secrets. Unlike Replacer.Replace it allocates nothing if
// there are none.
func (s *scrubbing) replace(t string) (out string, changed bool) {
	s.text, s.clean = t, t == ""
	if _, err := s.replacer.WriteString(s, t); err == nil && s.clean { // it never fails
		return t, false
	}
	return s.replacer.Replace(t), true
}

func (s *scrubbing) value(v any) (out any, changed bool) {
	switch v := v.(type) {
	case string:
		if text, changed := s.replace(v); changed {
			return text, true
		}
	case value.Media:
		path, inPath := s.replace(v.Path)
		address, inURL := s.replace(v.URL)
		recipe, inRecipe := s.replace(v.Recipe)
		if inPath || inURL || inRecipe {
			v.Path, v.URL, v.Recipe = path, address, recipe
			return v, true
		}
	case []any:
		if list, changed, _ := value.EditList(v, func(_ int, item any) (any, bool, error) {
			item, changed := s.value(item)
			return item, changed, nil
		}); changed {
			return list, true
		}
	case map[string]any:
		if record, changed := s.record(v); changed {
			return record, true
		}
	}
	return v, false
}

// record copies the record when the first of its fields turns out to be different.
func (s *scrubbing) record(record map[string]any) (out map[string]any, changed bool) {
	out = record
	for k, e := range record {
		key, renamed := s.replace(k)
		field, differs := s.value(e)
		if !renamed && !differs {
			continue
		}
		if !changed {
			out, changed = maps.Clone(record), true
		}
		if renamed {
			delete(out, k)
		}
		out[key] = field
	}
	return out, changed
}
