// Package expr is the language of expressions, shared by the plugins that take some: that of
// github.com/expr-lang/expr, bounded in time and memory. It is the only package that knows
// the library.
package expr

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/ast"
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

// Expression is a compiled expression over one item of a list. It is immutable
// and safe for concurrent use.
//
// An expression can do nothing but calculate: it has no access to files, network,
// environment or clock. It is bounded as well. A loop in it checks the context
// (see Meter.Tick), and everything that it builds is charged to a budget (see
// meter.charge), so it ends shortly after its context and cannot fill the memory.
type Expression struct {
	program *vm.Program
	direct  direct       // the same without the machine; nil if it needs one
	picks   bool         // direct only picks a part of what comes in
	kind    reflect.Kind // of the result
	limits  limits
	hints   []node.Problem
}

// Compile compiles the config value of a node's literal port. The variables are item,
// index, vars and those named in more.
func Compile(config map[string]any, port string, more ...string) (*Expression, []node.Problem) {
	source, ok := config[port].(string)
	if !ok { // that it is missing or no string is found without us
		return &Expression{}, nil
	}
	if len(source) > maxSource {
		return nil, []node.Problem{node.Invalid(port, "the expression is longer than %d bytes", maxSource)}
	}
	program, plain, err := compile(source, more)
	if err != nil {
		return nil, []node.Problem{invalidExpression(port, source, err, more)}
	}
	direct := compileDirect(plain)
	d := doubts{port: port}
	ast.Walk(&plain, &d)
	return &Expression{
		program: program,
		direct:  direct,
		picks:   direct != nil && isPath(plain),
		kind:    plain.Type().Kind(),
		limits:  limits{maxBuilt, maxResults},
		hints:   d.hints,
	}, nil
}

// Hints returns what is valid about the expression and may not be meant. A nil
// Expression has none.
func (e *Expression) Hints() []node.Problem {
	if e == nil {
		return nil
	}
	return e.hints
}

// Kind returns the kind of the result; Interface if only a run can tell.
func (e *Expression) Kind() reflect.Kind { return e.kind }

// compile returns the guarded program of an expression, and its tree as it was
// before it was guarded.
func compile(source string, more []string) (*vm.Program, ast.Node, error) {
	options := append(functions(), environment(more), expr.MaxNodes(maxNodes), expr.DisableBuiltin("now"))
	plain, err := expr.Compile(source, options...)
	if err != nil {
		return nil, nil, err
	}
	root := plain.Node()
	calls := checkCalls{}
	if ast.Walk(&root, &calls); calls.err != nil {
		return nil, nil, calls.err
	}
	guard := &guard{}
	program, err := expr.Compile(source, append(options, expr.MaxNodes(0), expr.Patch(&guard.root), expr.Patch(guard))...)
	if err == nil {
		err = guard.err
	}
	return program, root, err
}

func environment(more []string) expr.Option {
	env := types.Map{itemVar: types.Any, indexVar: types.Int, varsVar: types.Any, meterVar: types.Any}
	for _, name := range more {
		env[name] = types.Any
	}
	return expr.Env(env)
}

// The variables of expressions. No source text can spell the meter.
const (
	itemVar  = "item"
	indexVar = "index"
	varsVar  = "vars"
	// Acc is the variable of [Evaluation.Reduce] only.
	Acc      = "acc" // of listops.reduce only
	meterVar = "~meter"
)

func invalidExpression(port, source string, err error, more []string) node.Problem {
	p := node.Invalid(port, "the expression is wrong: %s", oneLine(err))
	variables := append(slices.Clone(more), itemVar, indexVar)
	p.At = characterOf(source, err)
	p.Hint = cmp.Or(foreign(source), "the variables are "+strings.Join(variables, ", ")+" and vars, as in item.price > vars.limit")
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

// characterOf returns which character of the source an error is about, from 1; 0 if it does
// not say.
func characterOf(source string, err error) int {
	var at *file.Error
	if !errors.As(err, &at) || at.Line < 1 {
		return 0
	}
	n := 0
	for range at.Line - 1 {
		line, rest, _ := strings.Cut(source, "\n")
		n, source = n+utf8.RuneCountInString(line)+1, rest
	}
	return n + at.Column + 1
}

// OverItems says how expressions over the items of an input are written: they know item,
// index, vars, and what is in more. An empty list is that of no input.
func OverItems(list string, more ...string) *node.Script {
	names := map[string]string{itemVar: "", indexVar: "", varsVar: varsVar}
	if list != "" {
		names[itemVar] = list + "[]"
	}
	for _, name := range more {
		names[name] = ""
	}
	return &node.Script{Language: node.LanguageExpr, Names: names}
}

// Evaluation evaluates one expression for the items of one list. It is for one
// goroutine.
type Evaluation struct {
	of      *Expression
	item    any
	index   int
	acc     any
	vars    map[string]any
	machine vm.VM
	env     map[string]any // the same for the machine; made when it is needed
	meter   Meter
	results sizer // over all results
	sized   bool  // the last result is a value, and its cost is taken
}

// Start begins an evaluation. vars may be nil.
func (e *Expression) Start(ctx context.Context, vars map[string]any) *Evaluation {
	if vars == nil {
		vars = map[string]any{}
	}
	return &Evaluation{of: e, vars: vars, meter: Meter{ctx: ctx}, results: sizer{left: e.limits.results}}
}

// Meter is that of the evaluation, for other work of the same node.
func (e *Evaluation) Meter() *Meter { return &e.meter }

// At evaluates the expression for the item at index. The result is a value.
func (e *Evaluation) At(index int, item any) (any, error) {
	v, err := e.evaluate(index, item)
	if err != nil {
		return nil, err
	}
	if !e.sized {
		if v, err = e.results.value(v); err != nil {
			return nil, resultError(index, err)
		}
	}
	if !e.of.picks {
		err = e.meter.Hold(shell(v))
	}
	return v, err
}

// Key is [Evaluation.At] for results by which items are compared. What is only
// picked from the item takes no memory of its own and is not charged for.
func (e *Evaluation) Key(index int, item any) (any, error) {
	if !e.of.picks {
		return e.At(index, item)
	}
	e.index, e.item = index, item
	if v, ok := e.of.direct(e); ok {
		return v, e.meter.Tick()
	}
	return e.At(index, item)
}

func (e *Evaluation) evaluate(index int, item any) (any, error) {
	if err := e.meter.Tick(); err != nil {
		return nil, err
	}
	e.index, e.item, e.sized = index, item, false
	if e.of.direct != nil {
		if v, ok := e.of.direct(e); ok {
			return v, nil
		}
	}
	return e.run()
}

// run evaluates the expression with the machine.
func (e *Evaluation) run() (any, error) {
	if e.env == nil {
		e.env = map[string]any{varsVar: e.vars, meterVar: &e.meter}
	}
	e.env[itemVar], e.env[indexVar], e.env[Acc] = Plain(e.item), e.index, Plain(e.acc)
	e.meter.built = sizer{left: e.of.limits.built}
	v, err := e.machine.Run(e.of.program, e.env)
	if err != nil {
		return nil, e.failure(e.index, err)
	}
	return v, nil
}

// failure explains why the expression failed for an item.
func (e *Evaluation) failure(index int, err error) error {
	if cause := e.meter.ctx.Err(); cause != nil {
		return cause
	}
	code := node.CodeFailed
	if errors.Is(err, errTooBig) || errors.Is(err, errTooDeep) || strings.Contains(err.Error(), "memory budget exceeded") {
		code = node.CodeLimitExceeded
	}
	return node.Permanent(node.Errorf(code, "the expression fails%s: %s", forItem(index), oneLine(err)))
}

func resultError(index int, err error) error {
	code := node.CodeTypeError
	switch {
	case errors.Is(err, errTooBig), errors.Is(err, errTooDeep):
		code = node.CodeLimitExceeded
	case errors.Is(err, errNotFinite):
		code = node.CodeNotFinite
	}
	return node.Permanent(node.Errorf(code, "the expression's result%s: %w", forItem(index), err))
}
