package redact

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/svcflow/svc/engine/value"
)

func TestScrubberForms(t *testing.T) {
	secrets := []string{"hunter2hunter2", "it's \"<a&b>\"", `p&ss "wörd"/<1>?`, `ends with a quote"`, "tok_0+/=;,@:$ABCDEF"}
	forms := map[string]func(string) string{
		"raw":        func(s string) string { return s },
		"query":      url.QueryEscape,
		"path":       url.PathEscape,
		"user info":  func(s string) string { return url.UserPassword("me", s).String() },
		"hex":        func(s string) string { return hex.EncodeToString([]byte(s)) },
		"upper hex":  func(s string) string { return strings.ToUpper(hex.EncodeToString([]byte(s))) },
		"short JSON": func(s string) string { return string(value.AppendText(nil, s)) },
		"HTML":       html.EscapeString,
		"named HTML": strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&apos;").Replace,
		"HTML text":  strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace,
		"numbers":    func(s string) string { return numbered(s, "&#%d;") },
		"hex HTML":   func(s string) string { return numbered(s, "&#x%X;") },
		"HTML JSON":  func(s string) string { text, _ := json.Marshal(s); return string(text) },
	}
	for _, secret := range secrets {
		var s Redactor
		s.Add(secret)
		for name, form := range forms {
			text := form(secret)
			require.Contains(t, s.Text("<"+text+">"), placeholder, "%s of %s", name, secret)
			require.NotContains(t, s.Text(text), text, "%s of %s", name, secret)
		}
	}
}

func numbered(s, format string) string {
	var b strings.Builder
	for _, c := range s {
		fmt.Fprintf(&b, format, c)
	}
	return b.String()
}

// TestScrubberBase64 puts the secret behind texts of every length: base64 looks
// different at each of the three places in a group.
func TestScrubberBase64(t *testing.T) {
	for _, secret := range []string{"s3cret", "hunter2", "correct horse battery staple", "\xfb\xff\xfe\xfb\xff\xfe?>"} {
		var s Redactor
		s.Add(secret)
		for i := range 7 {
			plain := strings.Repeat("u", i) + ":" + secret
			for _, enc := range []*base64.Encoding{base64.StdEncoding, base64.RawURLEncoding} {
				text := s.Text("Basic " + enc.EncodeToString([]byte(plain)))
				require.Contains(t, text, placeholder, plain)
				decoded, _ := enc.DecodeString(strings.TrimPrefix(strings.ReplaceAll(text, placeholder, ""), "Basic "))
				require.NotContains(t, string(decoded), secret[1:len(secret)-1])
			}
		}
	}
}

func TestScrubberValues(t *testing.T) {
	var s Redactor
	s.Add("hunter2")
	kept := []any{"clean", map[string]any{"a": 1, "b": []any{true, nil}}}
	v := map[string]any{
		"the hunter2 key": 1,
		"list":            []any{"hunter2", 2.5, value.Credential("pronet:main")},
		"media":           value.Media{Kind: "image", URL: "https://me:hunter2@host/"},
		"kept":            kept,
	}
	got := s.Value(v).(map[string]any)
	require.Equal(t, map[string]any{
		"the [redacted] key": 1,
		"list":               []any{placeholder, 2.5, value.Credential("pronet:main")},
		"media":              value.Media{Kind: "image", URL: "https://me:[redacted]@host/"},
		"kept":               kept,
	}, got)
	require.Equal(t, "hunter2", v["list"].([]any)[0], "values are shared: what is there stays")
	require.Same(t, &kept[0], &got["kept"].([]any)[0], "what does not change is not copied")
}

// Once there is a secret, every value of the run is looked at.
func TestScrubberCopiesNothingThatIsClean(t *testing.T) {
	var s Redactor
	s.Add("hunter2")
	record := map[string]any{}
	for i := range 100 {
		record[fmt.Sprint("field", i)] = []any{"a text of some length", map[string]any{"name": "Ada", "picture": value.Media{Kind: "image", Path: "ada.png"}}}
	}
	v := any(record)
	require.LessOrEqual(t, testing.AllocsPerRun(100, func() { v = s.Value(v) }), 101.0, "a function for each list, and what goes over the value")
	require.Equal(t, "[redacted]", s.Value("[redacted]"))
	require.Equal(t, "[redacted]", s.Value("hunter2"))
	require.Equal(t, "", s.Value(""))
}

func TestScrubberLongestFirst(t *testing.T) {
	var s Redactor
	s.Add("secret")
	s.Add("secret-and-more")
	s.Add("no")
	require.Equal(t, "[redacted] [redacted] no", s.Text("secret secret-and-more no"))
}

func TestScrubberIsFreeUntilUsed(t *testing.T) {
	var s Redactor
	var v any = []any{"a", "b"}
	require.Zero(t, testing.AllocsPerRun(100, func() { v = s.Value(v) }))
	require.False(t, s.Active())
}

func FuzzScrubber(f *testing.F) {
	f.Add("hunter2", "login hunter2 failed")
	f.Add(`a"b\c&<`, `{"password":"a\"b\\c\u0026\u003c"}`)
	f.Fuzz(func(t *testing.T, secret, text string) {
		var s Redactor
		s.Add(secret)
		clean := s.Text(fmt.Sprint(text, secret, text))
		if len(secret) >= minSecret && !strings.Contains(placeholder, secret) {
			require.Contains(t, clean, placeholder)
			require.Less(t, strings.Count(clean, secret), strings.Count(text+secret+text, secret))
		}
	})
}

// TestHandedOn: what a node hands on reaches the nodes behind it and is shown nowhere; what
// was only concealed does not get that far.
func TestHandedOn(t *testing.T) {
	var s Redactor
	s.AddOutput("token-1234")
	s.Add("secret-5678")
	v := []any{"Bearer token-1234", "key secret-5678"}
	shown, changed := s.Changed(v)
	require.True(t, changed)
	require.Equal(t, []any{"Bearer [redacted]", "key [redacted]"}, shown)
	carried, more := s.Carried(v)
	require.True(t, more)
	require.Equal(t, []any{"Bearer token-1234", "key [redacted]"}, carried)
	s.AddOutput("secret-5678") // a secret stays one
	carried, _ = s.Carried(v)
	require.Equal(t, []any{"Bearer token-1234", "key [redacted]"}, carried)
	_, more = new(Redactor).Carried(v)
	require.False(t, more)
}
