package jsonnode

import (
	"context"
	"fmt"
	"slices"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

func pointerGetNode() node.Node {
	spec := node.Spec{
		Type:    "json.pointer_get",
		Label:   "Get by pointer",
		Aliases: node.Words("get field, pick, property", "feld lesen, eigenschaft"),
		Example: &node.Example{Config: map[string]any{"value": map[string]any{"name": "Ada"}, "pointer": "/name"}},
		Description: "Reads one part of a value, named by a JSON pointer (RFC 6901).\n\n" +
			"With the pointer `/items/0/name`, `{\"items\": [{\"name\": \"Ada\"}]}` gives `Ada`. The empty pointer is the whole value. " +
			"In field names write `~0` for ~ and `~1` for /, so that `/a~1b` is the field a/b.\n\n" +
			"Nothing there is no failure: `found` is false.",
		Inputs: []node.Port{
			{Name: "value", Type: value.Any(), Description: "The value to look into."},
			{Name: "pointer", Type: value.String(), Description: "Where to look, as a JSON pointer such as /items/0/name."},
		},
		Outputs: []node.Port{
			{Name: "result", Type: value.Any(), Description: "What is there; null if nothing is."},
			{Name: "found", Type: value.Bool(), Description: "Whether anything is there; null is something."},
		},
		Pure: true,
	}
	return node.Node{Spec: spec, Bind: node.Static(spec.Inputs, spec.Outputs, pointerGet)}
}

// pointerGet is not a [node.Func], which would check the result. A part of a value is a
// valid value, and the check would take longer than the search.
func pointerGet(_ context.Context, in, out []any) error {
	tokens, err := parsePointer(in[1].(string))
	if err != nil {
		return err
	}
	out[0], out[1] = lookUp(in[0], tokens)
	return nil
}

type pointerSetIn struct {
	Value   any    `port:"value" doc:"The value to change; a changed copy goes out."`
	Pointer string `port:"pointer" doc:"What to set, as a JSON pointer such as /items/0/name."`
	To      any    `port:"to" doc:"What to put there."`
}

type pointerSetOut struct {
	Value any `port:"value" doc:"The changed value."`
}

func pointerSetNode() node.Node {
	return node.Func("json.pointer_set", "Set by pointer", pointerSet).Pure().
		Aliases("set field, change property", "feld setzen, eigenschaft ändern").
		Example(map[string]any{"value": map[string]any{"name": "Ada"}, "pointer": "/name"}).Doc(
		"Sets one part of a value, named by a JSON pointer (RFC 6901).\n\n" +
			"With the pointer `/user/name` and `Ada`, `{\"user\": {\"id\": 1}}` becomes `{\"user\": {\"id\": 1, \"name\": \"Ada\"}}`.\n\n" +
			"A field is set or added, an item of a list replaced; `/items/-` appends to the list. What is missing or null on the way is made: " +
			"a list if `-` or `0` comes next, else a record. The empty pointer sets the whole value.")
}

func pointerSet(_ context.Context, in pointerSetIn) (pointerSetOut, error) {
	tokens, err := parsePointer(in.Pointer)
	if err != nil {
		return pointerSetOut{}, err
	}
	out, err := set(in.Value, tokens, in.To)
	if err != nil {
		return pointerSetOut{}, node.Errorf(node.CodeInvalidInput, "%s cannot be set: %w", cut(in.Pointer), err)
	}
	return pointerSetOut{out}, nil
}

// set sets the value that the tokens refer to, and creates missing containers on the path.
func set(v any, tokens []string, to any) (any, error) {
	if len(tokens) == 0 {
		return to, nil
	}
	if len(tokens) > value.MaxDepth {
		return nil, fmt.Errorf("it leads deeper than %d", value.MaxDepth)
	}
	token := tokens[0]
	if v == nil {
		if v = any(map[string]any{}); token == endToken || token == "0" {
			v = []any{}
		}
	}
	below, _ := member(v, token)
	below, err := set(below, tokens[1:], to)
	if err != nil {
		return nil, err
	}
	if list, ok := v.([]any); ok {
		if i, isIndex := listIndex(token); token == endToken || isIndex && i == len(list) {
			return append(slices.Clip(list), below), nil
		}
	}
	if out, ok := put(v, token, below); ok {
		return out, nil
	}
	return nil, missing(v, token)
}
