package ui

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"text/template"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/ui/wording"
)

// TestWordsOfNodesHaveAForm proves that the window knows everything that the nodes for files,
// HTTP, JSON, texts, lists, control, times, data and mail say in their own words.
func TestWordsOfNodesHaveAForm(t *testing.T) {
	all := strings.Join(wording.Forms(), "\n")
	for _, family := range []string{"io", "folder", "jsonnode", "text", "listops", "control", "time", "data", "email", "expr"} {
		files, err := filepath.Glob("../nodes/" + family + "/*.go")
		require.NoError(t, err)
		var said []string
		for _, file := range files {
			if !strings.HasSuffix(file, "_test.go") {
				said = append(said, saidIn(t, file)...)
			}
		}
		require.Greater(t, len(said), 6, "the words of %s are not found any more", family)
		for _, text := range said {
			for _, part := range fixed(text) {
				if !strings.Contains(all, part) {
					t.Errorf("nodes/%s says %q: ui/wording has no form for it", family, text)
				}
			}
		}
	}
}

// fixed returns the parts of a format that are the same each time.
func fixed(format string) (parts []string) {
	const short = 3
	filled := regexp.MustCompile(`\{?%[#+0]*[0-9]*[a-zA-Z]\}?|[{}]{2}`)
	for _, part := range filled.Split(format, -1) {
		if part = strings.Trim(part, `:;,()<>/*. "`); len(part) > short {
			parts = append(parts, part)
		}
	}
	return parts
}

// saidIn returns the texts of which a file makes failures and problems.
func saidIn(t *testing.T, file string) (texts []string) {
	t.Helper()
	tree, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	require.NoError(t, err)
	add := func(n ast.Node) {
		text, ok := literal(n)
		if ok && strings.Contains(text, " ") && !strings.Contains(untold, "\n"+text+"\n") {
			texts = append(texts, text)
		}
	}
	ast.Inspect(tree, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if says(n.Fun) {
				for _, arg := range n.Args {
					add(arg)
				}
			}
		case *ast.KeyValueExpr:
			if key, ok := n.Key.(*ast.Ident); ok && (key.Name == "Message" || key.Name == "Hint") {
				add(n.Value)
			}
		}
		return true
	})
	return texts
}

// says reports whether what is called makes a failure or a problem of a text.
func says(called ast.Expr) bool {
	var name, of string
	switch f := called.(type) {
	case *ast.Ident:
		name = f.Name
	case *ast.SelectorExpr:
		name = f.Sel.Name
		if x, ok := f.X.(*ast.Ident); ok {
			of = x.Name
		}
	}
	return name == "Errorf" || name == "New" && of == "errors" ||
		slices.Contains([]string{"Invalid", "invalid", "permanent", "missing", "wrong", "tooMuch"}, name)
}

// untold are texts that no user is told: they stop something, or stand in others.
const untold = `
too much to read
row too long
too much
the memory of a jq filter cannot be bounded with this release of github.com/itchyny/gojq; use the one in go.mod
`

// TestEachFormIsTheOneThatFits proves that no form takes what is of another one.
func TestEachFormIsTheOneThatFits(t *testing.T) {
	german := read(t, messages, "messages/de.json")
	maps.Copy(german, read(t, translations, "translations/de.json"))
	values := map[string]any{
		"Name": `"x"`, "Other": "7", "Third": "8", "Fourth": "9", "Why": "nobody knows", "Type": "int", "Got": "string", "Kind": "text.split", "Names": "a, b",
		"Way": "a → b", "Count": "3", "Node": "n", "Any": "m", "Reason": "none", "Source": "string", "Target": "int",
	}
	fill := func(text string) string {
		var filled strings.Builder
		require.NoError(t, template.Must(template.New("").Parse(text)).Execute(&filled, values))
		return filled.String()
	}
	inGerman(t)
	for _, form := range wording.Forms() {
		require.Equal(t, fill(german[form]["other"]), wording.Of(fill(form)), form)
	}
}

func TestFailuresOfNodesAreToldInGerman(t *testing.T) {
	inGerman(t)
	for text, german := range map[string]string{
		`"notes.txt" does not exist`: `"notes.txt" gibt es nicht`,
		`GET https://example.com/: the connection was refused; check host and port`:              `GET https://example.com/: die Verbindung wurde abgelehnt; prüfen Sie Host und Port`,
		`GET https://example.com/: the server answered 404 Not Found`:                            `GET https://example.com/: der Server antwortete 404 Not Found`,
		`the expression fails for item 3: expected a record, got string`:                         `der Ausdruck scheitert bei Element 3: erwartet wird ein Datensatz, nicht string`,
		`operation 0 of the patch: there is nothing at "/a"`:                                     `Operation 0 des Patches: bei "/a" ist nichts`,
		`the value cannot become int: the text is no number; write it like 42, -0.5 or 1e6`:      `aus dem Wert wird kein int: der Text ist keine Zahl; schreiben Sie sie wie 42, -0.5 oder 1e6`,
		`the template is wrong at character 4: a } without a { before it; write }} for a brace`:  `die Vorlage ist bei Zeichen 4 falsch: eine } ohne { davor; für eine Klammer schreiben Sie }}`,
		`nothing to put for {name}: wire the input, configure it, or give values a field "name"`: `für {name} gibt es nichts einzusetzen: schließen Sie den Eingang an, stellen Sie ihn ein, oder geben Sie values ein Feld "name"`,
		`the mail server mail.example.com: it closed the connection`:                             `der Mailserver mail.example.com: er hat die Verbindung geschlossen`,
		`the workbook "a.xlsx" cannot be read: zip: not a valid zip file`:                        `die Arbeitsmappe "a.xlsx" lässt sich nicht lesen: zip: not a valid zip file`,
	} {
		require.Equal(t, german, wording.Of(text))
	}
}
