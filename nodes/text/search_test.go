package text_test

import (
	"math"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes/nodetest"
	"github.com/svcflow/svc/nodes/text"
)

func TestRegex(t *testing.T) {
	h := nodetest.New(t, text.Plugin())
	out, err := h.Exec("text.regex", nil, record{"text": "é ada@home, Bob@work", "pattern": `(?P<user>[a-z]+)@(\w+)(!)?`, "ignoreCase": true})
	require.NoError(t, err)
	require.Equal(t, record{
		"matched": true, "first": "ada@home",
		"matches": []any{
			record{"match": "ada@home", "start": 2, "end": 10, "groups": []any{"ada", "home", ""}, "named": record{"user": "ada"}},
			record{"match": "Bob@work", "start": 12, "end": 20, "groups": []any{"Bob", "work", ""}, "named": record{"user": "Bob"}},
		},
	}, out)
	out, err = h.Exec("text.regex", nil, record{"text": "abc", "pattern": "x"})
	require.NoError(t, err)
	require.Equal(t, record{"matched": false, "first": nil, "matches": []any{}}, out)
}

func TestBadPatternsAreFoundAtValidation(t *testing.T) {
	h := nodetest.New(t, text.Plugin())
	problems := h.Problems("text.regex", record{"pattern": "a(b"}, "text")
	require.Len(t, problems, 1)
	require.Equal(t, "pattern", problems[0].Port)
	require.Contains(t, problems[0].Message, "missing closing ) at `a(b`")
	require.NotEmpty(t, h.Problems("text.replace", record{"find": "(?=x)", "regex": true}, "text"))
	require.Empty(t, h.Problems("text.replace", record{"find": "a(b"}, "text"), "a text is no pattern")
	_, err := h.Exec("text.regex", nil, record{"text": "", "pattern": `\1`})
	require.Equal(t, node.CodeInvalidInput, node.CodeOf(err))
}

func TestReplace(t *testing.T) {
	h := nodetest.New(t, text.Plugin())
	for _, tt := range []struct {
		text, find, replacement string
		regex                   bool
		want                    string
		count                   int
	}{
		{"cat, cats", "cat", "dog", false, "dog, dogs", 2},
		{"a.b", ".", "$1", false, "a$1b", 1},
		{"abc", "", "x", false, "abc", 0},
		{"Ada Lovelace", `(\w+) (\w+)`, "$2 $1", true, "Lovelace Ada", 1},
		{"1 2", `(?P<n>\d)`, "${n}st", true, "1st 2st", 2},
		{"aaa", "x*", "-", true, "-a-a-a-", 4},
		{"a$b", `\$`, "$$", true, "a$b", 1},
		{"ab", `(a)(b)`, "$$1${2}$1x$ ${1}x$2$", true, "$1b$ axb$", 1},
		{"\x00ب", "ب", "ج", true, "\x00ج", 1},
	} {
		out, err := h.Exec("text.replace", nil, record{"text": tt.text, "find": tt.find, "replacement": tt.replacement, "regex": tt.regex})
		require.NoError(t, err)
		require.Equal(t, record{"text": tt.want, "count": tt.count}, out, "%q", tt.text)
	}
}

// TestHostilePatterns checks that expensive patterns are refused or stopped.
func TestHostilePatterns(t *testing.T) {
	h := nodetest.New(t, text.Plugin())
	exec := func(pattern, in string) error {
		_, err := h.Exec("text.regex", nil, record{"text": in, "pattern": pattern})
		return err
	}
	require.NoError(t, exec(`(a+)+$`, strings.Repeat("a", 50_000)+"!"), "no back-tracking")
	require.Equal(t, node.CodeLimitExceeded, node.CodeOf(exec(`(x{500}){2}`, strings.Repeat("x", 8<<20))))
	require.Equal(t, node.CodeLimitExceeded, node.CodeOf(exec(``, strings.Repeat("x", 250_001))))
	require.Equal(t, node.CodeLimitExceeded, node.CodeOf(exec(strings.Repeat("()", 5_000), "123456789012345678901234567890123456789012345678901234567890")), "groups count, too")
	require.Equal(t, node.CodeInvalidInput, node.CodeOf(exec(strings.Repeat("a", 17<<10), "a")))
	_, err := h.Exec("text.replace", nil, record{"text": strings.Repeat("x", 1<<20), "find": "x", "replacement": strings.Repeat("y", 100)})
	require.Equal(t, node.CodeLimitExceeded, node.CodeOf(err))
	_, err = h.Exec("text.replace", nil, record{"text": strings.Repeat("x", 9<<17), "find": "x", "replacement": strings.Repeat("y", 100), "regex": true})
	require.Equal(t, node.CodeLimitExceeded, node.CodeOf(err))
}

func TestSlice(t *testing.T) {
	h := nodetest.New(t, text.Plugin())
	for _, tt := range []struct {
		start int
		end   any
		want  string
	}{
		{0, 4, "wörk"}, {4, nil, "flow"}, {-4, -1, "flo"}, {-99, 99, "wörkflow"}, {5, 2, ""}, {99, nil, ""},
	} {
		out, err := h.Exec("text.slice", nil, record{"text": "wörkflow", "start": tt.start, "end": tt.end})
		require.NoError(t, err)
		require.Equal(t, tt.want, out["text"], "%d to %v", tt.start, tt.end)
	}
}

func TestLength(t *testing.T) {
	h := nodetest.New(t, text.Plugin())
	for in, want := range map[string]record{
		"":              {"length": 0, "bytes": 0, "words": 0, "lines": 0},
		"Grüße, Welt":   {"length": 11, "bytes": 13, "words": 2, "lines": 1},
		"a\n\nb\u00a0c": {"length": 6, "bytes": 7, "words": 3, "lines": 3},
		"a\n":           {"length": 2, "bytes": 2, "words": 1, "lines": 1},
	} {
		out, err := h.Exec("text.length", nil, record{"text": in})
		require.NoError(t, err)
		require.Equal(t, want, out, "%q", in)
	}
}

func TestToNumber(t *testing.T) {
	h := nodetest.New(t, text.Plugin())
	none := record{"value": 0.0, "integer": nil, "ok": false}
	for in, want := range map[string]record{
		" 42\n":                  {"value": 42.0, "integer": 42, "ok": true},
		"-2.5e3":                 {"value": -2500.0, "integer": -2500, "ok": true},
		"+.5":                    {"value": 0.5, "integer": nil, "ok": true},
		"9007199254740993":       {"value": 9007199254740992.0, "integer": 9007199254740993, "ok": true},
		"1e30":                   {"value": 1e30, "integer": nil, "ok": true},
		"9007199254740993.0":     {"value": 9007199254740992.0, "integer": 9007199254740993, "ok": true},
		"1e18":                   {"value": 1e18, "integer": 1_000_000_000_000_000_000, "ok": true},
		"-9223372036854775808":   {"value": -0x1p63, "integer": math.MinInt64, "ok": true},
		"9223372036854775808":    {"value": 0x1p63, "integer": nil, "ok": true},
		"0.99999999999999999999": {"value": 1.0, "integer": nil, "ok": true},
		"1e-400":                 {"value": 0.0, "integer": nil, "ok": true},
		"1e-99999999999":         {"value": 0.0, "integer": nil, "ok": true},
		"-0.0":                   {"value": math.Copysign(0, -1), "integer": 0, "ok": true},
		"٣":                      none, ".": none, "1e": none, "1 2": none,
		"1e999": none, "": none, "1,234": none, "0x10": none, "Inf": none, "NaN": none, "1_000": none, "12 apples": none,
	} {
		out, err := h.Exec("text.to_number", nil, record{"text": in})
		require.NoError(t, err)
		require.Equal(t, want, out, "%q", in)
	}
}

func TestEncodeAndDecode(t *testing.T) {
	h := nodetest.New(t, text.Plugin())
	for format, want := range map[string]string{
		"base64": "YSZiIMO8IQ==", "base64url": "YSZiIMO8IQ", "url": "a%26b+%C3%BC%21", "hex": "61266220c3bc21", "html": "a&amp;b ü!",
	} {
		out, err := h.Exec("text.encode", record{"format": format}, record{"text": "a&b ü!"})
		require.NoError(t, err)
		require.Equal(t, want, out["text"])
		out, err = h.Exec("text.decode", record{"format": format}, record{"text": want})
		require.NoError(t, err)
		require.Equal(t, "a&b ü!", out["text"])
	}
	for _, tt := range []struct{ format, in, want string }{
		{"base64", " YSZi\nIMO8\r\nIQ==\n", "a&b ü!"},
		{"base64", "YQ=", "a"},
		{"base64url", "YQ==", "a"},
		{"hex", "6A6b\n", "jk"},
		{"hex", "", ""},
		{"url", "a+b", "a b"},
		{"html", "&lt;&#x1F600;&nonsense;", "<😀&nonsense;"},
	} {
		out, err := h.Exec("text.decode", nil, record{"text": tt.in, "format": tt.format})
		require.NoError(t, err, "%v", tt)
		require.Equal(t, tt.want, out["text"], "%v", tt)
	}
	for _, tt := range []struct{ format, in string }{
		{"base64", "§"},
		{"base64", "/w=="},
		{"base64", "YQ==="},
		{"base64", "Y=Q="},
		{"base64", "a-_a"},
		{"base64url", "a+/a"},
		{"hex", "0"},
		{"hex", "zz"},
		{"hex", "61 62"},
		{"url", "%zz"},
		{"url", "%"},
		{"url", "%ff"},
	} {
		_, err := h.Exec("text.decode", record{"format": tt.format}, record{"text": tt.in})
		require.Equal(t, node.CodeInvalidInput, node.CodeOf(err), "%v", tt)
	}
}

func TestHash(t *testing.T) {
	h := nodetest.New(t, text.Plugin())
	for algorithm, want := range map[string]string{ // of "abc": FIPS 180-4 and RFC 1321
		"sha256": "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
		"sha1":   "a9993e364706816aba3e25717850c26c9cd0d89d",
		"md5":    "900150983cd24fb0d6963f7d28e17f72",
		"sha512": "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f",
	} {
		out, err := h.Exec("text.hash", record{"algorithm": algorithm}, record{"text": "abc"})
		require.NoError(t, err)
		require.Equal(t, want, out["hash"])
		out, err = h.Exec("text.hash", record{"algorithm": algorithm, "encoding": "base64"}, record{"text": "YWJj\n"})
		require.NoError(t, err)
		require.Equal(t, want, out["hash"])
	}
	_, err := h.Exec("text.hash", record{"encoding": "base64"}, record{"text": "abc!"})
	require.Equal(t, node.CodeInvalidInput, node.CodeOf(err))
}

// A result that would be too large is refused before it is built.
func TestGrowthIsBounded(t *testing.T) {
	h := nodetest.New(t, text.Plugin())
	mega := strings.Repeat("x", 1<<20)
	for name, tt := range map[string]struct {
		typ string
		in  record
	}{
		"one match put in often":  {"text.replace", record{"text": mega, "find": "(?s).*", "regex": true, "replacement": strings.Repeat("$0", 100_000)}},
		"a long replacement":      {"text.replace", record{"text": mega, "find": "x", "replacement": mega}},
		"letters that get longer": {"text.transform", record{"text": strings.Repeat("ΐ", 33<<20), "mode": "upper"}},
		"signs that are phrases":  {"text.transform", record{"text": strings.Repeat("\ufdfa", 1<<19), "mode": "slug"}},
		"html":                    {"text.encode", record{"text": strings.Repeat("\"", 14<<20), "format": "html"}},
		"url":                     {"text.encode", record{"text": strings.Repeat("%", 22<<20), "format": "url"}},
		"hex":                     {"text.encode", record{"text": strings.Repeat("x", 33<<20), "format": "hex"}},
		"base64":                  {"text.encode", record{"text": strings.Repeat("x", 49<<20), "format": "base64"}},
	} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := h.Exec(tt.typ, nil, tt.in)
			runtime.ReadMemStats(&after)
			require.Equal(t, node.CodeLimitExceeded, node.CodeOf(err))
			require.True(t, node.IsPermanent(err))
			// A pure node is called twice, and a growing buffer is copied.
			require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(2*12*64<<20))
		})
	}
}

// Texts are encoded in chunks; the result is that of the whole text.
func TestEncodingOfLongTexts(t *testing.T) {
	h := nodetest.New(t, text.Plugin())
	long := strings.Repeat("ü€ <&>\"+/😀", 20_000)
	for _, format := range []string{"base64", "base64url", "url", "hex", "html"} {
		out, err := h.Exec("text.encode", nil, record{"text": long, "format": format})
		require.NoError(t, err)
		require.Equal(t, 0, strings.Count(strings.TrimRight(out["text"].(string), "="), "="), "padding in the middle")
		out, err = h.Exec("text.decode", nil, record{"text": out["text"], "format": format})
		require.NoError(t, err)
		require.Equal(t, long, out["text"])
	}
}

// FuzzReplacement compares with the standard library, which expands the whole template.
func FuzzReplacement(f *testing.F) {
	for _, seed := range []string{"", "$1", "${1}x$2", "$$1", "$", "$$$", "${a$b}", "${", "$x$1$", "a${2}}"} {
		f.Add(seed, "abab c")
	}
	re := regexp.MustCompile(`(a)(?P<x>b)?`)
	f.Fuzz(func(t *testing.T, replacement, in string) {
		replacement, in = strings.ToValidUTF8(replacement, "?"), strings.ToValidUTF8(in, "?")
		h := nodetest.New(t, text.Plugin())
		out, err := h.Exec("text.replace", nil, record{"text": in, "find": re.String(), "regex": true, "replacement": replacement})
		require.NoError(t, err)
		require.Equal(t, re.ReplaceAllString(in, replacement), out["text"])
	})
}
