package text_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/nodes/nodetest"
	"github.com/svcflow/svc/nodes/text"
)

type record = map[string]any

func TestSpecs(t *testing.T) { nodetest.Check(t, text.Plugin()) }

func TestRandom(t *testing.T) {
	nodetest.Quick(t, text.Plugin(), map[string][]map[string]any{
		"text.format": {nil, {"template": "{a}-{b}{a}"}, {"template": "{{{a}}}", "a": 1.5}, {"template": "{a}", "values": record{"a": nil}}},
	})
}

func TestTransform(t *testing.T) {
	h := nodetest.New(t, text.Plugin())
	for _, tt := range []struct{ mode, text, want string }{
		{"upper", "hello é straße ŉ", "HELLO É STRASSE ʼN"},
		{"lower", "HELLO ΌΔΟΣ", "hello όδος"},
		{"title", "hELLO wORLD o'neil ǆungla", "Hello World O'neil ǅungla"},
		{"trim", "\t\u00a0 a b \n", "a b"},
		{"trim_start", "  a ", "a "},
		{"trim_end", " a  ", " a"},
		{"reverse", "abc", "cba"},
		{"reverse", "e\u0301👩‍👩‍👧🇩🇪🇫🇷x", "x🇫🇷🇩🇪👩‍👩‍👧e\u0301"},
		{"reverse", "", ""},
		{"slug", "  Crème brûlée -- à la carte! ", "creme-brulee-a-la-carte"},
		{"slug", "Ünïcode ﬁ ①", "unicode-fi-1"},
		{"slug", "日本語 テキスト", "日本語-テキスト"},
		{"slug", "한국어", "한국어"},
		{"slug", "हिन्दी में", "हिन्दी-में"},
		{"slug", "Straße № 5", "straße-no-5"},
		{"slug", "--!--", ""},
	} {
		out, err := h.Exec("text.transform", record{"mode": tt.mode}, record{"text": tt.text})
		require.NoError(t, err)
		require.Equal(t, tt.want, out["text"], "%s %q", tt.mode, tt.text)
	}
	require.NotEmpty(t, h.Problems("text.transform", record{"mode": "sideways"}, "text"))
}

func TestSplit(t *testing.T) {
	h := nodetest.New(t, text.Plugin())
	for _, tt := range []struct {
		text, delimiter string
		limit           int
		want            []any
	}{
		{"a,b,,c", ",", 0, []any{"a", "b", "", "c"}},
		{"a,b,,c", ",", 2, []any{"a", "b,,c"}},
		{"a,b", ",", 1, []any{"a,b"}},
		{"a,b", ",", 9, []any{"a", "b"}},
		{"a--b", "--", 0, []any{"a", "b"}},
		{"", ",", 0, []any{""}},
		{"", "", 0, []any{}},
		{"ae\u0301👩‍👩‍👧", "", 0, []any{"a", "e\u0301", "👩‍👩‍👧"}},
		{"abcd", "", 2, []any{"a", "bcd"}},
		{"🇩🇪🇫🇷", "", 0, []any{"🇩🇪", "🇫🇷"}},
	} {
		out, err := h.Exec("text.split", nil, record{"text": tt.text, "delimiter": tt.delimiter, "limit": tt.limit})
		require.NoError(t, err)
		require.Equal(t, tt.want, out["parts"], "%+v", tt)
	}
	_, err := h.Exec("text.split", nil, record{"text": "a", "limit": -1})
	require.Equal(t, node.CodeInvalidInput, node.CodeOf(err))
	for _, delimiter := range []string{"", "x"} {
		_, err = h.Exec("text.split", nil, record{"text": strings.Repeat("x", 1_000_001), "delimiter": delimiter})
		require.Equal(t, node.CodeLimitExceeded, node.CodeOf(err))
		out, err := h.Exec("text.split", nil, record{"text": strings.Repeat("x", 1_000_001), "delimiter": delimiter, "limit": 3})
		require.NoError(t, err)
		require.Len(t, out["parts"], 3)
	}
}

func TestJoin(t *testing.T) {
	h := nodetest.New(t, text.Plugin())
	out, err := h.Exec("text.join", record{"delimiter": ", "}, record{"parts": []any{"a", 1, nil, true, 2.0, []any{"x"}, record{"b": 1}}})
	require.NoError(t, err)
	require.Equal(t, `a, 1, , true, 2, ["x"], {"b":1}`, out["text"])
	out, err = h.Exec("text.join", nil, record{"parts": []any{}})
	require.NoError(t, err)
	require.Equal(t, "", out["text"])
	out, err = h.Exec("text.concat", nil, record{"parts": []any{"a", "b"}})
	require.NoError(t, err)
	require.Equal(t, "ab", out["text"])
	_, err = h.Exec("text.concat", nil, record{"parts": []any{"a", 1}})
	require.Equal(t, node.CodeTypeError, node.CodeOf(err))
	out, err = h.Exec("text.join", nil, record{"parts": "alone"})
	require.NoError(t, err)
	require.Equal(t, "alone", out["text"])
}

func TestToText(t *testing.T) {
	h := nodetest.New(t, text.Plugin())
	for _, tt := range []struct {
		value any
		want  string
	}{
		{nil, ""},
		{"raw \"text\"", "raw \"text\""},
		{1, "1"},
		{2.50, "2.5"},
		{true, "true"},
		{[]any{"a", nil}, `["a",null]`},
		{record{"b": 1, "a": "x"}, `{"a":"x","b":1}`},
		{value.Credential("test:main"), "test:main"},
		{value.Media{Kind: "image", MIME: "image/png", Path: "a.png"}, `{"kind":"image","mime":"image/png","path":"a.png"}`},
	} {
		out, err := h.Exec("text.to_text", nil, record{"value": tt.value})
		require.NoError(t, err)
		require.Equal(t, tt.want, out["text"])
	}
}

// Text that doubles from node to node is refused at some size.
func TestTextsAreBounded(t *testing.T) {
	h := nodetest.New(t, text.Plugin())
	big := strings.Repeat("x", 33<<20)
	for typ, wired := range map[string]record{
		"text.format":  {"a": big},
		"text.join":    {"parts": []any{big, big}},
		"text.concat":  {"parts": []any{big, big}},
		"text.to_text": {"value": []any{big, big}},
	} {
		config := record{}
		if typ == "text.format" {
			config["template"] = "{a}{a}"
		}
		_, err := h.Exec(typ, config, wired)
		require.Equal(t, node.CodeLimitExceeded, node.CodeOf(err), typ)
		require.True(t, node.IsPermanent(err))
	}
}
