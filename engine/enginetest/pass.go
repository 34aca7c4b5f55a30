package enginetest

import (
	"context"
	"fmt"
	"strings"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

// parse parses a type and panics if it is malformed.
func parse(typ string) value.Type {
	t, err := value.ParseType(typ)
	if err != nil {
		panic(err)
	}
	return t
}

// static returns a node type whose ports do not depend on the node.
func static(typ string, inputs, outputs []node.Port, call node.Call) node.Node {
	return node.Node{
		Spec: node.Spec{Type: typ, Inputs: inputs, Outputs: outputs, Description: "For tests."},
		Bind: node.Static(inputs, outputs, call),
	}
}

func pass(_ context.Context, in, out []any) error {
	out[0] = in[0]
	return nil
}

// passing returns the node types that pass values on.
func passing() []node.Node {
	anyIn, anyOut := []node.Port{input("value", "any", false)}, []node.Port{output("value", "any")}
	return []node.Node{
		static("test.pass", anyIn, anyOut, pass).Inline(),
		static("test.async", anyIn, anyOut, pass),
		node.Func("test.upper", "Upper case", upper).Inline().Converts(value.Any(), value.String()),
		static("test.maybe", maybeInputs(), []node.Port{output("got", "record")}, maybe).Inline(),
		static("test.mute", []node.Port{input("value", "any", true)}, anyOut, func(context.Context, []any, []any) error { return nil }).Inline(),
		static("test.branch",
			[]node.Port{input("condition", "bool", false), input("value", "any", true)},
			[]node.Port{side("yes"), side("no")}, branch).Inline(),
		static("test.merge", []node.Port{partial("a"), partial("b")}, anyOut, merge).Inline(),
		{Spec: node.Spec{Type: "test.typed", Inline: true, Inputs: []node.Port{literal("type", "string", false)}}, Bind: typed},
		{Spec: node.Spec{Type: "test.ports", Inline: true, Inputs: []node.Port{literal("count", "int", false)}}, Bind: manyPorts},
		{Spec: node.Spec{Type: "test.needs", Inline: true, Inputs: []node.Port{literal("port", "string", false)}}, Bind: needs},
	}
}

func partial(name string) node.Port {
	p := input(name, "any", true)
	p.Partial = true
	return p
}

type text struct {
	Text string `port:"text" doc:"The text."`
}

func upper(_ context.Context, in text) (text, error) {
	return text{strings.ToUpper(in.Text)}, nil
}

// maybeInputs returns one optional input of each kind.
func maybeInputs() []node.Port {
	preset := input("preset", "string", false)
	preset.Default = "default"
	items := input("items", "list<any>", true)
	return []node.Port{input("value", "any", true), preset, items}
}

// maybe emits the inputs that have a value.
func maybe(_ context.Context, in, out []any) error {
	got := map[string]any{}
	for i, name := range []string{"value", "preset", "items"} {
		if node.Present(in[i]) {
			got[name] = in[i]
		}
	}
	out[0] = got
	return nil
}

func branch(_ context.Context, in, out []any) error {
	v := in[1]
	if !node.Present(v) {
		v = in[0]
	}
	if in[0] == true {
		out[0] = v
	} else {
		out[1] = v
	}
	return nil
}

// side returns an output that is not always emitted.
func side(name string) node.Port {
	p := output(name, "any")
	p.Optional = true
	return p
}

func merge(_ context.Context, in, out []any) error {
	for _, v := range in {
		if node.Present(v) {
			out[0] = v
			break
		}
	}
	return nil
}

// typed passes a value through ports whose type is in the config.
func typed(b node.Binding) (node.Bound, []node.Problem) {
	name, _ := b.Config["type"].(string)
	t, err := value.ParseType(name)
	if err != nil {
		return node.Bound{}, []node.Problem{node.Invalid("type", "%v", err)}
	}
	return node.Bound{
		Inputs:  []node.Port{{Name: "value", Type: t}, b.Spec.Inputs[0]},
		Outputs: []node.Port{{Name: "value", Type: t}},
		Call:    pass,
	}, nil
}

// needs has an input with a configured name, and reports it as missing if it has neither a
// value nor a wire.
func needs(b node.Binding) (node.Bound, []node.Problem) {
	name, _ := b.Config["port"].(string)
	if _, given := b.Config[name]; !given && !b.Wired(name) {
		return node.Bound{}, []node.Problem{{Code: engine.CodeMissingRequiredInput, Port: name, Message: "nothing feeds it"}}
	}
	return node.Bound{
		Inputs:  []node.Port{{Name: name}, b.Spec.Inputs[0]},
		Outputs: []node.Port{{Name: "value"}},
		Call:    pass,
	}, nil
}

const maxPorts = 10_000

// manyPorts has a configured number of optional inputs and outputs.
func manyPorts(b node.Binding) (node.Bound, []node.Problem) {
	count, _ := b.Config["count"].(int)
	if count > maxPorts {
		return node.Bound{}, []node.Problem{node.Invalid("count", "more than %d ports", maxPorts)}
	}
	made := node.Bound{Call: func(_ context.Context, in, out []any) error { copy(out, in[1:]); return nil }}
	made.Inputs = append(made.Inputs, b.Spec.Inputs[0])
	for i := range count {
		made.Inputs = append(made.Inputs, node.Port{Name: fmt.Sprintf("in%d", i), Optional: true})
		made.Outputs = append(made.Outputs, node.Port{Name: fmt.Sprintf("out%d", i)})
	}
	return made, nil
}

// listing returns the node types with list ports, for fan-in.
func listing() []node.Node {
	gather := func(typ, elem string, optional bool) node.Node {
		list := "list<" + elem + ">"
		return static(typ, []node.Port{input("items", list, optional)}, []node.Port{output("items", list)}, pass).Inline()
	}
	return []node.Node{
		gather("test.list", "any", false),
		gather("test.list_opt", "any", true),
		gather("test.strings", "string", false),
		gather("test.lists", "list<any>", false),
	}
}
