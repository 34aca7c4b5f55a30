package listops

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/types"
	"github.com/expr-lang/expr/vm"

	"github.com/svcflow/svc/engine/node"
)

// The limits of an expression. Its source is short enough for a parser that calls
// itself, and its tree small enough to be compiled at validation.
const (
	maxSource = 16 << 10 // bytes
	maxNodes  = 2_000
)

// expression is a compiled expression over one item of a list. It is immutable
// and safe for concurrent use.
//
// An expression can do nothing but calculate: it has no access to files, network,
// environment or clock. It is bounded as well. A loop in it checks the context
// (see meter.tick), and everything that it builds is charged to a budget (see
// meter.charge), so it ends shortly after its context and cannot fill the memory.
type expression struct {
	program *vm.Program
	kind    reflect.Kind // of the result; Interface if only a run can tell
	limits  limits
}

// compileExpression compiles the config value of a node's literal port. The
// variables are item, index, vars and those named in more.
func compileExpression(config map[string]any, port string, more ...string) (*expression, []node.Problem) { //nolint:unparam // by is another such port
	source, ok := config[port].(string)
	if !ok { // that it is missing or no string is found without us
		return &expression{}, nil
	}
	if len(source) > maxSource {
		return nil, []node.Problem{node.Invalid(port, "the expression is longer than %d bytes", maxSource)}
	}
	options := append(functions(), environment(more), expr.MaxNodes(maxNodes), expr.DisableBuiltin("now"))
	plain, err := expr.Compile(source, options...)
	if err != nil {
		return nil, []node.Problem{invalidExpression(port, err)}
	}
	guard := &guard{}
	program, err := expr.Compile(source, append(options, expr.MaxNodes(0), expr.Patch(&guard.root), expr.Patch(guard))...)
	if err == nil {
		err = guard.err
	}
	if err != nil {
		return nil, []node.Problem{invalidExpression(port, err)}
	}
	return &expression{program, plain.Node().Type().Kind(), limits{maxBuilt, maxResults}}, nil
}

func environment(more []string) expr.Option {
	env := types.Map{itemVar: types.Any, indexVar: types.Int, varsVar: types.Any, meterVar: types.Any}
	for _, name := range more {
		env[name] = types.Any
	}
	return expr.Env(env)
}

// The variables of every expression. No source text can spell the meter.
const (
	itemVar  = "item"
	indexVar = "index"
	varsVar  = "vars"
	meterVar = "~meter"
)

func invalidExpression(port string, err error) node.Problem {
	p := node.Invalid(port, "the expression is wrong: %s", oneLine(err))
	p.Hint = "the variables are item, index and vars, as in item.price > vars.limit"
	return p
}

// oneLine renders an error of the expression library with its place and without
// the picture of the source.
func oneLine(err error) string {
	var at *file.Error
	if !errors.As(err, &at) {
		text, _, _ := strings.Cut(err.Error(), "\n")
		return text
	}
	return fmt.Sprintf("%s (line %d, character %d)", at.Message, max(at.Line, 1), at.Column+1)
}

// evaluation evaluates one expression for the items of one list. It is for one
// goroutine.
type evaluation struct {
	*expression
	machine vm.VM
	env     map[string]any
	meter   meter
	results sizer // over all results
}

// start begins an evaluation. vars may be nil.
func (e *expression) start(ctx context.Context, vars map[string]any) *evaluation {
	if vars == nil {
		vars = map[string]any{}
	}
	v := &evaluation{expression: e, meter: meter{ctx: ctx}, results: sizer{left: e.limits.results}}
	v.env = map[string]any{varsVar: vars, meterVar: &v.meter}
	return v
}

// at evaluates the expression for the item at index. The result is a value.
func (e *evaluation) at(index int, item any) (any, error) {
	e.meter.built = sizer{left: e.limits.built}
	if err := e.meter.tick(); err != nil {
		return nil, err
	}
	e.env[itemVar], e.env[indexVar] = item, index
	v, err := e.machine.Run(e.program, e.env)
	if err != nil {
		return nil, e.failure(index, err)
	}
	if v, err = e.results.value(v); err != nil {
		return nil, resultError(index, err)
	}
	return v, nil
}

// failure explains why the expression failed for an item.
func (e *evaluation) failure(index int, err error) error {
	if cause := e.meter.ctx.Err(); cause != nil {
		return cause
	}
	code := node.CodeFailed
	if errors.Is(err, errTooBig) || strings.Contains(err.Error(), "memory budget exceeded") {
		code = node.CodeLimitExceeded
	}
	return node.Permanent(node.Errorf(code, "the expression fails for item %d: %s", index, oneLine(err)))
}

func resultError(index int, err error) error {
	code := node.CodeTypeError
	switch {
	case errors.Is(err, errTooBig):
		code = node.CodeLimitExceeded
	case errors.Is(err, errNotFinite):
		code = node.CodeNotFinite
	}
	return node.Permanent(node.Errorf(code, "the expression's result for item %d: %w", index, err))
}
