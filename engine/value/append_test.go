package value_test

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/value"
)

func TestAppend(t *testing.T) {
	for _, c := range []struct {
		in   any
		want string
	}{
		{nil, `null`},
		{true, `true`},
		{math.MinInt, `-9223372036854775808`},
		{3.0, `3`},
		{math.Copysign(0, -1), `-0`},
		{0.30000000000000004, `0.30000000000000004`},
		{1e20, `100000000000000000000`},
		{1e21, `1e+21`},
		{1e-6, `0.000001`},
		{1e-7, `1e-7`},
		{math.MaxFloat64, `1.7976931348623157e+308`},
		{math.SmallestNonzeroFloat64, `5e-324`},
		{math.NaN(), `null`},
		{math.Inf(-1), `null`},
		{"", `""`},
		{"é😀</script>\u2028", `"é😀</script>` + "\u2028" + `"`},
		{"\"\\\b\f\n\r\t\x00\x1f\x7f", `"\"\\\b\f\n\r\t\u0000\u001f` + "\x7f" + `"`},
		{"a\xffb", "\"a\ufffdb\""},
		{[]any{}, `[]`},
		{[]any(nil), `[]`},
		{[]any{1, "a", nil}, `[1,"a",null]`},
		{map[string]any{}, `{}`},
		{map[string]any{"b": 1, "a": []any{map[string]any{}}, "": 0, "é": 2, "B": 3}, `{"":0,"B":3,"a":[{}],"b":1,"é":2}`},
		{value.Credential("pronet:main"), `"pronet:main"`},
		{value.Media{Kind: "image", MIME: "image/png", URL: "u"}, `{"kind":"image","mime":"image/png","url":"u"}`},
		{value.Media{Kind: "file", Path: "p"}, `{"kind":"file","mime":"","path":"p"}`},
		{value.Media{Kind: "video", MIME: "video/mp4", Recipe: `{"steps":[]}`}, `{"kind":"video","mime":"video/mp4","recipe":{"steps":[]}}`},
		{[]any{struct{}{}, int64(1), []string{}}, `[null,null,null]`},
	} {
		require.Equal(t, c.want, string(value.Append(nil, c.in)))
		require.Equal(t, c.want, string(value.Encode(c.in)))
	}
	require.Equal(t, "x=[1]", string(value.Append([]byte("x="), []any{1})))
}

func TestEncodeGivesItsResultAway(t *testing.T) {
	first := value.Encode([]any{"first"})
	value.Encode([]any{"other"})
	require.Equal(t, `["first"]`, string(first))
	value.Encode(strings.Repeat("x", 2<<20))
}

func TestAppendSortsManyKeys(t *testing.T) {
	record := map[string]any{}
	var want []string
	for c := 'a'; c <= 'z'; c++ {
		record[string(c)] = 1
		want = append(want, `"`+string(c)+`":1`)
	}
	require.Equal(t, "{"+strings.Join(want, ",")+"}", string(value.Append(nil, record)))
}

func TestAppendDoesNotAllocate(t *testing.T) {
	v, err := value.Decode([]byte(`{"id":1,"list":[{"name":"x\ny","price":1.25,"é":null}],"ok":true}`))
	require.NoError(t, err)
	dst := make([]byte, 0, 1024)
	require.Zero(t, testing.AllocsPerRun(100, func() { value.Append(dst, v) }))
}

func TestIndent(t *testing.T) {
	v := map[string]any{"b": []any{}, "a": []any{1, map[string]any{"é": "\n\xff"}}, "c": map[string]any{}}
	want := `x={
  "a": [
    1,
    {
      "é": "\n` + "\ufffd" + `"
    }
  ],
  "b": [],
  "c": {}
}`
	require.Equal(t, want, string(value.Indent([]byte("x="), v)))
	require.Equal(t, "1", string(value.Indent(nil, 1)))
	require.Equal(t, "x {", string(value.IndentJSON([]byte("x "), []byte(" { "))), "no JSON: as it is")
}

// The limit of IndentJSONMax is exact: whatever comes out at it does not at one
// less.
func TestIndentJSONMax(t *testing.T) {
	for _, v := range []any{
		nil, 1, "a\"\\", "{[,:]}",
		[]any{},
		map[string]any{},
		[]any{[]any{}},
		[]any{map[string]any{}, 1, []any{2, "]"}},
		map[string]any{"a:": []any{1, map[string]any{"é\\": "\n,"}}, "b": map[string]any{}, "c\"": nil},
	} {
		want := string(value.Indent(nil, v))
		got, ok := value.IndentJSONMax([]byte("x="), value.Encode(v), len(want))
		require.True(t, ok, want)
		require.Equal(t, "x="+want, string(got))
		got, ok = value.IndentJSONMax([]byte("x="), value.Encode(v), len(want)-1)
		require.False(t, ok, want)
		require.Equal(t, "x=", string(got))
	}
	deep := strings.Repeat("[", 900) + strings.Repeat("0,", 100_000) + "0" + strings.Repeat("]", 900)
	require.Less(t, testing.AllocsPerRun(1, func() {
		_, ok := value.IndentJSONMax(nil, []byte(deep), 1<<20)
		require.False(t, ok)
	}), 10.0)
}
