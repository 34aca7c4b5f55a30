package control

import (
	"strings"

	"github.com/svcflow/svc/engine/node"
)

// pages is the example of a while: a body that reads page after page and collects their
// items. A filter takes the place of the request, so that it runs anywhere; it gives three
// pages of two items.
func pages() *node.Example {
	n := func(id, typ string, x, y int, config map[string]any) any {
		return map[string]any{"id": id, "type": typ, "config": config, "position": map[string]any{"x": x, "y": y}}
	}
	query := func(id, filter string, x, y int) any {
		return n(id, "json.query", x, y, map[string]any{"filter": filter})
	}
	output := func(name string, y int) any {
		return n("out-"+name, "io.output", 1280, y, map[string]any{"name": name})
	}
	return &node.Example{Body: map[string]any{
		"nodes": []any{
			n("page", "io.input", 0, 0, map[string]any{"name": "page", "type": "int", "default": 1}),
			n("sofar", "io.input", 0, 320, map[string]any{"name": "items", "type": "list<any>", "default": []any{}}),
			query("fetch", "{items: [. * 2 - 1, . * 2], more: (. < 3)}", 320, 160),
			query("items", ".items", 640, 320),
			query("more", ".more", 640, 480),
			query("next", ". + 1", 640, 0),
			n("together", "listops.concat", 960, 320, map[string]any{}),
			output("page", 0), output("items", 320), output("continue", 480),
		},
		"connections": wires("page.value→fetch.value", "fetch.result→items.value", "fetch.result→more.value", "page.value→next.value",
			"sofar.value→together.lists", "items.result→together.lists",
			"next.result→out-page.value", "together.result→out-items.value", "more.result→out-continue.value"),
	}}
}

// wires makes connections of texts like "a.result→b.value".
func wires(texts ...string) []any {
	all := make([]any, len(texts))
	for i, text := range texts {
		from, to, _ := strings.Cut(text, "→")
		fromNode, fromPort, _ := strings.Cut(from, ".")
		toNode, toPort, _ := strings.Cut(to, ".")
		all[i] = map[string]any{"fromNodeId": fromNode, "fromPort": fromPort, "toNodeId": toNode, "toPort": toPort}
	}
	return all
}
