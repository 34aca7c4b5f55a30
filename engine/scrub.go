package engine

import (
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
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
	pairs := make([]string, 0, 2*len(s.forms))
	for _, form := range s.forms {
		pairs = append(pairs, form, redacted)
	}
	s.replacer.Store(strings.NewReplacer(pairs...))
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
	for _, enc := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		forms = append(forms, base64Cores(enc, secret)...)
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
	if r := s.replacer.Load(); r != nil {
		v, _ = scrubbed(r, v)
	}
	return v
}

func scrubbed(r *strings.Replacer, v any) (out any, changed bool) {
	switch v := v.(type) {
	case string:
		text := r.Replace(v)
		return text, text != v
	case value.Media:
		m := v
		m.Path, m.URL = r.Replace(v.Path), r.Replace(v.URL)
		return m, m != v
	case []any:
		out, changed, _ := value.EditList(v, func(_ int, item any) (any, bool, error) {
			item, changed := scrubbed(r, item)
			return item, changed, nil
		})
		return out, changed
	case map[string]any:
		return scrubbedRecord(r, v)
	}
	return v, false
}

func scrubbedRecord(r *strings.Replacer, record map[string]any) (out map[string]any, changed bool) {
	out = make(map[string]any, len(record))
	for k, e := range record {
		key := r.Replace(k)
		e, differs := scrubbed(r, e)
		out[key] = e
		changed = changed || differs || key != k
	}
	if !changed {
		return record, false
	}
	return out, true
}
