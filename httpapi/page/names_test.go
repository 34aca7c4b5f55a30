package page_test

import (
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
)

// named asks the script what went into and came out of a node whose ports have the names of
// what every object has, and what it makes of a value that looks almost like one left out.
const named = `
const fs = require('fs');
const js = (name) => fs.readFileSync('js/' + name + '.js', 'utf8');
const {newState, apply, isElided, inputsOf, carried, outputsOf} = new Function(
  js('fold') + js('run') + 'return {newState, apply, isElided, inputsOf, carried, outputsOf};')();
const state = newState();
const event = (nodeId, outputs) => apply(state, 'event', {seq: 1, nodeId, status: 'succeeded', time: '2026-01-01T00:00:00Z', outputs, durationMs: 1, attempts: 1});
const odd = ['constructor', 'toString', '__proto__', 'hasOwnProperty'];
event('constructor', JSON.parse('{"__proto__":1,"constructor":[1,2]}'));
const wires = odd.map((port) => ({fromNodeId: 'constructor', fromPort: port, toNodeId: 'b', toPort: port}));
const run = {def: {nodes: [{id: 'b', config: JSON.parse('{"__proto__":"set","x":1}')}], connections: wires}, state};
const full = {...run, full: {nodes: {}}};
console.log(JSON.stringify({
  inputs: Object.entries(inputsOf(run, 'b')),
  carried: wires.map((wire) => carried(run, wire)),
  full: wires.map((wire) => carried(full, wire)),
  items: Object.entries(state.nodes.get('constructor').items),
  elided: [{$elided: {}}, {$elided: {bytes: '1'}}, {$elided: null}, {$elided: {bytes: 1}}].map(isElided),
}));`

func TestTheScriptTakesEveryName(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("there is no Node.js here: make e2e wants it")
	}
	out, err := exec.CommandContext(t.Context(), node, "-e", named).CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.JSONEq(t, `{
		"inputs": [["__proto__",1],["x",1],["constructor",[1,2]]],
		"carried": [true,false,true,false], "full": [false,false,false,false],
		"items": [["__proto__",1],["constructor",2]],
		"elided": [false,false,false,true]
	}`, string(out))
}
