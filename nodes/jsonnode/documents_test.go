package jsonnode_test

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/nodes/jsonnode"
	"github.com/svcflow/svc/nodes/nodetest"
)

// decode parses JSON to a value.
func decode(t *testing.T, text string) any {
	t.Helper()
	v, err := value.Decode([]byte(text))
	require.NoError(t, err, text)
	return v
}

func exec(t *testing.T, typ string, wired record) (record, error) {
	t.Helper()
	return nodetest.New(t, jsonnode.Plugin()).Exec(typ, nil, wired)
}

// The document and the pointers of RFC 6901, section 5.
func TestPointerGet(t *testing.T) {
	doc := decode(t, `{"foo":["bar","baz"],"":0,"a/b":1,"c%d":2,"e^f":3,"g|h":4,"i\\j":5,"k\"l":6," ":7,"m~n":8,"null":null}`)
	for pointer, want := range map[string]any{
		``: doc, `/foo/0`: "bar", `/`: 0, `/a~1b`: 1, `/c%d`: 2, `/e^f`: 3, `/g|h`: 4, `/i\j`: 5, `/k"l`: 6, `/ `: 7, `/m~0n`: 8, `/null`: nil,
	} {
		out, err := exec(t, "json.pointer_get", record{"value": doc, "pointer": pointer})
		require.NoError(t, err)
		require.Equal(t, record{"result": want, "found": true}, out, pointer)
	}
	for _, pointer := range []string{`/foo/2`, `/foo/01`, `/foo/-1`, `/foo/-`, `/foo/x`, `/bar`, `/foo/0/0`, `/null/x`, `/foo/99999999999999999999`} {
		out, err := exec(t, "json.pointer_get", record{"value": doc, "pointer": pointer})
		require.NoError(t, err)
		require.Equal(t, record{"result": nil, "found": false}, out, pointer)
	}
	for _, pointer := range []string{`foo`, `/a~`, `/a~2`, `#/foo`} {
		_, err := exec(t, "json.pointer_get", record{"value": doc, "pointer": pointer})
		require.Equal(t, node.CodeInvalidInput, node.CodeOf(err), pointer)
		require.ErrorContains(t, err, "no JSON pointer")
	}
	media := value.Media{Kind: "image", MIME: "image/png", URL: "https://x.test/a.png"}
	out, err := exec(t, "json.pointer_get", record{"value": []any{media}, "pointer": "/0/url"})
	require.NoError(t, err)
	require.Equal(t, media.URL, out["result"])
}

func TestPointerSet(t *testing.T) {
	for _, tt := range []struct{ doc, pointer, want string }{
		{`{"a":1}`, ``, `9`},
		{`{"a":1}`, `/a`, `{"a":9}`},
		{`{"a":1}`, `/b/c`, `{"a":1,"b":{"c":9}}`},
		{`{"a":null}`, `/a/-/x`, `{"a":[{"x":9}]}`},
		{`null`, `/0`, `[9]`},
		{`null`, `/1`, `{"1":9}`},
		{`[1,2]`, `/0`, `[9,2]`},
		{`[1,2]`, `/2`, `[1,2,9]`},
		{`[1,2]`, `/-`, `[1,2,9]`},
		{`[{"id":9007199254740993}]`, `/0/x`, `[{"id":9007199254740993,"x":9}]`},
		{`{}`, `/`, `{"":9}`},
	} {
		out, err := exec(t, "json.pointer_set", record{"value": decode(t, tt.doc), "pointer": tt.pointer, "to": 9})
		require.NoError(t, err, tt.pointer)
		require.Equal(t, tt.want, string(value.Encode(out["value"])))
	}
	for _, tt := range []struct{ doc, pointer, message string }{
		{`[1]`, `/3`, "only 1 items"},
		{`[1]`, `/x`, "no index of a list"},
		{`{"a":1}`, `/a/b`, `a int has no "b"`},
		{`{}`, `a`, "no JSON pointer"},
		{`{}`, strings.Repeat("/a", 1200), "deeper than"},
	} {
		_, err := exec(t, "json.pointer_set", record{"value": decode(t, tt.doc), "pointer": tt.pointer, "to": 9})
		require.Equal(t, node.CodeInvalidInput, node.CodeOf(err))
		require.ErrorContains(t, err, tt.message)
	}
}

func TestMerge(t *testing.T) {
	for _, tt := range []struct{ mode, a, b, want string }{
		{"deep", `{"a":{"x":1,"l":[1]},"k":1}`, `{"a":{"y":2,"l":[2]},"k":null}`, `{"a":{"l":[2],"x":1,"y":2},"k":null}`},
		{"deep", `{"a":1}`, `{"a":{"b":1}}`, `{"a":{"b":1}}`},
		{"deep", `[1]`, `{"a":1}`, `{"a":1}`},
		{"shallow", `{"a":{"x":1},"b":1}`, `{"a":{"y":2}}`, `{"a":{"y":2},"b":1}`},
		{"shallow", `{"a":1}`, `null`, `null`},
		// RFC 7396, appendix A
		{"merge_patch", `{"a":"b"}`, `{"a":"c"}`, `{"a":"c"}`},
		{"merge_patch", `{"a":"b"}`, `{"b":"c"}`, `{"a":"b","b":"c"}`},
		{"merge_patch", `{"a":"b"}`, `{"a":null}`, `{}`},
		{"merge_patch", `{"a":"b","b":"c"}`, `{"a":null}`, `{"b":"c"}`},
		{"merge_patch", `{"a":["b"]}`, `{"a":"c"}`, `{"a":"c"}`},
		{"merge_patch", `{"a":"c"}`, `{"a":["b"]}`, `{"a":["b"]}`},
		{"merge_patch", `{"a":{"b":"c"}}`, `{"a":{"b":"d","c":null}}`, `{"a":{"b":"d"}}`},
		{"merge_patch", `{"a":[{"b":"c"}]}`, `{"a":[1]}`, `{"a":[1]}`},
		{"merge_patch", `["a","b"]`, `["c","d"]`, `["c","d"]`},
		{"merge_patch", `{"a":"b"}`, `["c"]`, `["c"]`},
		{"merge_patch", `{"a":"foo"}`, `null`, `null`},
		{"merge_patch", `{"a":"foo"}`, `"bar"`, `"bar"`},
		{"merge_patch", `{"e":null}`, `{"a":1}`, `{"a":1,"e":null}`},
		{"merge_patch", `[1,2]`, `{"a":"b","c":null}`, `{"a":"b"}`},
		{"merge_patch", `{}`, `{"a":{"bb":{"ccc":null}}}`, `{"a":{"bb":{}}}`},
	} {
		out, err := exec(t, "json.merge", record{"a": decode(t, tt.a), "b": decode(t, tt.b), "mode": tt.mode})
		require.NoError(t, err)
		require.Equal(t, tt.want, string(value.Encode(out["value"])), "%s %s %s", tt.mode, tt.a, tt.b)
	}
}

func TestMergeIsBounded(t *testing.T) {
	big := slices.Repeat([]any{strings.Repeat("x", 1<<20)}, 150)
	_, err := exec(t, "json.merge", record{"a": record{"a": big}, "b": record{"b": big}})
	require.Equal(t, node.CodeLimitExceeded, node.CodeOf(err))
}

// The examples of RFC 6902, appendix A, and its rules.
func TestPatch(t *testing.T) {
	for _, tt := range []struct{ doc, patch, want string }{
		{`{"foo":"bar"}`, `[{"op":"add","path":"/baz","value":"qux"}]`, `{"baz":"qux","foo":"bar"}`},
		{`{"foo":["bar","baz"]}`, `[{"op":"add","path":"/foo/1","value":"qux"}]`, `{"foo":["bar","qux","baz"]}`},
		{`{"baz":"qux","foo":"bar"}`, `[{"op":"remove","path":"/baz"}]`, `{"foo":"bar"}`},
		{`{"foo":["bar","qux","baz"]}`, `[{"op":"remove","path":"/foo/1"}]`, `{"foo":["bar","baz"]}`},
		{`[1]`, `[{"op":"remove","path":"/0"}]`, `[]`},
		{`{"baz":"qux"}`, `[{"op":"replace","path":"/baz","value":"boo"}]`, `{"baz":"boo"}`},
		{`{"foo":{"bar":"baz","waldo":"fred"},"qux":{}}`, `[{"op":"move","from":"/foo/waldo","path":"/qux/thud"}]`, `{"foo":{"bar":"baz"},"qux":{"thud":"fred"}}`},
		{`{"foo":["all","grass","cows","eat"]}`, `[{"op":"move","from":"/foo/1","path":"/foo/3"}]`, `{"foo":["all","cows","eat","grass"]}`},
		{`{"baz":"qux","foo":["a",2,"c"]}`, `[{"op":"test","path":"/baz","value":"qux"},{"op":"test","path":"/foo/1","value":2}]`, `{"baz":"qux","foo":["a",2,"c"]}`},
		{`{"foo":"bar"}`, `[{"op":"add","path":"/child","value":{"grandchild":{}}}]`, `{"child":{"grandchild":{}},"foo":"bar"}`},
		{`{"foo":"bar"}`, `[{"op":"add","path":"/baz","value":"qux","xyz":123}]`, `{"baz":"qux","foo":"bar"}`},
		{`{"/":9,"~1":10}`, `[{"op":"test","path":"/~01","value":10}]`, `{"/":9,"~1":10}`},
		{`{"foo":["bar"]}`, `[{"op":"add","path":"/foo/-","value":["abc","def"]}]`, `{"foo":["bar",["abc","def"]]}`},
		{`{"id":9007199254740993}`, `[{"op":"test","path":"/id","value":9007199254740993},{"op":"copy","from":"/id","path":"/old"}]`, `{"id":9007199254740993,"old":9007199254740993}`},
		{`{"a":1}`, `[{"op":"test","path":"/a","value":1.0},{"op":"test","path":"","value":{"a":1}}]`, `{"a":1}`},
		{`[1,2]`, `[{"op":"add","path":"/2","value":3},{"op":"replace","path":"","value":7},{"op":"test","path":"","value":7}]`, `7`},
		{`{"a":null}`, `[{"op":"test","path":"/a","value":null},{"op":"move","from":"/a","path":"/a"}]`, `{"a":null}`},
		{`{"a":{"b":1}}`, `[{"op":"copy","from":"","path":"/a/c"}]`, `{"a":{"b":1,"c":{"a":{"b":1}}}}`},
	} {
		out, err := exec(t, "json.patch", record{"value": decode(t, tt.doc), "patch": decode(t, tt.patch)})
		require.NoError(t, err, tt.patch)
		require.Equal(t, tt.want, string(value.Encode(out["value"])), tt.patch)
	}
}

func TestPatchFailures(t *testing.T) {
	for _, tt := range []struct{ doc, patch, message string }{
		{`{"baz":"qux"}`, `[{"op":"test","path":"/baz","value":"bar"}]`, "the test fails"},
		{`{"a":1}`, `[{"op":"test","path":"/b","value":null}]`, "nothing at /b"},
		{`{"a":9007199254740993}`, `[{"op":"test","path":"/a","value":9007199254740992}]`, "the test fails"},
		{`{"foo":"bar"}`, `[{"op":"add","path":"/baz/bat","value":"qux"}]`, `no field "baz"`},
		{`[1]`, `[{"op":"add","path":"/2","value":1}]`, "only 1 items"},
		{`[1]`, `[{"op":"remove","path":"/00"}]`, "no index"},
		{`[1]`, `[{"op":"remove","path":"/-"}]`, "no index"},
		{`{}`, `[{"op":"remove","path":"/a"}]`, "operation 0"},
		{`{}`, `[{"op":"replace","path":"/a","value":1}]`, `no field "a"`},
		{`{"a":{}}`, `[{"op":"move","from":"/a","path":"/a/b"}]`, "into itself"},
		{`"s"`, `[{"op":"add","path":"/b","value":1}]`, "a string has no"},
		{`{}`, `[{"op":"add","path":"/b"}]`, "add needs a value"},
		{`{}`, `[{"op":"copy","path":"/b"}]`, "from is missing"},
		{`{}`, `[{"op":"add","value":1}]`, "path is missing"},
		{`{}`, `[{"op":"put","path":""}]`, "op has to be"},
		{`{}`, `[{"op":"add","path":"b","value":1}]`, "no JSON pointer"},
		{`{}`, `[7]`, "has to be a record"},
		{`{}`, `{"op":"add"}`, "list of operations"},
	} {
		_, err := exec(t, "json.patch", record{"value": decode(t, tt.doc), "patch": decode(t, tt.patch)})
		require.Equal(t, node.CodeInvalidInput, node.CodeOf(err), tt.patch)
		require.ErrorContains(t, err, tt.message, tt.patch)
		require.True(t, node.IsPermanent(err))
	}
}

func TestPatchIsBounded(t *testing.T) {
	double := slices.Repeat([]any{record{"op": "copy", "from": "", "path": "/-"}}, 100)
	_, err := exec(t, "json.patch", record{"value": []any{strings.Repeat("x", 1000)}, "patch": double})
	require.Equal(t, node.CodeLimitExceeded, node.CodeOf(err))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = nodetest.New(t, jsonnode.Plugin()).ExecContext(ctx, "json.patch", nil, record{"value": []any{}, "patch": double})
	require.ErrorIs(t, err, context.Canceled)
}

func TestConvert(t *testing.T) {
	media := value.Media{Kind: "image", MIME: "image/png", URL: "https://x.test/a.png"}
	mediaJSON := `{"kind":"image","mime":"image/png","url":"https://x.test/a.png"}`
	for _, tt := range []struct {
		to   string
		v    any
		want any
	}{
		{"string", 1.50, "1.5"},
		{"string", math.MaxInt, "9223372036854775807"},
		{"string", true, "true"},
		{"string", []any{1, "a"}, `[1,"a"]`},
		{"string", media, mediaJSON},
		{"int", "42", 42},
		{"int", " -7 ", -7},
		{"int", "1e3", 1000},
		{"int", 4.0, 4},
		{"int", true, 1},
		{"int", "9007199254740993", 9007199254740993},
		{"int", 1e18, 1000000000000000000},
		{"float", "0.5", 0.5},
		{"float", "1", 1.0},
		{"float", 3, 3.0},
		{"float", false, 0.0},
		{"bool", "true", true},
		{"bool", " FALSE ", false},
		{"bool", 1, true},
		{"bool", 0, false},
		{"enum(a|1)", 1, "1"},
		{"enum(a|b)", "a", "a"},
		{"list<int>", "[1, 2]", []any{1, 2}},
		{"list<int>", "5", []any{5}},
		{"list<string>", []any{1, "x"}, []any{"1", "x"}},
		{"list<string>", "[x", []any{"[x"}},
		{"list<any>", record{}, []any{record{}}},
		{"record", `{"a":1}`, record{"a": 1}},
		{"record{id:int,n:string?}", record{"id": "7", "x": true}, record{"id": 7, "x": true}},
		{"record", media, decode(t, mediaJSON)},
		{"media", mediaJSON, media},
		{"media", decode(t, mediaJSON), media},
		{"credential", "pronet:main", value.Credential("pronet:main")},
		{"int?", nil, nil},
		{"int?", " ", nil},
		{"string?", " ", " "},
		{"any", record{"a": 1}, record{"a": 1}},
	} {
		t.Run(fmt.Sprintf("%v to %s", tt.v, tt.to), func(t *testing.T) {
			out, err := nodetest.New(t, jsonnode.Plugin()).Exec("json.convert", record{"to": tt.to}, record{"value": tt.v})
			require.NoError(t, err)
			require.Equal(t, tt.want, out["value"])
		})
	}
}

func TestConvertRefuses(t *testing.T) {
	h := nodetest.New(t, jsonnode.Plugin())
	for _, tt := range []struct {
		to      string
		v       any
		message string
	}{
		{"int", "4.5", "fraction"},
		{"int", "secret", "no number"},
		{"int", "1 2", "no number"},
		{"int", "", "no number"},
		{"int", 1e30, "64 bits"},
		{"int", nil, "write int? to let null pass"},
		{"int", []any{1}, "a list has no such form"},
		{"float", "0x10", "no number"},
		{"float", "NaN", "no number"},
		{"bool", "yes", "neither true nor false"},
		{"bool", 2, "0 or 1"},
		{"bool", 1.5, "a float has no"},
		{"enum(a|b)", "c", "expected one of"},
		{"list<int>", []any{1, "x"}, "[1]: the text is no number"},
		{"record{id:int}", record{}, `"id": it is missing`},
		{"record", "[1]", "a string has no"},
		{"media", "x", "expected media"},
		{"credential", "secret token", "network:account"},
		{"string", value.Credential("a:b"), "a credential has no"},
	} {
		_, err := h.Exec("json.convert", record{"to": tt.to}, record{"value": tt.v})
		require.Equal(t, node.CodeInvalidInput, node.CodeOf(err), tt.to)
		require.ErrorContains(t, err, tt.message)
		require.NotContains(t, err.Error(), "secret")
	}
	problem := h.Problems("json.convert", record{"to": "list<"}, "value")[0]
	require.Equal(t, "to", problem.Port)
	require.Contains(t, problem.Message, "offset 5")
}

func FuzzPatch(f *testing.F) {
	f.Add(`{"a":[1,{"b":null}]}`, `[{"op":"move","from":"/a/1","path":"/a/0"},{"op":"copy","from":"/a","path":"/a/-"}]`)
	f.Fuzz(func(t *testing.T, doc, patch string) {
		d, errDoc := value.DecodeLenient([]byte(doc))
		p, errPatch := value.DecodeLenient([]byte(patch))
		if errDoc == nil && errPatch == nil {
			out, err := exec(t, "json.patch", record{"value": d, "patch": p})
			require.Equal(t, err == nil, slices.Collect(maps.Keys(out)) != nil)
		}
	})
}
