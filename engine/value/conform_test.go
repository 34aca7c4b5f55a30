package value_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/value"
)

func TestConform(t *testing.T) {
	media := map[string]any{"kind": "image", "mime": "image/png", "path": "a.png"}
	for _, c := range []struct {
		typ      string
		in, want any
	}{
		{"any", nil, nil},
		{"int?", nil, nil},
		{"float", 3, 3.0},
		{"float?", 3, 3.0},
		{"int", 3.0, 3},
		{"int", -float64(1 << 53), -1 << 53},
		{"credential", "pronet:main", value.Credential("pronet:main")},
		{"media", media, value.Media{Kind: "image", MIME: "image/png", Path: "a.png"}},
		{"media(image|video)", media, value.Media{Kind: "image", MIME: "image/png", Path: "a.png"}},
		{
			"media",
			map[string]any{"kind": "video", "recipe": map[string]any{"b": 1, "a": 2.0}},
			value.Media{Kind: "video", Recipe: `{"a":2,"b":1}`},
		},
		{"enum(a|b)", "b", "b"},
		{"list<float>", []any{1, 2.5}, []any{1.0, 2.5}},
		{"list<list<float>>", []any{[]any{}, []any{1}}, []any{[]any{}, []any{1.0}}},
		{"record{p:float?,q:float?}", map[string]any{"p": 1, "more": 1}, map[string]any{"p": 1.0, "more": 1}},
	} {
		got, err := value.Conform(c.in, value.MustType(c.typ))
		require.NoError(t, err, c.typ)
		require.Equal(t, c.want, got, c.typ)
	}
}

func TestConformErrors(t *testing.T) {
	for _, c := range []struct {
		typ  string
		in   any
		want string
	}{
		{"int", nil, "expected int, got null"},
		{"int", 1.5, "expected int, got float"},
		{"int", float64(1<<53) * 2, "expected int, got float"},
		{"string", 1, "expected string, got int"},
		{"string", value.Credential("pronet:main"), "expected string, got credential"},
		{"bool", "true", "expected bool, got string"},
		{"enum(a|b)", "c", "expected one of enum(a|b)"},
		{"list<int>", []any{1, "x"}, "[1]: expected int, got string"},
		{"record{id:string}", map[string]any{}, `field "id" is missing`},
		{"record{a:record{b:int}}", map[string]any{"a": map[string]any{"b": nil}}, `field "a": field "b": expected int, got null`},
		{"media", map[string]any{"kind": "image"}, "expected media"},
		{"media", map[string]any{"kind": "image", "path": "a", "url": "b"}, "expected media"},
		{"media", map[string]any{"kind": 1, "path": "a"}, "expected media"},
		{"media", map[string]any{"kind": "video", "recipe": "text"}, "expected media"},
		{"media", map[string]any{"kind": "video", "path": "a", "recipe": map[string]any{}}, "expected media"},
		{"media(video)", map[string]any{"kind": "image", "mime": "image/png", "path": "a.png"}, `expected media(video), got media of the kind "image"`},
		{"media(audio|video)", value.Media{Kind: "image", Path: "a"}, `expected media(audio|video), got media of the kind "image"`},
		{"record", value.Media{Kind: "image", Path: "a"}, "expected record, got media"},
		{"any", nil, ""},
	} {
		_, err := value.Conform(c.in, value.MustType(c.typ))
		if c.want == "" {
			require.NoError(t, err)
			continue
		}
		require.ErrorContains(t, err, c.want)
	}
}

// What somebody put into the wrong place may be a secret.
func TestConformNeverRepeatsValues(t *testing.T) {
	const secret = "sk-live-4711"
	for _, typ := range []string{"credential", "int", "bool", "enum(a|b)", "list<int>", "record{a:int}", "media"} {
		for _, v := range []any{secret, []any{secret}, map[string]any{"a": secret}} {
			if _, err := value.Conform(v, value.MustType(typ)); err != nil {
				require.NotContains(t, err.Error(), "4711")
			}
		}
	}
}

func TestConformLeavesItsInputAlone(t *testing.T) {
	inner := []any{1, 2}
	in := map[string]any{"p": 1, "list": inner}
	out, err := value.Conform(in, value.MustType("record{p:float,list:list<float>}"))
	require.NoError(t, err)
	require.Equal(t, map[string]any{"p": 1.0, "list": []any{1.0, 2.0}}, out)
	require.Equal(t, map[string]any{"p": 1, "list": []any{1, 2}}, in)
	require.Equal(t, []any{1, 2}, inner)
}

func TestConformDoesNotAllocateForWhatFits(t *testing.T) {
	long := strings.Repeat("x", 100)
	for typ, v := range map[string]any{
		"any":       map[string]any{"a": 1},
		"string":    long,
		"int":       1 << 40,
		"float":     1.5,
		"enum(a|b)": "b",
		"list<any>": []any{1, "a"},
		"list<record{id:int,name:string?}>": []any{
			map[string]any{"id": 1 << 40, "name": long}, map[string]any{"id": 2, "name": nil},
		},
	} {
		parsed := value.MustType(typ)
		require.Zero(t, testing.AllocsPerRun(100, func() {
			if _, err := value.Conform(v, parsed); err != nil {
				t.Fatal(err)
			}
		}), typ)
	}
}
