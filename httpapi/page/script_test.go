package page_test

import (
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// script evaluates ask in Node.js, after the given parts of the script, and decodes the resulting
// JSON. Elements are represented as lists: tag, attributes, children.
func script(t *testing.T, parts []string, ask string, into any) {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("there is no Node.js here: make e2e wants it")
	}
	const load = `
const fs = require('fs');
const window = {};
new Function('self', 'globalThis', 'exports', 'module', fs.readFileSync('vendor/marked.js', 'utf8'))(window, window);
const h = (tag, attributes, ...children) => ({toJSON: () => [tag, attributes || {}, children.flat(9).filter((child) => child !== null && child !== undefined && child !== false)]});
const table = (headings, rows) => h('table', null, headings, rows);
const [, names, ask] = process.argv;
const text = JSON.parse(names).map((name) => fs.readFileSync('js/' + name + '.js', 'utf8')).join('\n');
console.log(JSON.stringify(new Function('window', 'h', 'table', text + '\nreturn ' + ask)(window, h, table)));
`
	names, err := json.Marshal(parts)
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), node, "-e", load, string(names), ask)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(out, into), "%s", out)
}

func TestFaultsOfJSONHaveAPlace(t *testing.T) {
	tests := map[string]string{
		`{"a":1}`:           ``,
		` [1, "x\u00e4"] `:  ``,
		`{"a":1,}`:          `1:8 a name in quotes is expected here`,
		"{\n \"a\" 1}":      `2:6 a colon is expected here`,
		`[1,]`:              `1:4 a value is expected here`,
		`[1 2]`:             `1:4 a comma or the end of the list is expected here`,
		`{"a":1`:            `1:7 the text ends too early`,
		`{a:1}`:             `1:2 a name in quotes is expected here`,
		`"\x"`:              `1:1 a value is expected here`,
		`1 2`:               `1:3 the value has ended before this`,
		"[\"line\nbreak\"]": `1:2 a value is expected here`,
		`[01]`:              `1:3 a comma or the end of the list is expected here`,
		``:                  `1:1 there is nothing here`,
		`[tru]`:             `1:2 a value is expected here`,
	}
	texts := slices.Sorted(maps.Keys(tests))
	asked, err := json.Marshal(texts)
	require.NoError(t, err)
	var got []string
	script(t, []string{"json"}, string(asked)+`.map((text) => { const wrong = whereIn(text); return wrong ? wrong.line + ':' + wrong.column + ' ' + wrong.reason : ''; })`, &got)
	for i, text := range texts {
		require.Equal(t, tests[text], got[i], "%s", text)
		require.Equal(t, got[i] == "", json.Valid([]byte(text)), "%s", text)
	}
}

func TestPlacesOfValues(t *testing.T) {
	var places [][]any
	script(t, []string{"json"}, `[...placesIn('{"nodes": [{"id": "a/b"}, {}], "x~/": {"": 1}}')]`, &places)
	require.Equal(t, [][]any{{"", 0.0}, {"/nodes", 10.0}, {"/nodes/0", 11.0}, {"/nodes/0/id", 18.0}, {"/nodes/1", 26.0}, {"/x~0~1", 38.0}, {"/x~0~1/", 43.0}}, places)
}

// TestMarkdownIsElements checks that HTML in Markdown stays text, and that links only lead to web
// pages.
func TestMarkdownIsElements(t *testing.T) {
	var drawn any
	script(t, []string{"markdown"}, "markdown('# A *b*\\n\\n<script>x</script>\\n\\n[a](https://e.example/) [b](javascript:c) ![d](https://e.example/f.png) <b>')", &drawn)
	text, err := json.Marshal(drawn)
	require.NoError(t, err)
	require.JSONEq(t, `["div.markdown",{},[
	  ["p.heading",{"role":"heading","aria-level":3},["A ",["em",{},["b"]]]],
	  ["p",{},["<script>x</script>"]],
	  ["p",{},[["a",{"href":"https://e.example/","target":"_blank","rel":"noopener noreferrer","title":"https://e.example/"},["a"]]," ","b"," (javascript:c)"," ","[d] https://e.example/f.png"," ","<b>"]]]]`, string(text))
}

// TestStepsOfRounds checks that the steps of a chosen loop iteration are found, and that the number
// of stored steps is limited.
func TestStepsOfRounds(t *testing.T) {
	var got []any
	script(t, []string{"steps"}, `(() => {
	  const steps = newSteps();
	  for (let i = 0; i < 6000; i++) keepStep(steps, 'event', {nodeId: 'loop/' + i + '/fmt', status: 'succeeded', outputs: {n: i}});
	  keepStep(steps, 'event', {nodeId: 'loop', status: 'succeeded'});
	  const items = new Map([['loop', 5999]]);
	  return [steps.kept.size, steps.dropped, roundsOf(steps, ['loop'], items), stepPath(['loop', 'fmt'], items), stepPath(['loop', 'in', 'fmt'], items),
	    steps.kept.get(stepPath(['loop', 'fmt'], items)).outputs.n, stepPath(['top'], items), steps.kept.has('loop/0/fmt')];
	})()`, &got)
	require.Equal(t, []any{5000.0, true, 6000.0, "loop/5999/fmt", nil, 5999.0, "top", false}, got)
}

// TestNamesOfJavaScriptAreNames uses special names of JavaScript as names of ports and nodes.
func TestNamesOfJavaScriptAreNames(t *testing.T) {
	var got any
	script(t, []string{"json", "view", "names", "fold", "steps", "values"}, `(() => {
	  const def = {nodes: [{id: '__proto__'}, {id: 'b', config: {x: 1}}], connections: [
	    {fromNodeId: '__proto__', fromPort: 'constructor', toNodeId: 'b', toPort: '__proto__'}, {fromNodeId: '__proto__', fromPort: 'value', toNodeId: 'b', toPort: 'y'}]};
	  const run = {def, state: newState(), steps: newSteps(), items: new Map(), full: null};
	  apply(run.state, 'event', {time: '2026-01-01T00:00:00Z', nodeId: '__proto__', status: 'succeeded', outputs: {value: 7}});
	  return [Object.entries(inputsOf(run, 'b')), carried(run, [], def.connections[0]), carried(run, [], def.connections[1])];
	})()`, &got)
	require.Equal(t, []any{[]any{[]any{"x", 1.0}, []any{"y", 7.0}}, false, true}, got)
}

// TestValuesAreTakenAsTheyAre uses such names in values, and checks that only marked values count
// as truncated.
func TestValuesAreTakenAsTheyAre(t *testing.T) {
	var got any
	script(t, []string{"json", "view", "names", "fold", "steps", "values"}, `(() => {
	  const run = {def: {nodes: [{id: 'b', config: JSON.parse('{"__proto__":"set","x":1}')}], connections: []}, state: newState(), steps: newSteps(), items: new Map(), full: null};
	  run.def.connections = ['constructor', 'toString', '__proto__', 'hasOwnProperty'].map((port) => ({fromNodeId: 'constructor', fromPort: port, toNodeId: 'b', toPort: port}));
	  apply(run.state, 'event', {time: '2026-01-01T00:00:00Z', nodeId: 'constructor', status: 'succeeded', outputs: JSON.parse('{"__proto__":1,"constructor":[1,2]}')});
	  const full = {...run, full: {nodes: {}}};
	  return {
	    inputs: Object.fromEntries(Object.entries(inputsOf(run, 'b')).map(([name, value]) => ['in ' + name, value])),
	    carried: run.def.connections.map((wire) => carried(run, [], wire)),
	    full: run.def.connections.map((wire) => carried({...full, state: newState()}, [], wire)),
	    items: Object.entries(run.state.nodes.get('constructor').items),
	    elided: [{$elided: {}}, {$elided: {bytes: '1'}}, {$elided: null}, {$elided: {bytes: 1}}].map(isElided),
	  };
	})()`, &got)
	require.Equal(t, map[string]any{
		"inputs":  map[string]any{"in __proto__": 1.0, "in x": 1.0, "in constructor": []any{1.0, 2.0}},
		"carried": []any{true, false, true, false},
		"full":    []any{false, false, false, false},
		"items":   []any{[]any{"__proto__", 1.0}, []any{"constructor", 2.0}},
		"elided":  []any{false, false, false, true},
	}, got)
}

// TestBodiesOnCardsAreDrawn checks that a body shown on a card is drawn with the states of its run.
func TestBodiesOnCardsAreDrawn(t *testing.T) {
	var got any
	script(t, []string{"names", "scene", "graph"}, `(() => {
	  globalThis.shorten = (text) => text;
	  const port = (name, x, output) => ({name, type: 'int', x, y: 50, output});
	  const box = (id, x, y) => ({id, x, y, w: 144, h: 60, ports: [port('in', x), port('out', x + 144, true)]});
	  const body = {nodes: [{id: 'a', type: 't'}, {id: 'b', type: 't'}], connections: [{fromNodeId: 'a', fromPort: 'out', toNodeId: 'b', toPort: 'in'}]};
	  const level = {nodes: [{id: 'loop', type: 'l', body}], connections: []};
	  const inner = {x: 10, y: 60, w: 380, h: 130, nodes: [box('a', 34, 84), box('b', 220, 84)], notes: [], groups: [], wires: [{connection: 0, points: [{x: 178, y: 50}, {x: 220, y: 50}]}]};
	  const layout = {nodes: [{...box('loop', 0, 0), w: 400, h: 200, body: inner}], notes: [], groups: [], wires: []};
	  const all = {nodes: new Map(), boxes: new Map(), byName: new Map(), frames: [], wires: []};
	  const drawn = JSON.stringify(drawLevel(level, layout, new Map(), [], {}, all));
	  return {
	    names: [...all.nodes.keys()], wires: all.wires.map((wire) => [wire.level, wire.connection.toNodeId]),
	    ground: drawn.includes('rect.ground'), inside: drawn.includes('"data-id":"loop/b"'), wire: drawn.includes('"data-from":"loop/a"'),
	  };
	})()`, &got)
	require.Equal(t, map[string]any{
		"names": []any{"loop", "loop/a", "loop/b"}, "wires": []any{[]any{[]any{"loop"}, "b"}}, "ground": true, "inside": true, "wire": true,
	}, got)
}
