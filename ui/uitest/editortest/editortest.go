// Package editortest has node types and documents for tests of the editor.
package editortest

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/layout/cards"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/nodes"
	"github.com/svcflow/svc/ui/editor/doc"
)

// Registry has the built-in node types and two services, whose nodes are drawn as
// circles.
func Registry(t testing.TB) *node.Registry {
	t.Helper()
	plugins := append(nodes.Builtin(nodes.Env{}), service("pronet", "#0A66C2"), service("microblog", "#000000"))
	registry, err := node.NewRegistry(plugins...)
	require.NoError(t, err)
	return registry
}

// Specs returns the node types of [Registry].
func Specs(t testing.TB) *doc.Specs {
	t.Helper()
	registry := Registry(t)
	return doc.NewSpecs(registry.Specs(), cards.BoundPorts(registry))
}

func service(name, color string) node.Plugin {
	in := func(name, typ string) node.Port { return node.Port{Name: name, Type: value.MustType(typ)} }
	plain := func(typ, label string, inputs, outputs []node.Port) node.Node {
		spec := node.Spec{Type: name + "." + typ, Label: label, Inputs: inputs, Outputs: outputs}
		return node.Node{Spec: spec, Bind: node.Static(inputs, outputs, nil)}
	}
	return node.Bundle{
		Name: name, Card: node.Card{Shape: "circle", Size: 64, Color: color, Icon: "people"},
		Nodes: []node.Node{
			plain("search", "Search posts",
				[]node.Port{in("credential", "credential"), in("query", "string"), {Name: "limit", Type: value.Int(), Default: 10}},
				[]node.Port{in("posts", "list<record{id:string,text:string}>"), in("count", "int")}),
			plain("send", "Send message",
				[]node.Port{in("credential", "credential"), in("to", "string"), in("text", "string")},
				[]node.Port{in("id", "string"), in("success", "bool"), in("error", "string")}),
		},
	}
}

// Open parses a document.
func Open(t testing.TB, text string) *doc.Document {
	t.Helper()
	def, err := workflow.Decode([]byte(text), workflow.DefaultLimits())
	require.NoError(t, err)
	return doc.New(def, Specs(t))
}

// Text returns the document as JSON.
func Text(t testing.TB, d *doc.Document) string {
	t.Helper()
	data, err := d.Definition().MarshalJSON()
	require.NoError(t, err)
	return string(data)
}

// Greet has three nodes in a row, in a group, and a note.
const Greet = `{"id":"greet","name":"","nodes":[` +
	`{"id":"who","type":"io.input","config":{"default":"World","name":"who","type":"string"},"position":{"x":0,"y":0}},` +
	`{"id":"fmt","type":"text.format","label":"","config":{"template":"Hello, {name}!"},"position":{"x":240,"y":0},"disabled":false},` +
	`{"id":"out","type":"io.output","config":{"name":"greeting"},"position":{"x":520,"y":0}}],` +
	`"connections":[{"fromNodeId":"who","fromPort":"value","toNodeId":"fmt","toPort":"name"},` +
	`{"fromNodeId":"fmt","fromPort":"result","toNodeId":"out","toPort":"value"}],` +
	`"groups":[{"id":"g1","label":"Greeting","nodeIds":["fmt"],"color":"#888888"}],` +
	`"notes":[{"id":"n1","text":"Says hello.","position":{"x":0,"y":200},"size":{"w":160,"h":80}}]}`

// Empty is an empty document.
const Empty = `{"id":"empty","nodes":[],"connections":[]}`

// Strange has parts that no editor would create: an unknown type with wires, a node without a
// position, a duplicate id, a wire that leads nowhere, an empty body.
const Strange = `{"id":"strange","nodes":[` +
	`{"id":"a","type":"acme.unknown","config":{"deep":{"list":[1,2.5,null]}},"retry":{}},` +
	`{"id":"b","type":"text.format","config":{"template":"{x}"}},` +
	`{"id":"b","type":"acme.other"},` +
	`{"id":"loop","type":"control.foreach","body":{"nodes":[],"connections":[]}}],` +
	`"connections":[{"fromNodeId":"a","fromPort":"made","toNodeId":"b","toPort":"x"},` +
	`{"fromNodeId":"gone","fromPort":"x","toNodeId":"b","toPort":"y"}],"groups":[],"notes":[{"id":"n"}]}`

// Out returns the reference of an output.
func Out(id, port string) cards.PortRef { return cards.PortRef{Node: id, Port: port, Output: true} }

// In returns the reference of an input.
func In(id, port string) cards.PortRef { return cards.PortRef{Node: id, Port: port, Output: false} }

// Conn returns a connection.
func Conn(from, fromPort, to, toPort string) workflow.Connection {
	return workflow.Connection{FromNodeID: from, FromPort: fromPort, ToNodeID: to, ToPort: toPort}
}

// Chain greets in four steps; one of them has two wires.
const Chain = `{"id":"chain","nodes":[` +
	`{"id":"who","type":"io.input","config":{"name":"who","type":"string"}},` +
	`{"id":"up","type":"text.transform","config":{"mode":"upper","text":"x"}},` +
	`{"id":"fmt","type":"text.format","config":{"template":"{a} is {b}"}},` +
	`{"id":"len","type":"text.length"},` +
	`{"id":"out","type":"io.output","config":{"name":"text"}},` +
	`{"id":"count","type":"io.output","config":{"name":"count"}}],` +
	`"connections":[{"fromNodeId":"who","fromPort":"value","toNodeId":"up","toPort":"text"},` +
	`{"fromNodeId":"who","fromPort":"value","toNodeId":"fmt","toPort":"a"},` +
	`{"fromNodeId":"up","fromPort":"text","toNodeId":"fmt","toPort":"b"},` +
	`{"fromNodeId":"fmt","fromPort":"result","toNodeId":"len","toPort":"text"},` +
	`{"fromNodeId":"fmt","fromPort":"result","toNodeId":"out","toPort":"value"},` +
	`{"fromNodeId":"len","fromPort":"length","toNodeId":"count","toPort":"value"}],` +
	`"groups":[{"id":"whole","nodeIds":["up","fmt"]},{"id":"part","nodeIds":["who","up"]}]}`

// Mixed has ports of many types.
const Mixed = `{"id":"mixed","nodes":[` +
	`{"id":"s","type":"io.input","config":{"name":"s","required":true,"type":"string"}},` +
	`{"id":"n","type":"io.input","config":{"name":"n","required":true,"type":"int"}},` +
	`{"id":"l","type":"io.input","config":{"name":"l","required":true,"type":"list<string>"}},` +
	`{"id":"any","type":"io.input","config":{"name":"any"}},` +
	`{"id":"enc","type":"text.encode"},{"id":"join","type":"text.concat"},{"id":"search","type":"pronet.search"},` +
	`{"id":"len","type":"text.length"},{"id":"what","type":"acme.unknown"}],` +
	`"connections":[{"fromNodeId":"enc","fromPort":"text","toNodeId":"len","toPort":"text"},` +
	`{"fromNodeId":"l","fromPort":"value","toNodeId":"what","toPort":"in"}]}`

// Lattice returns a document of n nodes in rows of 40, with about two wires each.
func Lattice(n int) *workflow.Definition {
	const perRow = 40
	def := &workflow.Definition{ID: "lattice"}
	name := func(i int) string { return "n" + strconv.Itoa(i) }
	for i := range n {
		at := &workflow.Position{X: float64(i%perRow) * 240, Y: float64(i/perRow) * 140}
		typ, config := "text.join", map[string]any{"delimiter": ", "}
		if i%5 == 4 {
			typ, config = "pronet.send", map[string]any{"credential": "pronet:main"}
		}
		def.Nodes = append(def.Nodes, workflow.Node{ID: name(i), Type: typ, Config: config, Position: at})
		for _, before := range []int{i - 1, i - perRow} {
			if before < 0 {
				continue
			}
			from, to := "text", "parts"
			if before%5 == 4 {
				from = "id"
			}
			if i%5 == 4 {
				to = "text"
			}
			if i%5 == 4 && before != i-1 {
				to = "to"
			}
			def.Connections = append(def.Connections, Conn(name(before), from, name(i), to))
		}
	}
	return def
}
