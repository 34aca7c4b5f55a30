// Package redact replaces secrets in the texts and values that a run shows.
package redact

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

// Redactor replaces the secrets of a run in its outputs, errors, events and logs. It is a second
// line of defence: nodes should not show secrets at all. The zero value is ready for use and costs
// nothing until a secret is added. It is safe for concurrent use.
type Redactor struct {
	mu       sync.Mutex
	secrets  map[string]bool
	forms    []string // all encodings of all secrets, longest first
	replacer atomic.Pointer[strings.Replacer]

	// Secrets that nodes output on purpose are redacted where they are shown, but wires carry
	// them: kept replaces all other secrets. It is nil until there is one.
	handed map[string]bool // forms
	kept   atomic.Pointer[strings.Replacer]
}

// placeholder replaces a secret.
const placeholder = "[redacted]"

// minSecret is the length in bytes below which a text is not treated as a secret:
// replacing it would garble ordinary words.
const minSecret = 4

// Add makes s replace secret from now on, in all usual encodings.
func (s *Redactor) Add(secret string) {
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

// AddOutput is Add for a secret that a node outputs on purpose. [Redactor.Carried] keeps it.
func (s *Redactor) AddOutput(secret string) {
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
	s.Add(secret)
}

// keep updates kept. The caller holds mu.
func (s *Redactor) keep() {
	if s.handed == nil {
		return
	}
	s.kept.Store(replacerOf(slices.DeleteFunc(slices.Clone(s.forms), func(form string) bool { return s.handed[form] })))
}

func replacerOf(forms []string) *strings.Replacer {
	pairs := make([]string, 0, 2*len(forms))
	for _, form := range forms {
		pairs = append(pairs, form, placeholder)
	}
	return strings.NewReplacer(pairs...)
}

// Carried returns v as wires carry it, with secrets of AddOutput kept. It reports whether there are
// such secrets.
func (s *Redactor) Carried(v any) (any, bool) {
	r := s.kept.Load()
	if r == nil {
		return nil, false
	}
	v, _ = (&scrubbing{replacer: r}).value(v)
	return v, true
}

// formsOf returns secret in its usual encodings. JSON has two: the
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

// htmlForms returns secret in HTML: escaped as different libraries do, and with each character as a
// number.
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

// unquoted returns a JSON string without its quotes.
func unquoted(text []byte) string { return string(text[1 : len(text)-1]) }

// base64Cores returns the part of the base64 encoding of a longer text ("user:secret") that depends
// on the secret alone, for each of the three offsets in a group at which the secret can begin.
func base64Cores(enc *base64.Encoding, secret string) []string {
	var cores []string
	for shift := range 3 {
		text := enc.EncodeToString([]byte(strings.Repeat("\x00", shift) + secret))
		first := (shift*8 + 5) / 6                   // the first character without bits of the text before
		last := (shift + len(secret)) * 8 / 6        // after the last character without bits of the text behind
		if core := text[first:last]; len(core) > 5 { // shorter ones occur by chance
			cores = append(cores, core)
		}
	}
	return cores
}

// Active reports whether there are secrets to replace.
func (s *Redactor) Active() bool { return s.replacer.Load() != nil }

// Text returns t with secrets replaced.
func (s *Redactor) Text(t string) string {
	if r := s.replacer.Load(); r != nil {
		return r.Replace(t)
	}
	return t
}

// Value returns v with secrets replaced, keys of records included. It copies only the parts that it
// changes, because values are shared.
func (s *Redactor) Value(v any) any {
	v, _ = s.Changed(v)
	return v
}

// Changed is Value, and reports whether there were secrets.
func (s *Redactor) Changed(v any) (any, bool) {
	if r := s.replacer.Load(); r != nil {
		return (&scrubbing{replacer: r}).value(v)
	}
	return v, false
}

// scrubbing replaces the secrets in one value.
type scrubbing struct {
	replacer *strings.Replacer
	text     string // being replaced
	clean    bool   // text was written unchanged
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
