package cmd_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes"
	"github.com/svcflow/svc/nodes/email"
	"github.com/svcflow/svc/nodes/microblog"
	"github.com/svcflow/svc/nodes/pronet"
	"github.com/svcflow/svc/nodes/service"
	"github.com/svcflow/svc/nodes/time"
)

// TestNodeTypesAreKnownByTheirSpecs proves that only plugins name node types: engine, app, HTTP
// service and window read specs instead. Templates and files for tests may name node types.
func TestNodeTypesAreKnownByTheirSpecs(t *testing.T) {
	registry, err := node.NewRegistry(append(nodes.Builtin(nodes.Env{}),
		pronet.New(service.Config{}), microblog.New(service.Config{}), email.New(email.Config{}), time.Plugin())...)
	require.NoError(t, err)
	var types []string
	for _, s := range registry.Specs() {
		types = append(types, regexp.QuoteMeta(s.Type))
	}
	named := regexp.MustCompile(`(^|[^\w.])(` + strings.Join(types, "|") + `)($|[^\w.]|\.($|[^\w]))`)
	require.True(t, named.MatchString("put "+registry.Specs()[0].Type+" between them"))

	allowed := map[string]string{
		"engine/expr/javascript.go": "its hints name the nodes that do what JavaScript would",
		"engine/node/registry.go":   "the form of a type's name is explained by one",
	}
	files := 0
	for _, dir := range []string{"engine", "app", "httpapi", "ui"} {
		require.NoError(t, filepath.WalkDir("../"+dir, func(path string, e fs.DirEntry, err error) error {
			file := strings.TrimPrefix(filepath.ToSlash(path), "../")
			switch {
			case err != nil:
				return err
			case e.IsDir() && (e.Name() == "enginetest" || e.Name() == "apptest" || e.Name() == "uitest" || e.Name() == "testdata"):
				return filepath.SkipDir
			case !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") || allowed[file] != "":
				return nil
			}
			files++
			source, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
			if err != nil {
				return err
			}
			ast.Inspect(source, func(n ast.Node) bool {
				literal, ok := n.(*ast.BasicLit)
				if !ok || literal.Kind != token.STRING {
					return true
				}
				text, err := strconv.Unquote(literal.Value)
				require.NoError(t, err)
				require.NotRegexp(t, named, text, "%s names a node type; let its spec tell", file)
				return true
			})
			return nil
		}))
	}
	require.Greater(t, files, 200)
}
