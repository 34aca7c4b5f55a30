package main

import (
	"encoding/json"
	"fmt"
	"strconv"
)

// object is a JSON object of a document.
type object = map[string]any

// document is a workflow whose input "text" and output "result" are the nodes in
// and out.
func document(id string, nodes, connections []object) []byte {
	nodes = append(nodes,
		object{"id": "in", "type": "io.input", "config": object{"name": "text", "type": "string", "default": "hello"}},
		object{"id": "out", "type": "io.output", "config": object{"name": "result"}})
	text, _ := json.Marshal(object{"id": id, "name": id, "nodes": nodes, "connections": connections}) // of strings only
	return text
}

func connection(from, output, to, input string) object {
	return object{"fromNodeId": from, "fromPort": output, "toNodeId": to, "toPort": input}
}

// chainDocument sends a text through n nodes in a row: upper case for one, a dot
// more from each of several.
func chainDocument(id string, n int) []byte {
	var nodes, connections []object
	from, output := "in", "value"
	for i := range n {
		step := object{"id": "t" + strconv.Itoa(i), "type": "text.format", "config": object{"template": "{text}."}}
		connections = append(connections, connection(from, output, "t"+strconv.Itoa(i), "text"))
		from, output = "t"+strconv.Itoa(i), "result"
		if n == 1 {
			step["type"], step["config"], output = "text.transform", object{"mode": "upper"}, "text"
		}
		nodes = append(nodes, step)
	}
	return document(id, nodes, append(connections, connection(from, output, "out", "value")))
}

// ordersDocument parses a text like that of ordersText, and adds up what its large
// orders are worth.
func ordersDocument(id string) []byte {
	nodes := []object{
		{"id": "parse", "type": "json.parse"},
		{"id": "items", "type": "json.pointer_get", "config": object{"pointer": "/data/items"}},
		{"id": "map", "type": "listops.map", "config": object{"expression": "{id: item.id, active: item.active, total: item.price * item.qty}"}},
		{"id": "filter", "type": "listops.filter", "config": object{"expression": "item.active && item.total > 100"}},
		{"id": "sum", "type": "listops.sum", "config": object{"by": "item.total"}},
	}
	return document(id, nodes, []object{
		connection("in", "value", "parse", "text"), connection("parse", "value", "items", "value"), connection("items", "result", "map", "list"),
		connection("map", "result", "filter", "list"), connection("filter", "result", "sum", "list"), connection("sum", "sum", "out", "value"),
	})
}

// ordersText is a JSON text of n orders, about 107 KB for 1,000.
func ordersText(n int) string {
	items := make([]object, n)
	for i := range items {
		items[i] = object{
			"id": i, "name": fmt.Sprintf("item-%04d", i), "category": string(rune('a' + i%5)), "price": float64(i%97) + 0.25,
			"qty": 1 + i%9, "active": i%3 > 0, "note": fmt.Sprint("lorem ipsum x", i),
		}
	}
	text, _ := json.Marshal(object{"meta": object{"n": n}, "data": object{"items": items}}) // of plain values only
	return string(text)
}

// fetchDocument asks the address that it is given n times at once and joins the
// answers.
func fetchDocument(id string, n int) []byte {
	nodes := []object{{"id": "join", "type": "text.concat"}}
	connections := []object{connection("join", "text", "out", "value")}
	for i := range n {
		step := "t" + strconv.Itoa(i)
		nodes = append(nodes, object{"id": step, "type": "io.http_request"})
		connections = append(connections, connection("in", "value", step, "url"), connection(step, "body", "join", "parts"))
	}
	return document(id, nodes, connections)
}

// inputsOf is the body that starts a workflow with a text.
func inputsOf(text string) []byte {
	body, _ := json.Marshal(object{"inputs": object{"text": text}}) // of strings only
	return body
}

// withInputs is the body that runs a document with the inputs of a body of inputsOf.
func withInputs(document, inputs []byte) []byte {
	return append(append([]byte(`{"workflow":`), document...), append([]byte(","), inputs[1:]...)...)
}

// fanDocument sends a text through n nodes side by side and joins what they give.
func fanDocument(id string, n int) []byte {
	nodes := []object{{"id": "join", "type": "text.concat"}}
	connections := []object{connection("join", "text", "out", "value")}
	for i := range n {
		step := "t" + strconv.Itoa(i)
		nodes = append(nodes, object{"id": step, "type": "text.format", "config": object{"template": "{text}."}})
		connections = append(connections, connection("in", "value", step, "text"), connection(step, "result", "join", "parts"))
	}
	return document(id, nodes, connections)
}
