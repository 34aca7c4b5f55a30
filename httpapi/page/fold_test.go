package page_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
)

// folded computes the states of the vectors with the script.
const folded = `
const fs = require('fs');
const {newState, apply, stateOf, inside} = new Function(fs.readFileSync('js/fold.js', 'utf8') + 'return {newState, apply, stateOf, inside};')();
const rows = (nodes) => nodes.flatMap((node) => [node, ...rows(node.inner)]);
const nodeShown = ({running, inner, name, ...node}) => ({
  ...node, state: stateOf({running, ...node}), inside: inside({inner}),
  running: [...running.values()].sort((a, b) => a.path < b.path ? -1 : 1),
});
console.log(JSON.stringify(JSON.parse(fs.readFileSync('../../engine/fold/testdata/vectors.json', 'utf8')).map((vector) => {
  const state = newState();
  for (const event of vector.events) apply(state, event.name, event.data);
  const {nodes, top, ...rest} = state;
  return {...rest, rows: rows(top).map((node) => node.name), nodes: Object.fromEntries([...nodes].map(([name, node]) => [name, nodeShown(node)]))};
})));`

// TestScriptFoldsAsTheEngine checks that the page computes the state of a run like package
// engine/fold.
func TestScriptFoldsAsTheEngine(t *testing.T) {
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("there is no Node.js to run the script with; `make e2e` runs this test, and fails without it")
	}
	text, err := os.ReadFile("../../engine/fold/testdata/vectors.json")
	require.NoError(t, err)
	var vectors []struct {
		Name  string
		State any
	}
	require.NoError(t, json.Unmarshal(text, &vectors))
	cmd := exec.CommandContext(t.Context(), "node", "-e", folded)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	require.NoError(t, err)
	var states []any
	require.NoError(t, json.Unmarshal(out, &states))
	require.NotEmpty(t, vectors)
	require.Len(t, states, len(vectors))
	for i, v := range vectors {
		require.Equal(t, v.State, states[i], v.Name)
	}
}
