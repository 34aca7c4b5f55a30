package main

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes"
	"github.com/svcflow/svc/ui/editor/doc"
)

// TestTranslationsOfNodeTypesAreUsed proves that the translations of names of node types and
// categories, and of the first sentences of nodes and ports, all belong to a text that exists.
// A text without a translation is shown in English.
func TestTranslationsOfNodeTypesAreUsed(t *testing.T) {
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
	compare(t, "translations/*.json", words)
}

// TestTranslationsOfDescriptionsAreUsed proves the same for the rest of descriptions, after the
// first sentence, and that a translation has the values of its text.
func TestTranslationsOfDescriptionsAreUsed(t *testing.T) {
	values := regexp.MustCompile("`[^`]+`")
	alone := regexp.MustCompile("^Example: (`[^`]+`( = |, |\\.|, and )?)+$")
	paragraphs := map[string]bool{"Example:": true}
	for _, spec := range everyType(t) {
		_, rest := doc.FirstSentence(spec.Description)
		for p := range strings.SplitSeq(rest, "\n\n") {
			if p = strings.TrimSpace(p); p != "" && !alone.MatchString(p) {
				paragraphs[p] = true
			}
		}
	}
	require.Greater(t, len(paragraphs), 200, "descriptions are not found any more")
	for _, file := range compare(t, "translations/more/*.json", paragraphs) {
		for text, said := range wordsOf(t, file) {
			require.ElementsMatch(t, values.FindAllString(text, -1), values.FindAllString(said, -1), "%s: %s", file, text)
		}
	}
}

// compare proves that the files of all languages have no other words than these. `make
// translations` sets SVC_LIST_TRANSLATIONS, with which it prints the words that they lack.
func compare(t *testing.T, pattern string, words map[string]bool) (files []string) {
	t.Helper()
	files, err := fs.Glob(nodes.Translations(), pattern)
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		known := wordsOf(t, file)
		for word := range words {
			if known[word] == "" && os.Getenv("SVC_LIST_TRANSLATIONS") != "" {
				fmt.Printf("missing translation: nodes/%s: %q\n", file, word)
			}
		}
		for word := range known {
			require.True(t, words[word], "%s has %q, which no node type has: delete or update it", file, word)
		}
	}
	return files
}

// wordsOf returns the translations in a file, by their English texts.
func wordsOf(t *testing.T, file string) (known map[string]string) {
	t.Helper()
	text, err := fs.ReadFile(nodes.Translations(), file)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &known))
	return known
}
