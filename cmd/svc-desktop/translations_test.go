package main

import (
	"encoding/json"
	"io/fs"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes"
	"github.com/svcflow/svc/ui/editor/doc"
)

// TestNodeTypesAreTranslated proves that each language names every node type and category,
// says what each node and port is for, and has nothing else.
func TestNodeTypesAreTranslated(t *testing.T) {
	words := map[string]bool{}
	for _, spec := range everyType(t) {
		first, _ := doc.FirstSentence(spec.Description)
		words[spec.Label], words[spec.Category], words[first] = true, true, true
		for _, ports := range [][]node.Port{spec.Inputs, spec.Outputs, node.ControlInputs(), node.ControlOutputs()} {
			for i := range ports {
				words[ports[i].Description] = true
			}
		}
	}
	delete(words, "")
	files, err := fs.Glob(nodes.Translations(), "translations/*.json")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		known := wordsOf(t, file)
		for word := range words {
			if known[word] == "" {
				t.Errorf("%s has no %q", file, word)
			}
		}
		for word := range known {
			require.True(t, words[word], "%s has %q, which nothing is called", file, word)
		}
	}
}

// wordsOf returns what a file calls node types, by what they are called in English.
func wordsOf(t *testing.T, file string) (known map[string]string) {
	t.Helper()
	text, err := fs.ReadFile(nodes.Translations(), file)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &known))
	return known
}
