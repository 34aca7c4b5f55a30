package main

import (
	"encoding/json"
	"io/fs"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/nodes"
)

// TestNodeTypesAreTranslated proves that each language names every node type and category,
// and nothing else.
func TestNodeTypesAreTranslated(t *testing.T) {
	words := map[string]bool{}
	for _, spec := range everyType(t) {
		words[spec.Label], words[spec.Category] = true, true
	}
	files, err := fs.Glob(nodes.Translations(), "translations/*.json")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		known := wordsOf(t, file)
		for word := range words {
			require.NotEmpty(t, known[word], "%s has no %q", file, word)
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
