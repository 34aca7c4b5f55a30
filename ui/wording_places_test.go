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

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/ui/wording"
)

// TestPrefixesOfErrorsHaveAForm proves that the window knows all errors of what it shows workflows,
// runs and accounts of: the engine, stores, servers and their connections, and its own rooms.
func TestPrefixesOfErrorsHaveAForm(t *testing.T) {
	all := strings.Join(wording.Forms(), "\n")
	silent := textsOf(t, "testdata/untold-errors.txt")
	own := read(t, translations, "translations/de.json") // asked for by the text itself
	unsaid, words := maps.Clone(silent), 0
	for _, folder := range []string{
		"../engine", "../engine/value", "../engine/value/view", "../engine/workflow", "../engine/node", "../app", "../app/runs", "../app/localruns", "../app/internal/*", "../app/drive", "../app/trigger",
		"../store", "../store/filestore", "../store/memstore", "../store/runlog", "../store/statelog", "../store/internal/runindex", "../store/internal/runtext", "../store/internal/vfs",
		"../credentials", "../credentials/client", "../credentials/oauth", "../credentials/network", "../httpapi", "../httpapi/internal/*", "../httpapi/client", "../cmd/svc-desktop/internal/machine",
		".", "command", "workspace", "documents", "editor/*", "picture", "hosts", "poster", "runs", "inspector", "accounts", "runview",
	} {
		files, err := filepath.Glob(folder + "/*.go")
		require.NoError(t, err)
		require.NotEmpty(t, files, folder)
		for _, file := range files {
			for _, text := range errorsIn(t, file) {
				if silent[text] {
					delete(unsaid, text)
					continue
				}
				words++
				missing := func(part string) bool { return !strings.Contains(all, part) }
				if _, known := own[text]; !known && slices.ContainsFunc(fixed(text), missing) {
					t.Errorf("%s says %q: give it a form in ui/wording/nodes.txt, or tell in ui/testdata/untold-errors.txt why not", file, text)
				}
			}
		}
	}
	require.Greater(t, words, 300, "the errors are not found any more")
	require.Empty(t, unsaid, "testdata/untold-errors.txt has what nobody says")
}

// errorsIn returns the texts of the errors that a file creates.
func errorsIn(t *testing.T, file string) (texts []string) {
	t.Helper()
	if strings.HasSuffix(file, "_test.go") {
		return nil
	}
	tree, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	require.NoError(t, err)
	prose := regexp.MustCompile(`[a-z]{2}[,;:]? [a-z%(]`)
	add := func(n ast.Node) bool {
		if text, ok := literal(n); ok && prose.MatchString(text) && !isSentence(text) {
			texts = append(texts, text)
		}
		return true
	}
	ast.Inspect(tree, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if makesError(n.Fun) {
				for _, arg := range n.Args {
					add(arg)
				}
			}
		case *ast.KeyValueExpr:
			if key, ok := n.Key.(*ast.Ident); ok && slices.Contains([]string{"Message", "Hint"}, key.Name) {
				ast.Inspect(n.Value, add)
			}
		case *ast.ReturnStmt:
			if filepath.Base(file) == "problem.go" { // how answers of servers describe errors
				ast.Inspect(n, add)
			}
		}
		return true
	})
	return texts
}

func makesError(called ast.Expr) bool {
	switch f := called.(type) {
	case *ast.Ident:
		return slices.Contains([]string{"Errorf", "illegal"}, f.Name)
	case *ast.SelectorExpr:
		of, ok := f.X.(*ast.Ident)
		return f.Sel.Name == "Errorf" || f.Sel.Name == "New" && ok && of.Name == "errors"
	}
	return false
}

func TestErrorsOfServersAreShownInGerman(t *testing.T) {
	inGerman(t)
	for text, german := range map[string]string{
		`the server cannot be reached: http://127.0.0.1:8080: dial tcp 127.0.0.1:8080: connect: connection refused; check the address, and whether the server runs`:               `der Server ist nicht erreichbar: http://127.0.0.1:8080: dial tcp 127.0.0.1:8080: die Verbindung wurde abgelehnt; prüfen Sie die Adresse, und ob der Server läuft`,
		`the stored workflow is not the expected one; load it again (precondition_failed)`:                                                                                        `der gespeicherte Workflow ist nicht der erwartete; laden Sie ihn noch einmal (precondition_failed)`,
		`http://127.0.0.1:8080 does not take this API key; enter the one that its operator gave you`:                                                                              `http://127.0.0.1:8080 nimmt diesen API-Schlüssel nicht an; geben Sie den ein, den Sie vom Betreiber haben`,
		`save workflow: open a.svc.json: no space left on device`:                                                                                                                 `Workflow speichern: open a.svc.json: der Datenträger ist voll`,
		`the node did not finish within 1s; raise its timeoutMs or give it less to do`:                                                                                            `der Knoten ist in 1s nicht fertig geworden; erhöhen Sie sein timeoutMs, oder geben Sie ihm weniger zu tun`,
		`this wire is not possible: list<int> does not fit into string`:                                                                                                           `diese Verbindung ist nicht möglich: list<int> passt nicht in string`,
		`these nodes cannot become a body: "b" lies between them; take it too`:                                                                                                    `diese Knoten können kein Rumpf werden: "b" liegt dazwischen; nehmen Sie ihn dazu`,
		`the network refused the request: the token address of http:main answered with status 401 (invalid_client); check its client_id, client_secret and scopes`:                `das Netzwerk hat die Anfrage abgelehnt: die Token-Adresse von http:main antwortete mit Status 401 (invalid_client); prüfen Sie client_id, client_secret und scopes`,
		`microblog search_tweets: the account may not do this; if its token lacks the scope a, add that to B and connect the account again (403: No more); 1 items had been read`: `microblog search_tweets: das Konto darf das nicht; fehlt seinem Token die Berechtigung a, fügen Sie sie zu B hinzu, und verbinden Sie das Konto neu (403: No more); 1 Elemente waren gelesen`,
		`a.json, line 2, column 3: the text ends too early`:                                                                                                                       `a.json, Zeile 2, Spalte 3: der Text endet zu früh`,
	} {
		require.Equal(t, german, wording.Of(text))
	}
}
