package page_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
)

// viewed computes the views of the vectors with the script.
const viewed = `
const fs = require('fs');
const {viewOf} = new Function(['json', 'view', 'media'].map((name) => fs.readFileSync('js/' + name + '.js', 'utf8')).join('\n') + 'return {viewOf};')();
const vectors = JSON.parse(fs.readFileSync(process.argv[1], 'utf8'));
console.log(JSON.stringify(vectors.map(({value, kind, columns}) => viewOf(value, {kind, columns}))));
`

// TestThePageShowsValuesAsEverybodyDoes checks the script against the test vectors of package
// engine/value/view.
func TestThePageShowsValuesAsEverybodyDoes(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("there is no Node.js here: make e2e wants it")
	}
	const file = "../../engine/value/view/testdata/vectors.json"
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	var vectors []struct {
		View json.RawMessage `json:"view"`
	}
	require.NoError(t, json.Unmarshal(text, &vectors))
	out, err := exec.CommandContext(t.Context(), node, "-e", viewed, file).CombinedOutput()
	require.NoError(t, err, "%s", out)
	var views []json.RawMessage
	require.NoError(t, json.Unmarshal(out, &views), "%s", out)
	require.Len(t, views, len(vectors))
	for i := range vectors {
		require.JSONEq(t, string(vectors[i].View), string(views[i]))
	}
}
