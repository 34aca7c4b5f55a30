package expr

import (
	"context"
	"fmt"
	"maps"
	"strings"

	"github.com/svcflow/svc/engine/node"
)

// Formula is a compiled expression over named variables instead of the items of a list. It
// is immutable and safe for concurrent use.
type Formula struct{ of *Expression }

// CompileFormula compiles source, which is the config value of a node's literal port or a
// part of it, with the given variables.
func CompileFormula(source, port string, variables ...string) (*Formula, []node.Problem) {
	e, problems := Compile(map[string]any{port: source}, port, variables...)
	for i := range problems {
		problems[i].Hint = "the variables are " + strings.Join(variables, ", ")
	}
	return &Formula{e}, problems
}

// Of evaluates the formula. values must contain all variables. The result is a valid value.
func (f *Formula) Of(ctx context.Context, values map[string]any) (any, error) {
	e := f.of.Start(ctx, nil)
	e.env = map[string]any{varsVar: e.vars, meterVar: &e.meter}
	maps.Copy(e.env, values)
	return e.At(noItem, nil)
}

// noItem is the index used outside of lists.
const noItem = -1

// forItem returns the part of an error message that names the item.
func forItem(index int) string {
	if index == noItem {
		return ""
	}
	return fmt.Sprintf(" for item %d", index)
}
