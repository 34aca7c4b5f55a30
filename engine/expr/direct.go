package expr

import (
	"reflect"
	"slices"
	"unicode/utf8"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/vm/runtime"
)

// direct evaluates a simple expression, or a part of one, for the item of e without the
// library's virtual machine, which takes two to three times as long and twice the
// allocations (BenchmarkW4 of nodes/listops; docs/decisions/expressions.md). It returns
// false if it does not know the result, which includes failures; then the machine evaluates
// the whole expression. It calculates with the same functions as the machine, so results
// are the same.
type direct func(e *Evaluation) (v any, ok bool)

// compileDirect returns nil unless an expression consists only of variables, fields,
// constants, arithmetic, comparisons and logic, or is a record of such expressions.
func compileDirect(root ast.Node) direct {
	if record, ok := root.(*ast.MapNode); ok {
		return directRecord(record)
	}
	return directPart(root)
}

// isPath reports whether n is a variable, or a chain of fields of a variable.
func isPath(n ast.Node) bool {
	for {
		switch x := n.(type) {
		case *ast.IdentifierNode:
			return true
		case *ast.MemberNode:
			n = x.Node
		default:
			return false
		}
	}
}

func directPart(n ast.Node) direct {
	switch n := n.(type) {
	case *ast.IdentifierNode:
		return directVariable(n.Value)
	case *ast.MemberNode:
		return directField(n)
	case *ast.BinaryNode:
		return directBinary(n)
	case *ast.UnaryNode:
		return directNot(n)
	case *ast.NilNode:
		return constant(nil)
	case *ast.BoolNode:
		return constant(n.Value)
	case *ast.StringNode:
		return constant(n.Value)
	case *ast.FloatNode:
		return constant(n.Value)
	case *ast.IntegerNode:
		if t := n.Type(); t != nil && t.Kind() == reflect.Int {
			return constant(n.Value)
		}
	}
	return nil
}

func constant(v any) direct { return func(*Evaluation) (any, bool) { return v, true } }

func directVariable(name string) direct {
	switch name {
	case itemVar:
		return func(e *Evaluation) (any, bool) { return Plain(e.item), true }
	case indexVar:
		return func(e *Evaluation) (any, bool) { return e.index, true }
	case Acc:
		return func(e *Evaluation) (any, bool) { return Plain(e.acc), true }
	case varsVar:
		return func(e *Evaluation) (any, bool) { return e.vars, true }
	}
	return nil // a variable that the expression declares
}

func directField(n *ast.MemberNode) direct {
	name, named := n.Property.(*ast.StringNode)
	of := directPart(n.Node)
	if !named || n.Optional || of == nil {
		return nil
	}
	field := name.Value
	return func(e *Evaluation) (any, bool) {
		v, ok := of(e)
		record, isRecord := v.(map[string]any)
		if !ok || !isRecord {
			return nil, false
		}
		return Plain(record[field]), true
	}
}

func directNot(n *ast.UnaryNode) direct {
	of := directPart(n.Node)
	if of == nil || n.Operator != "!" && n.Operator != "not" {
		return nil
	}
	return func(e *Evaluation) (any, bool) {
		v, ok := of(e)
		b, isBool := v.(bool)
		return !b, ok && isBool
	}
}

func directBinary(n *ast.BinaryNode) direct {
	left, right := directPart(n.Left), directPart(n.Right)
	if left == nil || right == nil {
		return nil
	}
	switch n.Operator {
	case "and", "&&":
		return shortCircuit(left, right, false)
	case "or", "||":
		return shortCircuit(left, right, true)
	case "==":
		return both(left, right, anything, func(a, b any) any { return runtime.Equal(a, b) })
	case "!=":
		return both(left, right, anything, func(a, b any) any { return !runtime.Equal(a, b) })
	case "<":
		return both(left, right, ordered, func(a, b any) any { return runtime.Less(a, b) })
	case "<=":
		return both(left, right, ordered, func(a, b any) any { return runtime.LessOrEqual(a, b) })
	case ">":
		return both(left, right, ordered, func(a, b any) any { return runtime.More(a, b) })
	case ">=":
		return both(left, right, ordered, func(a, b any) any { return runtime.MoreOrEqual(a, b) })
	case "+":
		return exact(left, right, add)
	case "-":
		return exact(left, right, subtract)
	case "*":
		return exact(left, right, multiply)
	case "/":
		return both(left, right, numbers, func(a, b any) any { return runtime.Divide(a, b) })
	}
	return nil
}

// shortCircuit returns the logic operator whose result is decided if left is decisive.
// Otherwise it returns the result of right, as the machine does.
func shortCircuit(left, right direct, decisive bool) direct {
	return func(e *Evaluation) (any, bool) {
		v, ok := left(e)
		b, isBool := v.(bool)
		switch {
		case !ok || !isBool:
			return nil, false
		case b == decisive:
			return v, true
		}
		return right(e)
	}
}

// both applies an operation to two operands if it accepts them.
func both(left, right direct, takes func(a, b any) bool, operation func(a, b any) any) direct {
	return func(e *Evaluation) (any, bool) {
		a, ok := left(e)
		if !ok {
			return nil, false
		}
		b, ok := right(e)
		if !ok || !takes(a, b) {
			return nil, false
		}
		return operation(a, b), true
	}
}

// exact applies an operation to two numbers. If the result does not fit, the machine says
// so.
func exact(left, right direct, operation func(a, b any) (any, error)) direct {
	return func(e *Evaluation) (any, bool) {
		a, ok := left(e)
		if !ok {
			return nil, false
		}
		b, ok := right(e)
		if !ok || !numbers(a, b) {
			return nil, false
		}
		v, err := operation(a, b)
		return v, err == nil
	}
}

func anything(_, _ any) bool { return true }

func numbers(a, b any) bool { return IsNumber(a) && IsNumber(b) }

func ordered(a, b any) bool {
	_, text := a.(string)
	_, alsoText := b.(string)
	return text && alsoText || numbers(a, b)
}

// directRecord makes a record with constant, unique field names. It charges the cost of the
// record while building it, so that the result need not be traversed again.
func directRecord(n *ast.MapNode) direct {
	names, values := make([]string, len(n.Pairs)), make([]direct, len(n.Pairs))
	for i, p := range n.Pairs {
		pair, isPair := p.(*ast.PairNode)
		if !isPair {
			return nil
		}
		key, constant := pair.Key.(*ast.StringNode)
		values[i] = directPart(pair.Value)
		if !constant || values[i] == nil || slices.Contains(names[:i], key.Value) || !utf8.ValidString(key.Value) {
			return nil
		}
		names[i] = key.Value
	}
	made := func(e *Evaluation) (record map[string]any, ok bool) {
		if e.results.take(itemCost) != nil {
			return nil, false
		}
		record = make(map[string]any, len(names))
		for i, name := range names {
			v, ok := values[i](e)
			if !ok || e.results.take(len(name)) != nil {
				return nil, false
			}
			var err error
			if record[name], _, err = e.results.convert(v, fieldDepth); err != nil {
				return nil, false
			}
		}
		return record, true
	}
	return func(e *Evaluation) (any, bool) {
		left := e.results.left
		record, ok := made(e)
		if !ok {
			e.results.left = left // the machine starts over
			return nil, false
		}
		e.sized = true
		return record, true
	}
}
