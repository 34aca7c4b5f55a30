// Package expr is the expression language shared by the plugins that use expressions: that
// of github.com/expr-lang/expr, with limits on time and memory. It is the only package that
// uses the library.
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

// The limits of an expression. The source is short enough for a recursive parser, and the
// tree is small enough to be compiled during validation.
const (
	maxSource = 16 << 10 // bytes
	maxNodes  = 2_000
)

// Expression is a compiled expression over one item of a list. It is immutable and safe for
// concurrent use.
//
// An expression can only calculate: it has no access to files, network, environment or
// clock. Its time and memory are limited. Each loop checks the context (see Meter.Tick),
// and everything that it builds is charged to a budget (see sizer.charge), so it ends
// shortly after its context and cannot exhaust the memory.
type Expression struct {
	program *vm.Program
	direct  direct       // evaluates without the machine; nil if that is not possible
	picks   bool         // direct only selects a part of its input
	kind    reflect.Kind // of the result
	limits  limits
	hints   []node.Problem
}

// Compile compiles the config value of a node's literal port. The variables are item,
// index, vars and those in more.
func Compile(config map[string]any, port string, more ...string) (*Expression, []node.Problem) {
	source, ok := config[port].(string)
	if !ok { // other code reports missing values and wrong types
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

// Hints returns hints about parts of the expression that are valid but probably not meant.
// A nil Expression has none.
func (e *Expression) Hints() []node.Problem {
	if e == nil {
		return nil
	}
	return e.hints
}

// Kind returns the kind of the result; Interface if it is known only at run time.
func (e *Expression) Kind() reflect.Kind { return e.kind }

// compile returns the guarded program of an expression, and its tree without guards.
func compile(source string, more []string) (*vm.Program, ast.Node, error) {
	options := append(functions(), environment(more), expr.MaxNodes(maxNodes), expr.DisableBuiltin("now"))
	plain, err := expr.Compile(source, append(slices.Clone(options), expr.Optimize(false))...) // it folds constants without checks
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

// The variables of expressions. meterVar cannot be written in source text.
const (
	itemVar  = "item"
	indexVar = "index"
	varsVar  = "vars"
	// Acc is a variable of [Evaluation.Reduce] only.
	Acc      = "acc"
	meterVar = "~meter"
)

func invalidExpression(port, source string, err error, more []string) node.Problem {
	p := node.Invalid(port, "the expression is wrong: %s", oneLine(err))
	variables := append(slices.Clone(more), itemVar, indexVar)
	p.At = characterOf(source, err)
	p.Hint = cmp.Or(foreign(source), "the variables are "+strings.Join(variables, ", ")+" and vars, as in item.price > vars.limit")
	return p
}

// oneLine formats an error of the expression library with its position, but without the
// excerpt of the source.
func oneLine(err error) string {
	var at *file.Error
	if !errors.As(err, &at) {
		text, _, _ := strings.Cut(err.Error(), "\n")
		return text
	}
	return fmt.Sprintf("%s (line %d, character %d)", at.Message, max(at.Line, 1), at.Column+1)
}

// characterOf returns the position of an error in the source, in characters from 1, or 0 if
// it is unknown.
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

// OverItems returns the script of expressions over the items of the input list. Their
// variables are item, index, vars and those in more. An empty list means that the items
// come from no input.
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

// Evaluation evaluates one expression for the items of one list. It is not safe for
// concurrent use.
type Evaluation struct {
	of      *Expression
	item    any
	index   int
	acc     any
	vars    map[string]any
	machine vm.VM
	env     map[string]any // the variables for the machine; made when first needed
	meter   Meter
	results sizer // budget of all results
	sized   bool  // the last result is a value and has been charged
}

// Start begins an evaluation. vars may be nil.
func (e *Expression) Start(ctx context.Context, vars map[string]any) *Evaluation {
	if vars == nil {
		vars = map[string]any{}
	}
	return &Evaluation{of: e, vars: vars, meter: Meter{ctx: ctx}, results: sizer{left: e.limits.results}}
}

// Meter returns the meter of the evaluation, for other work of the same node.
func (e *Evaluation) Meter() *Meter { return &e.meter }

// At evaluates the expression for the item at index. The result is a valid value.
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

// Key is [Evaluation.At] for results that are only compared. A part selected from the item
// takes no additional memory and is not charged.
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

// failure returns the error of an expression that failed for an item.
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
