package ui

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"text/template"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/app"
	"github.com/svcflow/svc/engine"
)

// english is the language that the program is written in. Its file has only texts with
// several forms.
const english = "en"

// TestTranslationsFitTheirTexts checks that every translation belongs to a text of the
// program and uses the same data. A missing translation falls back to English and does not
// fail the test; `make translations` lists those.
func TestTranslationsFitTheirTexts(t *testing.T) {
	said, literals := texts(t)
	require.Greater(t, len(said), 300, "found too few texts in the source")
	files, err := fs.Glob(translations, "translations/*.json")
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(files), 2)
	for _, file := range files {
		language := strings.TrimSuffix(path.Base(file), ".json")
		t.Run(language, func(t *testing.T) {
			known := read(t, translations, file)
			for text, counted := range said {
				forms, ok := known[text]
				switch {
				case language == english && !counted:
					continue
				case !ok:
					missing(t, file, text)
					continue
				case counted:
					require.Contains(t, forms, "one", text)
				}
				for _, form := range forms { // a text that goes by another key has no data
					require.Equal(t, fields(t, text), fields(t, form), "%q and its translation %q use different data", text, form)
				}
			}
			for text := range known {
				name, _ := strings.CutPrefix(text, "key.") // the name of a key on the keyboard
				require.True(t, literals[name], "%s translates %q, but the program has no such text", file, text)
			}
		})
	}
}

// missing prints a text that has no translation, if `make translations` runs.
func missing(t *testing.T, file, text string) {
	t.Helper()
	if os.Getenv("SVC_LIST_TRANSLATIONS") != "" {
		fmt.Printf("missing translation: %s: %q\n", file, text)
	}
}

// texts returns the texts that the program says, and whether each has several forms; and
// all literals, among which those are that it says by way of a table.
func texts(t *testing.T) (said map[string]bool, literals map[string]bool) {
	t.Helper()
	said, literals = map[string]bool{}, map[string]bool{}
	for _, dir := range []string{".", "../cmd/svc-desktop"} {
		require.NoError(t, filepath.WalkDir(dir, func(file string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
				return err
			}
			tree, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
			if err != nil {
				return err
			}
			ast.Inspect(tree, func(n ast.Node) bool {
				if text, ok := literal(n); ok {
					literals[text] = true
				}
				if text, counted, ok := asked(n); ok {
					said[text] = counted
				}
				return true
			})
			return nil
		}))
	}
	inWindow(t, func(_ *testing.T, b *bench) {
		for _, c := range b.table() {
			for _, text := range append(strings.Split(c.Menu, "/"), c.Title) {
				if text != "" {
					said[text], literals[text] = false, true
				}
			}
		}
	})
	for _, s := range []engine.Status{engine.StatusRunning, engine.StatusCompleted, engine.StatusFailed, engine.StatusCancelled} {
		said[s.String()], literals[s.String()] = false, true
	}
	templates, err := app.Templates()
	require.NoError(t, err)
	for _, t := range templates {
		for _, text := range []string{t.Definition.Name, t.Definition.Description} {
			said[text], literals[text] = false, true
		}
	}
	return said, literals
}

// asked returns the text for which a call asks for a translation.
func asked(n ast.Node) (text string, counted, ok bool) {
	call, isCall := n.(*ast.CallExpr)
	if !isCall || len(call.Args) == 0 {
		return "", false, false
	}
	f, isSelector := call.Fun.(*ast.SelectorExpr)
	if !isSelector {
		return "", false, false
	}
	if of, isIdent := f.X.(*ast.Ident); !isIdent || of.Name != "lang" {
		return "", false, false
	}
	text, ok = literal(call.Args[0])
	return text, slices.Contains([]string{"N", "LocalizePlural"}, f.Sel.Name), ok
}

func literal(n ast.Node) (text string, ok bool) {
	l, ok := n.(*ast.BasicLit)
	if !ok || l.Kind != token.STRING {
		return "", false
	}
	text, err := strconv.Unquote(l.Value)
	return text, err == nil
}

// read returns the forms of each text in a file.
func read(t *testing.T, in fs.ReadFileFS, file string) map[string]map[string]string {
	t.Helper()
	data, err := in.ReadFile(file)
	require.NoError(t, err)
	var raw map[string]any
	require.NoError(t, json.Unmarshal(data, &raw))
	known := map[string]map[string]string{}
	for text, v := range raw {
		forms := map[string]string{}
		switch v := v.(type) {
		case string:
			forms["other"] = v
		case map[string]any:
			for form, s := range v {
				forms[form] = s.(string)
			}
		}
		require.NotEmpty(t, forms["other"], text)
		known[text] = forms
	}
	return known
}

// fields returns the data that a text is filled with, sorted.
func fields(t *testing.T, text string) []string {
	t.Helper()
	parsed, err := template.New("").Parse(text)
	require.NoError(t, err, text)
	var names []string
	for _, n := range parsed.Root.Nodes {
		if name := n.String(); strings.HasPrefix(name, "{{") && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
