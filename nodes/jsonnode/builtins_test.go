package jsonnode

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/itchyny/gojq"
	"github.com/stretchr/testify/require"
)

// TestEveryBuiltinHasAClass checks that each function of the linked gojq has a class.
// Before a new function gets one, its cost must be studied.
func TestEveryBuiltinHasAClass(t *testing.T) {
	names := builtins(t)
	require.Greater(t, len(names), 150)
	for _, name := range names {
		switch name {
		case "empty", "path", "env", "debug": // instructions, or without a function
			continue
		}
		require.NotEqual(t, unknown, tariffOf(name).class, "%s is new: give it a class in pricing.go", name)
	}
	require.Equal(t, unknown, tariffOf("something_new").class)
}

// TestUnknownFunctionsNeverRun calls a function that gojq might add.
func TestUnknownFunctionsNeverRun(t *testing.T) {
	parsed, err := gojq.Parse(`try something_new catch "caught"`)
	require.NoError(t, err)
	code, err := gojq.Compile(parsed, gojq.WithVariables([]string{"$vars"}), gojq.WithFunction("something_new", 0, 0, func(any, []any) any {
		t.Error("it ran")
		return nil
	}))
	require.NoError(t, err)
	p := &program{code: code, patterns: patterns{}, steps: maxSteps, memory: maxMemory, cost: maxCost}
	require.NoError(t, instrument(code, p.guard))
	_, err = p.run(t.Context(), nil, nil)
	require.ErrorIs(t, err, errFuel)
}

func TestMachineIsChecked(t *testing.T) {
	require.NoError(t, checkMachine())
}

// builtins returns the names of all functions in the source of the linked gojq: the keys of
// internalFuncs, and the functions that its compiler calls.
func builtins(t *testing.T) []string {
	t.Helper()
	dir, err := exec.Command("go", "list", "-f", "{{.Dir}}", "github.com/itchyny/gojq").Output()
	require.NoError(t, err)
	names := map[string]bool{}
	for _, file := range []string{"func.go", "compiler.go"} {
		parsed, err := parser.ParseFile(token.NewFileSet(), filepath.Join(strings.TrimSpace(string(dir)), file), nil, 0)
		require.NoError(t, err)
		ast.Inspect(parsed, func(n ast.Node) bool {
			lit, ok := n.(*ast.CompositeLit)
			if !ok {
				return true
			}
			switch kind := lit.Type.(type) {
			case *ast.MapType:
				if value, ok := kind.Value.(*ast.Ident); ok && value.Name == "function" {
					for _, e := range lit.Elts {
						names[text(t, e.(*ast.KeyValueExpr).Key)] = true
					}
				}
			case *ast.ArrayType: // [3]any{function, arguments, name}
				if of, ok := kind.Elt.(*ast.Ident); ok && of.Name == "any" && len(lit.Elts) == 3 {
					if name, ok := lit.Elts[2].(*ast.BasicLit); ok {
						names[text(t, name)] = true
					}
				}
			}
			return true
		})
	}
	return slices.Sorted(maps.Keys(names))
}

func text(t *testing.T, e ast.Expr) string {
	t.Helper()
	lit, ok := e.(*ast.BasicLit)
	require.True(t, ok, fmt.Sprintf("%T", e))
	name, err := strconv.Unquote(lit.Value)
	require.NoError(t, err)
	return name
}

// A part keeps at most twice its size of the original alive; here the originals have 100
// MB.
func TestPartsKeepNothingElse(t *testing.T) {
	for _, filter := range []string{
		`[range(200) | "x" * 500000 | .[:10]]`,
		`[range(200) | "x" * 500000 | .[{"start": 1, "end": 9}]?]`,
		`[range(200) | "x" * 500000 + "  y" | ltrimstr("x" * 500000)]`,
		`[range(200) | "x" * 500000 + "  y" | .[499999:] | ltrimstr("x") | trim]`,
		`[range(200) | "x" * 500000 + ",y" | split(",")[1]]`,
		`[range(200) | "x" * 500000 + ",y" | (. / ",")[1]]`,
		`[range(200) | "x" * 500000 + ",yy" | match("y(y)") | [.string, .captures[0].string]]`,
		`[range(600) | ([range(1000)] | .[999:])]`,
		`[range(600) | ([range(1000)] | .[999:] |= .) | .[999:]]`,
		`[range(600) | ([range(1000)] | getpath([{"start": 999, "end": null}]))]`,
		`[range(60) | ([range(1000)] | until(length < 10; .[1:]))]`,
	} {
		p, err := compile(filter)
		require.NoError(t, err)
		before := heap()
		results, err := p.run(t.Context(), nil, nil)
		require.NoError(t, err, filter)
		p.fuel = nil
		require.Less(t, heap()-before, 2<<20, filter)
		runtime.KeepAlive(results)
	}
}

func heap() int {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC() // pools keep their content for one collection
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}
