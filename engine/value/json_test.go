package value_test

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/value"
)

func TestDecode(t *testing.T) {
	for text, want := range map[string]any{
		`null`:                           nil,
		` true `:                         true,
		`false`:                          false,
		`0`:                              0,
		`-7`:                             -7,
		`9223372036854775807`:            math.MaxInt,
		`-9223372036854775808`:           math.MinInt,
		`9223372036854775808`:            float64(1 << 63),
		`-0`:                             math.Copysign(0, -1),
		`1.0`:                            1.0,
		`1e3`:                            1000.0,
		`1e-999`:                         0.0,
		`123456789012345678901234567890`: 123456789012345678901234567890.0,
		`""`:                             "",
		`"a\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00é"`: "a\"\\/\b\f\n\r\té😀é",
		`[]`:                                   []any{},
		`{}`:                                   map[string]any{},
		`[1,[2,[]],{"a":[null]}]`:              []any{1, []any{2, []any{}}, map[string]any{"a": []any{nil}}},
		"\t{ \"a\" : 1 ,\r\n \"b\":{\"a\":2}}": map[string]any{"a": 1, "b": map[string]any{"a": 2}},
		`{"":1,"é":2,"\u0061":3}`:              map[string]any{"": 1, "é": 2, "a": 3},
	} {
		for _, decode := range []func([]byte) (any, error){value.Decode, value.DecodeLenient, decodeText} {
			got, err := decode([]byte(text))
			require.NoError(t, err, text)
			require.Equal(t, want, got, text)
		}
	}
	zero, err := value.Decode([]byte(`-0.0`))
	require.NoError(t, err)
	require.True(t, math.Signbit(zero.(float64)))
}

func TestDecodeErrors(t *testing.T) {
	deep := value.MaxDepth
	for _, c := range []struct {
		text    string
		offset  int
		pointer string
		reason  string
	}{
		{``, 0, "", "the text is empty"},
		{" \n", 2, "", "the text is empty"},
		{`{"a":[1,`, 8, "/a", "the text ends too early"},
		{`"abc`, 4, "", "the text ends too early"},
		{`tru`, 3, "", "the text ends too early"},
		{`{"a"`, 4, "/a", "the text ends too early"},
		{`{"a":1} {}`, 8, "", "expected the end of the text, got an object"},
		{`1 "x"`, 2, "", "expected the end of the text, got a string"},
		{`1 x`, 2, "", "invalid character 'x'"},
		{`[1,2]]`, 5, "", "invalid character ']'"},
		{`[1 2]`, 3, "", "invalid character '2' after array element (expecting ',' or ']')"},
		{`[1,]`, 2, "", "invalid character ','"},
		{`{"a":1,}`, 6, "", "invalid character ','"},
		{`{"a":1,"b":}`, 11, "/b", "missing value after object name"},
		{`{"a" 1}`, 5, "/a", "invalid character '1' after object name (expecting ':')"},
		{`{1:2}`, 1, "", "a name has to be a string"},
		{`[}`, 1, "/0", "invalid character '}'"},
		{`{"a":1,"b":{"c":1,"c":2}}`, 18, "/b/c", "the name stands twice"},
		{`{"a":1,"\u0061":2}`, 7, "/a", "the name stands twice"},
		{`[0,{"a":[{"b":1,"b":1}],"a":1}]`, 16, "/1/a/0/b", "the name stands twice"},
		{`[1,1e999]`, 3, "/1", "the number is out of range"},
		{`{"n":-1e999}`, 5, "/n", "the number is out of range"},
		{`[1, 1e99999999999999999999]`, 4, "/1", "the number is out of range"},
		{`01`, 1, "", "expected the end of the text, got a number"},
		{`+1`, 0, "", "invalid character '+'"},
		{`1.`, 2, "", "the text ends too early"},
		{`[1.]`, 3, "/0", "invalid character ']' in number"},
		{`NaN`, 0, "", "invalid character 'N'"},
		{"[\"a\xff\"]", 3, "/0", "invalid UTF-8"},
		{"{\"\xff\":1}", 2, "", "invalid UTF-8"},
		{`["\ud800"]`, 2, "/0", "invalid surrogate pair"},
		{`["\x"]`, 2, "/0", "invalid escape sequence"},
		{"[\"\n\"]", 2, "/0", "invalid character '\\n' in string"},
		{"\xef\xbb\xbf1", 0, "", "invalid character"},
		{strings.Repeat("[", 100_000), deep, strings.Repeat("/0", 256), "nested deeper than 1000"},
		{strings.Repeat(`{"a":`, 100_000), 5 * deep, strings.Repeat("/a", 256), "nested deeper than 1000"},
		{strings.Repeat(`[{"a":`, 100_000), 6 * deep / 2, strings.Repeat("/0/a", 128), "nested deeper than 1000"},
	} {
		_, err := value.Decode([]byte(c.text))
		var e *value.SyntaxError
		require.ErrorAs(t, err, &e, "%.40s", c.text)
		require.EqualValues(t, c.offset, e.Offset, "%.40s: %v", c.text, err)
		require.Equal(t, c.pointer, e.Pointer, "%.40s: %v", c.text, err)
		require.Contains(t, e.Reason, c.reason, "%.40s", c.text)
	}
}

func TestDecodeDepth(t *testing.T) {
	text := strings.Repeat("[", value.MaxDepth) + "1" + strings.Repeat("]", value.MaxDepth)
	v, err := value.Decode([]byte(text))
	require.NoError(t, err)
	require.NoError(t, value.Check(v), "what can be read may travel")
	require.Equal(t, text, string(value.Append(nil, v)))
}

func TestDecodeLenient(t *testing.T) {
	for text, want := range map[string]any{
		`{"a":1,"b":2,"a":3}`: map[string]any{"a": 3, "b": 2},
		`"\ud800x"`:           "\ufffdx",
		`["\udc00\ud800"]`:    []any{"\ufffd\ufffd"},
		"\"a\xffb\"":          "a\ufffdb",
		"{\"\xff\":1}":        map[string]any{"\ufffd": 1},
	} {
		got, err := value.DecodeLenient([]byte(text))
		require.NoError(t, err, text)
		require.Equal(t, want, got, text)
		require.NoError(t, value.Check(got), text)
	}
	for _, text := range []string{``, `{`, `1e999`, `01`, `1 2`, `"\x"`, "[1,]", strings.Repeat("[", 1001) + strings.Repeat("]", 1001)} {
		_, err := value.DecodeLenient([]byte(text))
		require.Error(t, err, text)
	}
}

// Equal names share memory; no string may show another's text.
func TestDecodeKeepsStringsApart(t *testing.T) {
	escaped, plain := strings.Repeat(`\\n`, 128), strings.Repeat(`\n`, 128)
	text := []byte(`{"` + escaped + `":"` + escaped + `","` + plain + `":"` + plain + `","x":["ab","ba","ab"],"` + strings.Repeat("k", 5000) + `":1}`)
	want := map[string]any{
		strings.Repeat(`\n`, 128): strings.Repeat(`\n`, 128),
		strings.Repeat("\n", 128): strings.Repeat("\n", 128),
		"x":                       []any{"ab", "ba", "ab"},
		strings.Repeat("k", 5000): 1,
	}
	for _, decode := range []func([]byte) (any, error){value.Decode, value.DecodeLenient, decodeText} {
		text := bytes.Clone(text)
		got, err := decode(text)
		require.NoError(t, err)
		clear(text)
		for range 3 { // another text must not write over what the first has given
			_, err = decode([]byte(`["overwritten","` + strings.Repeat(`\n`, 4000) + `"]`))
			require.NoError(t, err)
		}
		require.Equal(t, want, got)
	}
}

func decodeText(text []byte) (any, error) { return value.DecodeText(string(text)) }

func TestSyntaxErrorText(t *testing.T) {
	_, err := value.Decode([]byte(`{"a/b":[1,nul]}`))
	require.EqualError(t, err, `offset 13, at "/a~1b/1": invalid character ']' in literal null (expecting 'l')`)
	_, err = value.Decode([]byte(`{"` + strings.Repeat("k", 10_000) + `":{"a":x}}`))
	require.Less(t, len(err.Error()), 200, "an error does not grow with the text")
}
