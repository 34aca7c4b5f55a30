package ionode

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

// inputNode returns the node io.input: an input of the workflow.
func inputNode() node.Node {
	return node.Node{
		Spec: node.Spec{
			Type: "io.input", Label: "Input", Role: node.RoleInput, Inline: true,
			Aliases: node.Words("parameter, argument, start", "eingabe, parameter, start"),
			Example: &node.Example{Config: map[string]any{"name": "who", "default": "Ada"}},
			Description: "An input of the workflow. Whoever starts the workflow gives its value by name; inside a loop or " +
				"sub-workflow it is a port of the surrounding node.\n\n" +
				"Neither given nor defaulted, it is null, unless it is `required`.\n\n" +
				"Example: `name` = `city`, `type` = `string`, `default` = `Paris`.",
			Inputs: []node.Port{
				{Name: "name", Type: value.String(), Literal: true, Description: "What callers call this input; each name once per workflow."},
				{Name: "type", Type: value.String(), Default: "any", Literal: true, Description: "Type of the value, for example `int`, `list<string>` or `record{id:string,note:string?}`."},
				{Name: "default", Type: value.Any(), Optional: true, Literal: true, Widget: "json", Description: "Value when the caller gives none."},
				{Name: "required", Type: value.Bool(), Default: false, Literal: true, Description: "Refuse to start without a value."},
				{Name: "description", Type: value.String(), Optional: true, Literal: true, Description: "What callers should know about this input."},
			},
			Outputs: []node.Port{{Name: "value", Type: value.Any(), Description: "The value that was given, else the default, else null."}},
		},
		Bind: bindInput,
	}
}

// outputNode returns the node io.output: an output of the workflow.
func outputNode() node.Node {
	return node.Node{
		Spec: node.Spec{
			Type: "io.output", Label: "Output", Role: node.RoleOutput, Inline: true,
			Aliases: node.Words("result, return, end", "ausgabe, ergebnis, rückgabe"),
			Example: &node.Example{Config: map[string]any{"name": "greeting"}},
			Description: "An output of the workflow: what arrives here is handed to the caller under this name; inside a loop or " +
				"sub-workflow it is an output of the surrounding node.\n\n" +
				"Example: `name` = `greeting`, with a wire into `value`.",
			Inputs: []node.Port{
				{Name: "name", Type: value.String(), Literal: true, Description: "What callers call this output; each name once per workflow."},
				{Name: "value", Type: value.Any(), Description: "What to hand to the caller."},
			},
		},
		Bind: bindOutput,
	}
}

func bindInput(b node.Binding) (node.Bound, []node.Problem) {
	c := &config{Binding: b}
	boundary := node.Port{Name: c.name(), Type: c.typ(), Optional: !read(c, "required", false), Description: read(c, "description", "")}
	if v := b.Config["default"]; v != nil && len(c.problems) == 0 {
		var err error
		if boundary.Default, err = value.Conform(v, boundary.Type); err != nil {
			c.invalid("default", "the default is no %s: %v", boundary.Type, err)
		}
	}
	if boundary.Optional && boundary.Default == nil {
		boundary.Type = boundary.Type.OrNull()
	}
	outputs := []node.Port{b.Spec.Outputs[0]}
	outputs[0].Type = boundary.Type
	return node.Bound{Inputs: b.Spec.Inputs, Outputs: outputs, Boundary: &boundary}, c.problems
}

func bindOutput(b node.Binding) (node.Bound, []node.Problem) {
	c := &config{Binding: b}
	boundary := node.Port{Name: c.name(), Type: value.Any(), Description: "Output of the workflow."}
	return node.Bound{Inputs: b.Spec.Inputs, Boundary: &boundary}, c.problems
}

// config reads the literals of one node and collects the mistakes in them.
type config struct {
	node.Binding

	problems []node.Problem
}

func (c *config) invalid(port, format string, args ...any) {
	c.problems = append(c.problems, node.Invalid(port, format, args...))
}

// read returns the literal of port, or def if the document has none.
func read[T any](c *config, port string, def T) T {
	v, given := c.Config[port]
	if !given || v == nil {
		return def
	}
	x, ok := v.(T)
	if !ok {
		c.invalid(port, "expected %T, got %s", def, value.KindOf(v))
		return def
	}
	return x
}

func (c *config) typ() value.Type {
	t, err := value.ParseType(read(c, "type", "any"))
	if err != nil {
		c.invalid("type", "%v", err)
	}
	return t
}

// maxName is the longest name, in characters.
const maxName = 200

// name reads the name by which callers refer to the input or output. It is used as a key of
// records and a port of containers, never as a path.
func (c *config) name() string {
	name := read(c, "name", "")
	switch {
	case name == "":
		if len(c.problems) == 0 {
			c.invalid("name", "give it a name, by which callers know it")
		}
	case !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl):
		c.invalid("name", "a name holds no control characters")
	case utf8.RuneCountInString(name) > maxName:
		c.invalid("name", "a name has at most %d characters", maxName)
	}
	return name
}
