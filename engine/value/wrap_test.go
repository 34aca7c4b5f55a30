package value_test

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/value"
)

func wrap(t testing.TB, src string) string {
	got, ok := value.WrapJSONMax(nil, []byte(src), 1<<20)
	require.True(t, ok)
	return string(got)
}

func TestWrapJSON(t *testing.T) {
	long := strings.Repeat("é", 77) // with {"k": {"t": ""}} it just fits
	for src, want := range map[string]string{
		`{}`:                                 `{}`,
		`[]`:                                 `[]`,
		`1`:                                  `1`,
		`{"a":{"x":1,"y":-2}}`:               "{\n  \"a\": {\"x\": 1, \"y\": -2}\n}",
		`{"a":{"b":{"c":1}}}`:                "{\n  \"a\": {\"b\": {\"c\": 1}}\n}",
		`{"a":{"b":{"c":{}}}}`:               "{\n  \"a\": {\n    \"b\": {\"c\": {}}\n  }\n}",
		`{"a":[1,[2,3],"x,y:{"]}`:            "{\n  \"a\": [1, [2, 3], \"x,y:{\"]\n}",
		`{"a":[{"x":1},{"x":2}]}`:            "{\n  \"a\": [\n    {\"x\": 1},\n    {\"x\": 2}\n  ]\n}",
		`{"a":{"b":[{}]}}`:                   "{\n  \"a\": {\n    \"b\": [\n      {}\n    ]\n  }\n}",
		`{"a":["\"]",{}]}`:                   "{\n  \"a\": [\n    \"\\\"]\",\n    {}\n  ]\n}",
		`{"k":{"t":"` + long + `xxxxxxx"}}`:  "{\n  \"k\": {\"t\": \"" + long + "xxxxxxx\"}\n}",
		`{"k":{"t":"` + long + `xxxxxxxx"}}`: "{\n  \"k\": {\n    \"t\": \"" + long + "xxxxxxxx\"\n  }\n}",
	} {
		require.Equal(t, want, wrap(t, src), src)
	}
}

// A deep document that would grow without bound is not wrapped, and that is found early.
func TestWrapJSONMax(t *testing.T) {
	deep := strings.Repeat(`[`, 5000) + strings.Repeat(`]`, 5000)
	dst := []byte("before")
	got, ok := value.WrapJSONMax(dst, []byte(deep), 1<<16)
	require.False(t, ok)
	require.Equal(t, "before", string(got))
}

// FuzzWrapJSON: whatever is wrapped is the same JSON, and no line with a whole list or
// record is too long.
func FuzzWrapJSON(f *testing.F) {
	f.Add(`{"a":{"b":[1,2,{"c":"é\"}"}]},"d":[[],{}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		src := jsontext.Value(text)
		if !src.IsValid() || src.Compact() != nil {
			return
		}
		got, ok := value.WrapJSONMax(nil, src, 1<<20)
		if !ok {
			return
		}
		back := jsontext.Value(bytes.Clone(got))
		require.NoError(t, back.Compact())
		require.Equal(t, string(src), string(back))
		for line := range strings.Lines(string(got)) {
			line = strings.TrimRight(strings.TrimSpace(line), ",")
			if strings.HasSuffix(line, "}") && strings.Count(line, `"`) == 2 && len(line) > 3 { // a whole record with one field
				require.LessOrEqual(t, utf8.RuneCountInString(line), 100)
			}
		}
	})
}
