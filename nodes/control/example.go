package control

import "github.com/svcflow/svc/engine/node"

// greeting is the example of containers: a body that makes a greeting of a name.
func greeting() *node.Example {
	position := func(x, y int) map[string]any { return map[string]any{"x": x, "y": y} }
	return &node.Example{Body: map[string]any{
		"nodes": []any{
			map[string]any{"id": "item", "type": "io.input", "config": map[string]any{"name": "item", "default": "Ada"}, "position": position(0, 0)},
			map[string]any{"id": "greet", "type": "text.format", "config": map[string]any{"template": "Hello, {who}!"}, "position": position(320, 0)},
			map[string]any{"id": "text", "type": "io.output", "config": map[string]any{"name": "text"}, "position": position(640, 0)},
		},
		"connections": []any{
			map[string]any{"fromNodeId": "item", "fromPort": "value", "toNodeId": "greet", "toPort": "who"},
			map[string]any{"fromNodeId": "greet", "fromPort": "result", "toNodeId": "text", "toPort": "value"},
		},
	}}
}
