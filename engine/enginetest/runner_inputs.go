package enginetest

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/svcflow/svc/engine"
)

func (s suite) nodeInputs(t *testing.T) {
	tests := []struct {
		name string
		flow *Flow
		got  map[string]any
	}{
		{"default", NewFlow("w").Node("n", "test.maybe"), map[string]any{"preset": "default"}},
		{"config before default", NewFlow("w").Node("n", "test.maybe", "preset", "set"), map[string]any{"preset": "set"}},
		{"null in config is a value", NewFlow("w").Node("n", "test.maybe", "value", nil), map[string]any{"value": nil, "preset": "default"}},
		{
			"wire before config",
			NewFlow("w").Node("a", "test.pass", "value", "wired").Node("n", "test.maybe", "preset", "set").Wire("a.value", "n.preset"),
			map[string]any{"preset": "wired"},
		},
		{
			"order and conditions are no inputs",
			NewFlow("w").Node("a", "test.pass", "value", true).Node("n", "test.maybe").
				Wire("a.value", "n.$after").Wire("a.$done", "n.$after").Wire("a.value", "n.$when"),
			map[string]any{"preset": "default"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			require.Equal(t, tt.got, s.play(t, tt.flow).node("n")["got"])
		})
	}
}

func (s suite) fanIn(t *testing.T) {
	list := func(typ string) *Flow { return NewFlow("w").Node("n", typ) }
	tests := []struct {
		name string
		flow *Flow
		want any
	}{
		{"one wire, a list passes", list("test.list").Node("a", "test.pass", "value", []any{1, 2}).Wire("a.value", "n.items"), []any{1, 2}},
		{"one wire, anything else is wrapped", list("test.list").Node("a", "test.pass", "value", 1).Wire("a.value", "n.items"), []any{1}},
		{"one wire, null is no items", list("test.list").Node("a", "test.pass", "value", nil).Wire("a.value", "n.items"), []any{}},
		{"one wire, null of a list type is no items", list("test.list").Node("a", "test.typed", "type", "list<any>?", "value", nil).Wire("a.value", "n.items"), []any{}},
		{"one wire of a fitting type is wrapped", list("test.strings").Node("a", "test.upper", "text", "x").Wire("a.text", "n.items"), []any{"X"}},
		{"one wire of a list type passes", list("test.strings").Node("a", "test.strings", "items", []any{"x"}).Wire("a.items", "n.items"), []any{"x"}},
		{
			"two wires are items in the order of the connections",
			list("test.list").Node("a", "test.pass", "value", []any{1}).Node("b", "test.async", "value", 2).
				Wire("b.value", "n.items").Wire("a.value", "n.items"),
			[]any{2, []any{1}},
		},
		{
			"one wire into a list of lists is an item",
			list("test.lists").Node("a", "test.pass", "value", []any{1}).Wire("a.value", "n.items"),
			[]any{[]any{1}},
		},
		{
			"a wire that brings nothing contributes nothing",
			list("test.list").Node("a", "test.mute").Node("b", "test.pass", "value", 2).Wire("a.value", "n.items").Wire("b.value", "n.items"),
			[]any{2},
		},
		{
			"repeated wires",
			list("test.list").Node("a", "test.pass", "value", 1).Wire("a.value", "n.items").Wire("a.value", "n.items"),
			[]any{1, 1},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			require.Equal(t, tt.want, s.play(t, tt.flow).node("n")["items"])
		})
	}
}

// fanInTells tests that the failure names the wire that brings a value of the wrong type,
// if there are several.
func (s suite) fanInTells(t *testing.T) {
	p := s.play(t, NewFlow("w").Node("n", "test.strings").Node("a", "test.pass", "value", "x").Node("b", "test.pass", "value", 2).
		Wire("a.value", "n.items").Wire("b.value", "n.items"))
	require.Equal(t, "failed type_error", p.States()["n"])
	require.Equal(t, `input "items": item 1, which comes from "value" of "b": expected string, got int`, p.Nodes["n"].Error.Message)

	p = s.play(t, NewFlow("w").Node("n", "test.strings").Node("a", "test.list", "items", []any{"x", 1}).Wire("a.items", "n.items"))
	require.Contains(t, p.Nodes["n"].Error.Message, "1", "an item of a list is told by its place")
}

// nullableLists tests that a nullable list port accepts null.
func (s suite) nullableLists(t *testing.T) {
	p := s.play(t, NewFlow("w").Node("a", "test.pass", "value", nil).Node("n", "test.typed", "type", "list<int>?").Wire("a.value", "n.value"))
	require.Equal(t, map[string]any{"value": nil}, p.node("n"))
}

func (s suite) runTimeTypes(t *testing.T) {
	typed := func(typ string, v any) *Flow {
		return NewFlow("w").Node("a", "test.pass", "value", v).Node("n", "test.typed", "type", typ).Wire("a.value", "n.value")
	}
	between := func(source, target string, v any) *Flow {
		return NewFlow("w").Node("a", "test.typed", "type", source, "value", v).
			Node("n", "test.typed", "type", target).Wire("a.value", "n.value")
	}
	tests := []struct {
		name string
		flow *Flow
		want any // nil means a type_error
	}{
		{"any into string, fitting", typed("string", "x"), "x"},
		{"any into string", typed("string", 1), nil},
		{"any into int, a whole float", typed("int", 2.0), 2},
		{"any into float, an int", typed("float", 2), 2.0},
		{"null into string", between("string?", "string", nil), nil},
		{"no null into string", between("string?", "string", "x"), "x"},
		{"string into enum", between("string", "enum(a|b)", "a"), "a"},
		{"another string into enum", between("string", "enum(a|b)", "c"), nil},
		{"int into float", between("int", "float", 1), 1.0},
		{"record with the fields", between("record", "record{id:string}", map[string]any{"id": "1"}), map[string]any{"id": "1"}},
		{"record without a field", between("record", "record{id:string}", map[string]any{}), nil},
		{"list with a wrong item", NewFlow("w").Node("a", "test.list", "items", []any{"x", 1}).Node("n", "test.strings").Wire("a.items", "n.items"), nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := s.play(t, tt.flow)
			if tt.want != nil {
				require.Equal(t, engine.StatusCompleted, p.Status, p.States())
				require.Equal(t, tt.want, p.node("n")["value"])
				return
			}
			require.Equal(t, "failed type_error", p.States()["n"])
			require.Contains(t, p.Nodes["n"].Error.Message, `input "`)
			require.Equal(t, "n", p.Error.NodeID)
		})
	}
}

func (s suite) runInputs(t *testing.T) {
	flow := func(config ...any) *Flow {
		return NewFlow("w").Node("in", "test.input", append([]any{"name", "x"}, config...)...).
			Node("out", "test.output", "name", "y").Wire("in.value", "out.value")
	}
	t.Run("given", func(t *testing.T) {
		p := PlayFlow(t, s.open(), NewKit(), flow("type", "float"), map[string]any{"x": 1})
		require.Equal(t, map[string]any{"y": 1.0}, p.Outputs)
	})
	t.Run("default", func(t *testing.T) {
		require.Equal(t, map[string]any{"y": "d"}, s.play(t, flow("type", "string", "default", "d")).Outputs)
	})
	t.Run("neither is null", func(t *testing.T) {
		require.Equal(t, map[string]any{"y": nil}, s.play(t, flow("type", "string")).Outputs)
	})
	problems := []struct {
		name   string
		config []any
		inputs map[string]any
		codes  []string
	}{
		{"missing", []any{"required", true}, nil, []string{engine.CodeMissingInput}},
		{"unknown", nil, map[string]any{"z": 1}, []string{engine.CodeUnknownInput}},
		{"wrong type", []any{"type", "int"}, map[string]any{"x": "one"}, []string{engine.CodeTypeError}},
		{"no value", nil, map[string]any{"x": make(chan int)}, []string{engine.CodeTypeError}},
		{"not finite", []any{"type", "float"}, map[string]any{"x": math.NaN()}, []string{engine.CodeTypeError}},
		{"several", []any{"type", "int"}, map[string]any{"x": "one", "z": 1}, []string{engine.CodeTypeError, engine.CodeUnknownInput}},
	}
	for _, tt := range problems {
		t.Run(tt.name, func(t *testing.T) {
			kit := NewKit()
			plan := kit.Compile(t, flow(tt.config...).Node("n", "test.pass", "value", 1))
			run, err := s.open().Run(t.Context(), plan, engine.Options{
				Inputs: tt.inputs, Observe: func(engine.Event) { t.Error("an event of a run that did not begin") },
			})
			require.Nil(t, run)
			var found engine.ValidationErrors
			require.ErrorAs(t, err, &found)
			require.Equal(t, tt.codes, codesOf(found))
			require.Zero(t, kit.Calls(), "nothing is run")
		})
	}
}

func codesOf(problems engine.ValidationErrors) []string {
	codes := make([]string, len(problems))
	for i, p := range problems {
		codes[i] = p.Code
	}
	return codes
}
