package control_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/nodes/control"
	"github.com/svcflow/svc/nodes/nodetest"
)

type record = map[string]any

func TestRoutes(t *testing.T) {
	tests := []struct {
		name   string
		typ    string
		config record
		wired  record
		want   record
	}{
		{"value", "control.value", record{"value": []any{1}}, nil, record{"value": []any{1}}},
		{"value null", "control.value", nil, record{"value": nil}, record{"value": nil}},
		{"true carries value", "control.branch", nil, record{"condition": true, "value": 7}, record{"truePath": 7}},
		{"false carries value", "control.branch", nil, record{"condition": false, "value": 7}, record{"falsePath": 7}},
		{"null is a value", "control.branch", nil, record{"condition": true, "value": nil}, record{"truePath": nil}},
		{"true alone", "control.branch", nil, record{"condition": true}, record{"truePath": true}},
		{"false alone", "control.branch", nil, record{"condition": false}, record{"falsePath": false}},
		{"value not taken", "control.branch", nil, record{"condition": true, "value": node.Absent{}}, record{"truePath": true}},
		{"first of merge", "control.merge", nil, record{"d": 4, "b": 2}, record{"result": 2}},
		{"null is present", "control.merge", nil, record{"a": nil, "b": 2}, record{"result": nil}},
		{"absent is passed over", "control.merge", nil, record{"a": node.Absent{}, "c": 3}, record{"result": 3}},
		{"the order of ports", "control.merge", nil, record{"z": 26, "y": 25}, record{"result": 25}},
		{"from config", "control.merge", record{"f": 6}, record{"e": node.Absent{}}, record{"result": 6}},
		{"nothing to merge", "control.merge", nil, nil, record{}},
	}
	h := nodetest.New(t, control.Plugin())
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := h.Exec(tt.typ, tt.config, tt.wired)
			require.NoError(t, err)
			require.Equal(t, tt.want, got)
		})
	}
}

// TestMergeHasAFreeInput wires one input after the other: each time another input appears,
// up to z.
func TestMergeHasAFreeInput(t *testing.T) {
	h := nodetest.New(t, control.Plugin())
	require.Empty(t, h.Problems("control.merge", nil, "a", "d", "e", "q"))
	require.Empty(t, h.Problems("control.merge", nil, "z"))
	require.Equal(t, "missing_input_port", h.Problems("control.merge", nil, "a", "zz")[0].Code)
	require.Equal(t, "unknown_config", h.Problems("control.merge", record{"value": 1})[0].Code)
	n := nodeOf(t, "control.merge")
	for wired, want := range map[string]int{"": 4, "c": 4, "d": 5, "m": 14, "y": 26, "z": 26} {
		bound, problems := n.Bind(node.Binding{Spec: &n.Spec, Wired: func(port string) bool { return port == wired }})
		require.Empty(t, problems)
		require.Len(t, bound.Inputs, want, wired)
	}
}

func nodeOf(t *testing.T, typ string) *node.Node {
	t.Helper()
	r, err := node.NewRegistry(control.Plugin())
	require.NoError(t, err)
	n, ok := r.Lookup(typ)
	require.True(t, ok)
	return n
}

func TestSwitchTakesTheEqualCase(t *testing.T) {
	cases := []any{"a", 1, nil, []any{1, "x"}, record{"k": []any{2.0}}, 1.5, "pronet:main", false, 1 << 53}
	media := value.Media{Kind: "image", MIME: "image/png", URL: "https://example.com/a.png"}
	tests := []struct {
		v    any
		want string
	}{
		{"a", "case0"},
		{1, "case1"},
		{1.0, "case1"},
		{nil, "case2"},
		{[]any{1.0, "x"}, "case3"},
		{[]any{1, "x", 2}, "default"},
		{record{"k": []any{2}}, "case4"},
		{record{"k": []any{2}, "more": 1}, "default"},
		{record{"j": []any{2}}, "default"},
		{1.5, "case5"},
		{value.Credential("pronet:main"), "case6"},
		{false, "case7"},
		{true, "default"},
		{1<<53 + 1, "default"},
		{float64(1 << 53), "case8"},
		{math.MaxFloat64, "default"},
		{"1", "default"},
		{0, "default"},
		{media, "default"},
	}
	h := nodetest.New(t, control.Plugin())
	for _, tt := range tests {
		got, err := h.Exec("control.switch", record{"cases": cases}, record{"value": tt.v})
		require.NoError(t, err)
		require.Equal(t, record{tt.want: tt.v}, got)
	}
	got, err := h.Exec("control.switch", record{"cases": []any{record{"kind": "image", "mime": "image/png", "url": media.URL}}}, record{"value": media})
	require.NoError(t, err)
	require.Equal(t, record{"case0": media}, got)
}

func TestSwitchRefusesCases(t *testing.T) {
	tests := []struct {
		name    string
		config  record
		message string
	}{
		{"none", record{}, "required"},
		{"no list", record{"cases": "a"}, "got string"},
		{"twice", record{"cases": []any{1, "a", 1.0}}, "case 2 equals case 0"},
		{"many", record{"cases": make([]any, 257)}, "too many"},
	}
	h := nodetest.New(t, control.Plugin())
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			problems := h.Problems("control.switch", tt.config, "value")
			require.NotEmpty(t, problems)
			require.Equal(t, "cases", problems[0].Port)
			require.Contains(t, problems[0].Message, tt.message)
		})
	}
}

func TestFail(t *testing.T) {
	tests := []struct {
		name          string
		wired         record
		code, message string
	}{
		{"default code", record{"message": "no"}, "failed", "no"},
		{"own code", record{"message": "Sold out", "code": "out_of_stock"}, "out_of_stock", "Sold out"},
		{"no message", record{"message": "", "code": "empty"}, "empty", "failed with code empty"},
		{"bad code", record{"message": "no", "code": "Out of stock"}, "invalid_input", "snake_case"},
	}
	h := nodetest.New(t, control.Plugin())
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := h.Exec("control.fail", nil, tt.wired)
			require.Equal(t, tt.code, node.CodeOf(err))
			require.ErrorContains(t, err, tt.message)
			require.True(t, node.IsPermanent(err))
		})
	}
	problems := h.Problems("control.fail", record{"code": "9lives"}, "message")
	require.Len(t, problems, 1)
	require.Equal(t, "code", problems[0].Port)
}
