package ui

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/ui/wording"
)

// TestWordsOfTheEngineHaveAForm proves that the window knows everything that the compiler and
// the engine say in their own words, and that each language has it.
func TestWordsOfTheEngineHaveAForm(t *testing.T) {
	all := strings.Join(wording.Forms(), "\n")
	files, err := filepath.Glob("../engine/*.go")
	require.NoError(t, err)
	count := 0
	verb := regexp.MustCompile(`%[a-z]`)
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		for _, text := range wordsIn(t, file) {
			for _, part := range verb.Split(text, -1) {
				if part = strings.Trim(part, `:; "`); len(part) > 3 {
					count++
					require.Contains(t, all, part, "%s says it: ui/wording has no form for it", file)
				}
			}
		}
	}
	require.Greater(t, count, 50, "the words of the engine are not found any more")
}

// TestTranslatedFormsFit checks that each translated form has the fields of its English form,
// and that messages has no form that is gone. `make translations` lists missing forms.
func TestTranslatedFormsFit(t *testing.T) {
	files, err := fs.Glob(messages, "messages/*.json")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		own := read(t, messages, file)
		known := read(t, translations, path.Join(translated, path.Base(file)))
		maps.Copy(known, own)
		for _, form := range wording.Forms() {
			if len(known[form]) == 0 {
				missing(t, file, form)
				continue
			}
			require.Equal(t, fields(t, form), fields(t, known[form]["other"]), form)
			delete(own, form)
		}
		require.Empty(t, own, "%s translates forms that no longer exist", file)
	}
}

// wordsIn returns the texts of the messages and hints that a file of the engine creates.
func wordsIn(t *testing.T, file string) (texts []string) {
	t.Helper()
	tree, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	require.NoError(t, err)
	within := func(n ast.Node) {
		ast.Inspect(n, func(n ast.Node) bool {
			if text, ok := literal(n); ok {
				texts = append(texts, text)
			}
			return true
		})
	}
	if filepath.Base(file) == "hint.go" {
		for _, decl := range tree.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok {
				within(f.Body)
			}
		}
	}
	ast.Inspect(tree, func(n ast.Node) bool {
		pair, ok := n.(*ast.KeyValueExpr)
		if !ok {
			return true
		}
		if key, ok := pair.Key.(*ast.Ident); ok && (key.Name == "Message" || key.Name == "Hint") {
			within(pair.Value)
		}
		return true
	})
	return texts
}

func TestTheEngineSpeaksTheLanguageOfTheWindow(t *testing.T) {
	for text, english := range map[string]string{
		`there is no node type "text.formt"`: `there is no node type "text.formt"`,
		"the disk is full":                   "the disk is full",
	} {
		require.Equal(t, english, wording.Of(text))
	}
	inGerman(t)
	for text, german := range map[string]string{
		`there is no node type "text.formt"`:                              `den Knotentyp "text.formt" gibt es nicht`,
		"did you mean text.format or x? `svc nodes` lists them all":       "meinten Sie text.format oder x? `svc nodes` zählt alle auf",
		`config "ms": expected int, got string`:                           `Einstellung "ms": erwartet wird int, nicht string`,
		"remove one; control.merge takes the first of several that comes": "entfernen Sie eine; control.merge nimmt von mehreren den ersten, der kommt",
		`node "a" has no output "b"`:                                      `der Knoten "a" hat keinen Ausgang "b"`,
		"put x between them":                                              "setzen Sie x dazwischen",
		"put x between them, or y for a list":                             "setzen Sie x dazwischen, für eine Liste y",
		"in the stored workflow \"w\": string does not fit into int":      "im gespeicherten Workflow \"w\": string passt nicht in int",
		"the disk is full":                                                "the disk is full",
	} {
		require.Equal(t, german, wording.Of(text))
	}
}
