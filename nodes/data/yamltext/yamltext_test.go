package yamltext_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/nodes/data/yamltext"
	"github.com/svcflow/svc/nodes/reading"
)

type record = map[string]any

func free(int) error { return nil }

func read(t testing.TB, text string) ([]any, []reading.Note) {
	t.Helper()
	notes := &reading.Notes{}
	documents, err := yamltext.Read(text, free, notes)
	require.NoError(t, err, text)
	return documents, notes.All()
}

func TestADirectiveChoosesTheVersion(t *testing.T) {
	const text = "a: yes\nb: 0644\nc: 1:30\nd: 1_000\ne: 0b11\nf: off\ng: 0o17\nh: 'yes'\n"
	for directive, want := range map[string]record{
		"":                 {"a": "yes", "b": 420, "c": "1:30", "d": 1000, "e": 3, "f": "off", "g": 15, "h": "yes"},
		"%YAML 1.2\n---\n": {"a": "yes", "b": 644, "c": "1:30", "d": "1_000", "e": "0b11", "f": "off", "g": 15, "h": "yes"},
		"%YAML 1.1\n---\n": {"a": true, "b": 420, "c": 90, "d": 1000, "e": 3, "f": false, "g": "0o17", "h": "yes"},
	} {
		documents, notes := read(t, directive+text)
		require.Equal(t, []any{want}, documents, directive)
		require.Equal(t, directive == "", len(notes) == 1, "an octal number is noted where YAML 1.2 has another: %v", notes)
	}
	documents, _ := read(t, "%YAML 1.1\n---\na: yes\n---\na: yes\n...\n# next\n%YAML 1.2\n--- |\n  x\n...\n%YAML 1.1\n---\nb: no")
	require.Equal(t, []any{record{"a": true}, record{"a": "yes"}, "x\n", record{"b": false}}, documents, "a directive is of one document")
	_, err := yamltext.Read("%YAML 2.0\n---\na", free, nil)
	require.ErrorContains(t, err, `line 1: the text is of YAML "2.0"; 1.1 and 1.2 can be read`)
	documents, notes := read(t, "%YAML 1.3\n%FOO bar\n%TAG ! tag:x,2000:\n---\na: !b c")
	require.Equal(t, []any{record{"a": "c"}}, documents)
	require.Len(t, notes, 2)
	documents, _ = read(t, "a: |\n  ...\n  %YAML 2.0\nb: c\n")
	require.Equal(t, []any{record{"a": "...\n%YAML 2.0\n", "b": "c"}}, documents, "text is no directive")
}

func TestWhatPeopleWrite(t *testing.T) {
	for text, want := range map[string]any{
		`a: "x\/y"`:                          record{"a": "x/y"},
		"\ufeffa: 1":                         record{"a": 1},
		"a: 1\r\nb: 2\r\n":                   record{"a": 1, "b": 2},
		"a: 1\rb: 2\r":                       record{"a": 1, "b": 2},
		"a:\t1\n":                            record{"a": 1},
		"- a\n-\tb":                          []any{"a", "b"},
		"x: {a: 1,\n\tb: 2,}":                record{"x": record{"a": 1, "b": 2}},
		"a: 9223372036854775807":             record{"a": 9223372036854775807},
		"a: 123456789012345678901":           record{"a": 123456789012345678901.0},
		"a: -0x10\nb: +1\nc: -.5\nd: 1.e3":   record{"a": -16, "b": 1, "c": -0.5, "d": 1000.0},
		"a: 1.2.3\nb: 1e\nc: +\ne: .":        record{"a": "1.2.3", "b": "1e", "c": "+", "e": "."},
		"a: 2026-01-31\nb: 2026-01-31 10:00": record{"a": "2026-01-31", "b": "2026-01-31 10:00"},
		"a: !!str 12\nb: !!float 1\nc: !!int '3'\nd: !x 1":             record{"a": "12", "b": 1.0, "c": 3, "d": "1"},
		"x: &x {a: 1}\ny: &y {a: 2, b: 2}\nz:\n  <<: [*x, *y]\n  c: 3": record{"x": record{"a": 1}, "y": record{"a": 2, "b": 2}, "z": record{"a": 1, "b": 2, "c": 3}},
		`{"a":"\ud83d\ude00"}`:                   record{"a": "😀"},
		`a: "\ud83d\ude00 \\ud83d"`:              record{"a": `😀 \ud83d`},
		"yes: 1\n~: 2\n1.0: 3":                   record{"yes": 1, "~": 2, "1.0": 3},
		"a: 08\nb: 00\nc: 0":                     record{"a": 8, "b": 0, "c": 0},
		"a: ~\nb:\nc: Null\nd: \"\"":             record{"a": nil, "b": nil, "c": nil, "d": ""},
		"a: >-\n  x\n  y\n\n  z\nb: |+\n  q\n\n": record{"a": "x y\nz", "b": "q\n\n"},
	} {
		documents, _ := read(t, text)
		require.Equal(t, []any{want}, documents, text)
	}
	documents, notes := read(t, `a: "\ud83d!"`)
	require.Equal(t, []any{record{"a": "\ufffd!"}}, documents)
	require.Len(t, notes, 1, "half a character is noted")
	documents, _ = read(t, "a: 1\n---\n\ufeffb: 2\n---\n")
	require.Equal(t, []any{record{"a": 1}, record{"b": 2}, nil}, documents)
}

func TestErrorsNameTheLine(t *testing.T) {
	for text, message := range map[string]string{
		"a: 1\nb: 1\na: 2":    `line 3: the key "a" stands twice`,
		"a: 1\nb: .inf":       "line 2: .inf is no number",
		"a: 1\nb: *c":         "line 2: unknown anchor 'c'",
		"a: &x 1\n---\nb: *x": "line 3: unknown anchor 'x'",
		"a: 1\n\tb: 2":        "line 2: ",
		"a: !!int x":          `line 1: "x" is not of the type !!int`,
		"a: 1\nb: [1":         "line 3: ",
		"a: \"b\nc: 1":        "line 2: ",
	} {
		_, err := yamltext.Read(text, free, nil)
		require.ErrorContains(t, err, message, text)
	}
}

func FuzzRead(f *testing.F) {
	for _, seed := range []string{"a: &x [1, *x]\n---\nb: {<<: *x}", "%YAML 1.1\n---\na: 1:30", `a: "\ud83d\ude00"`, "%FOO\n...\n%YAML 1.2\n--- 0o7", "0x\n", "-", "+_", "1_0.e+_"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		documents, err := yamltext.Read(text, free, &reading.Notes{})
		if err != nil {
			return
		}
		for _, d := range documents {
			_, err := value.Decode(value.Encode(d))
			require.NoError(t, err)
		}
	})
}

func BenchmarkRead(b *testing.B) {
	var text strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&text, "- name: person %d\n  age: %d\n  city: \"New York\"\n  tags: [a, b, 1.5, true]\n", i, i)
	}
	b.SetBytes(int64(text.Len()))
	for b.Loop() {
		_, err := yamltext.Read(text.String(), free, nil)
		require.NoError(b, err)
	}
}
