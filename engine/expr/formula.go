package expr

import (
	"context"
	"fmt"
	"maps"
	"strings"

	"github.com/svcflow/svc/engine/node"
)

// Formula is a compiled expression over variables that the node names, instead of the
// items of a list. It is immutable and safe for concurrent use.
type Formula struct{ of *Expression }

// CompileFormula compiles source, the config value of a node's literal port or a part of
// it, over variables.
func CompileFormula(source, port string, variables ...string) (*Formula, []node.Problem) {
	e, problems := Compile(map[string]any{port: source}, port, variables...)
	for i := range problems {
		problems[i].Hint = "the variables are " + strings.Join(variables, ", ")
	}
	return &Formula{e}, problems
}

// Of evaluates the formula. values has all variables; the result is a value.
func (f *Formula) Of(ctx context.Context, values map[string]any) (any, error) {
	e := f.of.Start(ctx, nil)
	e.env = map[string]any{varsVar: e.vars, meterVar: &e.meter}
	maps.Copy(e.env, values)
	return e.At(noItem, nil)
}

// noItem is the index of what is no item of a list.
const noItem = -1

// forItem tells in an error which item it is about.
func forItem(index int) string {
	if index == noItem {
		return ""
	}
	return fmt.Sprintf(" for item %d", index)
}
