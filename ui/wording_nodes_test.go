package ui

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"text/template"
	"unicode"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/ui/wording"
)

// TestUntranslatedNodeMessages checks that the list of messages that need no form has no
// message that is gone. A message without a form is shown in English; `make translations`
// lists it.
func TestUntranslatedNodeMessages(t *testing.T) {
	all, silent := strings.Join(wording.Forms(), "\n"), textsOf(t, "testdata/untold.txt")
	unsaid, words := maps.Clone(silent), 0
	inNodes := saidBelow(t, "../nodes")
	maps.Copy(inNodes, saidBelow(t, "../engine/expr")) // nodes fail with its messages
	for file, said := range inNodes {
		for _, text := range said {
			if silent[text] {
				delete(unsaid, text)
				continue
			}
			words++
			for _, part := range fixed(text) {
				if !strings.Contains(all, part) {
					missing(t, "ui/wording/nodes.txt", file+": "+text)
					break
				}
			}
		}
	}
	require.Greater(t, words, 900, "found too few messages in nodes")
	require.Empty(t, unsaid, "testdata/untold.txt lists messages that no longer exist")
}

// textsOf returns the texts in a file, one a line.
func textsOf(t *testing.T, file string) map[string]bool {
	t.Helper()
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	texts := map[string]bool{}
	for line := range strings.Lines(string(data)) {
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		text, err := strconv.Unquote(line)
		require.NoError(t, err, line)
		texts[text] = true
	}
	return texts
}

// fixed returns the parts of a format that are the same each time, if they are words.
func fixed(format string) (parts []string) {
	const short = 3
	filled := regexp.MustCompile(`\{?%[#+0]*[0-9.]*[a-zA-Z]\}?|[{}]{2}|: `)
	place := regexp.MustCompile(`^[a-z]+( [a-z_]+)?: `)
	for _, part := range filled.Split(place.ReplaceAllString(format, ""), -1) {
		if part = strings.Trim(part, `:;,()<>/*.@ "`); len(part) > short && strings.ContainsFunc(part, unicode.IsLower) {
			parts = append(parts, part)
		}
	}
	return parts
}

// saidBelow returns the texts in the files below a folder that failures, problems and
// progress may consist of, by file: all texts with words, except descriptions of node types.
func saidBelow(t *testing.T, folder string) map[string][]string {
	t.Helper()
	described, err := os.ReadFile("../docs/nodes.md")
	require.NoError(t, err)
	said := map[string][]string{}
	require.NoError(t, filepath.WalkDir(folder, func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (slices.Contains([]string{"sim", "testdata"}, d.Name()) || strings.HasSuffix(d.Name(), "test")):
			return fs.SkipDir
		case filepath.Ext(file) == ".go" && !strings.HasSuffix(file, "_test.go"):
			said[file] = slices.DeleteFunc(wordsOfFile(t, file), func(text string) bool {
				return len(fixed(text)) == 0 || isSentence(text) || len(text) > 60 && strings.Contains(string(described), text)
			})
		}
		return nil
	}))
	return said
}

// isSentence reports whether a text is a label, a title or part of a description: failures and
// problems begin with a small letter and end without a full stop.
func isSentence(text string) bool {
	text = strings.TrimSpace(text)
	return strings.HasSuffix(text, ".") || strings.IndexFunc(text, unicode.IsUpper) == 0
}

// wordsOfFile returns the texts of a file, without those of tags, imports and specs.
func wordsOfFile(t *testing.T, file string) (texts []string) {
	t.Helper()
	tree, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	require.NoError(t, err)
	prose := regexp.MustCompile(`[a-z]{2}[,;:]? [a-z%(]`)
	var in func(n ast.Node) bool
	in = func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Field, *ast.ImportSpec:
			return false
		case *ast.KeyValueExpr:
			key, ok := n.Key.(*ast.Ident)
			return !ok || !slices.Contains([]string{"Aliases", "Category", "Default", "Description", "Label"}, key.Name)
		case *ast.CallExpr:
			if f, ok := n.Fun.(*ast.SelectorExpr); ok && slices.Contains([]string{"Aliases", "Doc", "Words"}, f.Sel.Name) {
				ast.Inspect(f, in)
				return false
			}
		case *ast.BasicLit:
			if text, ok := literal(n); ok && prose.MatchString(text) {
				texts = append(texts, text)
			}
		}
		return true
	}
	ast.Inspect(tree, in)
	return texts
}

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

func TestFailuresOfNodesAreShownInGerman(t *testing.T) {
	inGerman(t)
	for text, german := range map[string]string{
		`"notes.txt" does not exist`: `"notes.txt" gibt es nicht`,
		`GET https://example.com/: the connection was refused; check host and port`:                                                                                                 `GET https://example.com/: die Verbindung wurde abgelehnt; prüfen Sie Host und Port`,
		`GET https://example.com/: the server answered 404 Not Found`:                                                                                                               `GET https://example.com/: der Server antwortete 404 Not Found`,
		`the expression fails for item 3: expected a record, got string`:                                                                                                            `der Ausdruck scheitert bei Element 3: erwartet wird ein Datensatz, nicht string`,
		`operation 0 of the patch: there is nothing at "/a"`:                                                                                                                        `Operation 0 des Patches: bei "/a" ist nichts`,
		`the value cannot become int: the text is no number; write it like 42, -0.5 or 1e6`:                                                                                         `aus dem Wert wird kein int: der Text ist keine Zahl; schreiben Sie sie wie 42, -0.5 oder 1e6`,
		`the template is wrong at character 4: a } without a { before it; write }} for a brace`:                                                                                     `die Vorlage ist bei Zeichen 4 falsch: eine } ohne { davor; für eine Klammer schreiben Sie }}`,
		`nothing to put for {name}: wire the input, configure it, or give values a field "name"`:                                                                                    `für {name} gibt es nichts einzusetzen: schließen Sie den Eingang an, stellen Sie ihn ein, oder geben Sie values ein Feld "name"`,
		`the mail server mail.example.com: it closed the connection`:                                                                                                                `der Mailserver mail.example.com: er hat die Verbindung geschlossen`,
		`the workbook "a.xlsx" cannot be read: zip: not a valid zip file`:                                                                                                           `die Arbeitsmappe "a.xlsx" lässt sich nicht lesen: zip: not a valid zip file`,
		`microblog create_post: the account may not do this (403: Forbidden)`:                                                                                                       `microblog create_post: das Konto darf das nicht (403: Forbidden)`,
		`pronet post_feed: outcome unknown: the network did not answer; it may have been done all the same, so it was not sent again; look at the account before you run this anew`: `pronet post_feed: Ausgang unbekannt: das Netzwerk hat nicht geantwortet; es kann trotzdem geschehen sein, darum wurde es nicht noch einmal gesendet; sehen Sie beim Konto nach, bevor Sie das erneut ausführen`,
		`the credential "sql:main" names no database that can be used: its folder does not exist`:                                                                                   `das Konto "sql:main" nennt keine Datenbank, die sich verwenden lässt: ihren Ordner gibt es nicht`,
		`the database says: no such table: orders (1)`:                                                                                                                              `die Datenbank sagt: no such table: orders (1)`,
		`ReferenceError: 'x' is not defined, in line 2, column 1: x(); name it in inputs if it is to come in; its last log: a; b`:                                                   `ReferenceError: 'x' ist nicht definiert, in Zeile 2, Spalte 1: x(); nennen Sie es in inputs, wenn es hineinkommen soll; seine letzte Ausgabe: a; b`,
		`the script took more than 64 MB, in line 1, column 9: a; b; raise memoryMB, or let it keep less`:                                                                           `das Skript hat mehr als 64 MB gebraucht, in Zeile 1, Spalte 9: a; b; erhöhen Sie memoryMB, oder lassen Sie es weniger behalten`,
		`ffmpeg failed at the node "trim": it did not say why`:                                                                                                                      `ffmpeg ist am Knoten "trim" gescheitert: es hat nicht gesagt, warum`,
		`"9 * *" is no cron expression: expected 5 to 6 fields, found 3: [9 * *]; write minute, hour, day of the month, month and day of the week, such as 0 8 * * 1-5`:             `"9 * *" ist kein Cron-Ausdruck: erwartet werden 5 bis 6 Felder, nicht 3: [9 * *]; schreiben Sie Minute, Stunde, Tag des Monats, Monat und Wochentag, etwa 0 8 * * 1-5`,
		`the code is no word in snake_case; write it like "out_of_stock": small letters, digits and _`:                                                                              `der Code ist kein Wort in snake_case; schreiben Sie ihn wie "out_of_stock": kleine Buchstaben, Ziffern und _`,
		`/x cannot be set: "x" is no index of a list`:                                                                                                                               `/x lässt sich nicht setzen: "x" ist keine Stelle in einer Liste`,
		`GET example.com: the server answered 429 Too Many Requests and asks to wait 1s`:                                                                                            `GET example.com: der Server antwortete 429 Too Many Requests und bittet, 1s zu warten`,
		`GET example.com: the server answered 429 Too Many Requests and asks to wait 1s: text/plain: slow down`:                                                                     `GET example.com: der Server antwortete 429 Too Many Requests und bittet, 1s zu warten: text/plain: slow down`,
		`more than 9 rows are bad, the last at line 10: there are 1 fields, and 2 columns; are the delimiter and the header right?`:                                                 `mehr als 9 Zeilen sind fehlerhaft, zuletzt Zeile 10: es sind 1 Felder und 2 Spalten; stimmen Trennzeichen und Kopfzeile?`,
	} {
		require.Equal(t, german, wording.Of(text))
	}
}
