package theme_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/ui/theme"
)

// Only this package has values of colours; all other code refers to them. Tests, packages for
// tests (uitest) and node types invented by them may have values.
func TestColorsAreWrittenHereOnly(t *testing.T) {
	files := 0
	require.NoError(t, filepath.WalkDir("..", func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && (path == "../theme" || path == "../uitest"):
			return fs.SkipDir
		case !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		files++
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for at, what := range colorsIn(file) {
			t.Errorf("%s: %s: name a colour of ui/theme instead", set.Position(at), what)
		}
		return nil
	}))
	require.Greater(t, files, 100)
}

// colorsIn returns where a file makes up a colour, and how.
func colorsIn(file *ast.File) map[token.Pos]string {
	hex := regexp.MustCompile("^[\"`]#([0-9A-Fa-f]{3}|[0-9A-Fa-f]{6}|[0-9A-Fa-f]{8})[\"`]$")
	found := map[token.Pos]string{}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BasicLit:
			if n.Kind == token.STRING && hex.MatchString(n.Value) {
				found[n.Pos()] = n.Value
			}
		case *ast.CompositeLit:
			if of, ok := n.Type.(*ast.SelectorExpr); ok && isName(of.X, "color") {
				found[n.Pos()] = "color." + of.Sel.Name
			}
		case *ast.CallExpr:
			if of, ok := n.Fun.(*ast.SelectorExpr); ok && isName(of.X, "theme") && of.Sel.Name == "RGB" && len(n.Args) == 1 {
				if number, ok := n.Args[0].(*ast.BasicLit); ok {
					found[n.Pos()] = number.Value
				}
			}
		case *ast.SelectorExpr:
			if isName(n.X, "color") && (n.Sel.Name == "White" || n.Sel.Name == "Black") {
				found[n.Pos()] = "color." + n.Sel.Name
			}
		}
		return true
	})
	return found
}

func isName(e ast.Expr, name string) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == name
}

// The swatches must not change: workflows store them, and would no longer match.
func TestSwatches(t *testing.T) {
	require.Equal(t, []string{"#D9A441", "#CF7A4B", "#D65A7B", "#B57EDC", "#4F8FD6", "#35A7A0", "#7FB069"}, theme.Swatches())
}
