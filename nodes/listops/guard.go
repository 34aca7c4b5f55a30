package listops

import (
	"context"
	"errors"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/vm/runtime"
)

// The functions that guard calls. No source text can spell their names.
const (
	tickFunction   = "~tick"
	chargeFunction = "~charge"
	fieldFunction  = "~field"
)

// root remembers the last node it has seen. A walk goes upwards, so that is the
// root of the tree.
type root struct{ node *ast.Node }

// Visit implements ast.Visitor.
func (r *root) Visit(n *ast.Node) { r.node = n }

// guard puts calls into an expression: each turn of a loop ticks, and what
// builds something new is charged for it. Fields of records are read without the
// reflection that the library needs, which takes most of the time of simple
// expressions. The root is not charged, since results
// are measured anyway.
type guard struct {
	root root
	err  error
}

// Visit implements ast.Visitor.
func (g *guard) Visit(n *ast.Node) {
	switch x := (*n).(type) {
	case *ast.IdentifierNode:
		if x.Value == "$env" {
			g.err = errors.New("$env is not available; use item, index and vars by their names")
		}
	case *ast.MemberNode:
		if _, named := x.Property.(*ast.StringNode); named && !optional(x) {
			ast.Patch(n, &ast.CallNode{Callee: &ast.IdentifierNode{Value: fieldFunction}, Arguments: []ast.Node{x.Node, x.Property}})
		}
	case *ast.PredicateNode:
		x.Node = &ast.SequenceNode{Nodes: []ast.Node{call(tickFunction), x.Node}}
	case *ast.BuiltinNode, *ast.CallNode, *ast.ArrayNode, *ast.MapNode:
		g.charge(n)
	case *ast.BinaryNode:
		if x.Operator == "+" {
			g.charge(n)
		}
	}
}

func (g *guard) charge(n *ast.Node) {
	if n != g.root.node {
		ast.Patch(n, call(chargeFunction, *n))
	}
}

// optional reports whether there is a ?. in front of the last name of x. Such a
// chain is left alone: it jumps to its end.
func optional(x *ast.MemberNode) bool {
	for ok := true; ok; x, ok = x.Node.(*ast.MemberNode) {
		if x.Optional {
			return true
		}
	}
	return false
}

func call(function string, args ...ast.Node) ast.Node {
	meter := &ast.IdentifierNode{Value: meterVar}
	return &ast.CallNode{Callee: &ast.IdentifierNode{Value: function}, Arguments: append([]ast.Node{meter}, args...)}
}

// meter watches one evaluation from inside.
type meter struct {
	ctx   context.Context
	turns uint
	built sizer // what the current item has cost
}

// turnsPerCheck is how many turns of loops go by between two looks at the
// context.
const turnsPerCheck = 256

// tick counts a turn of a loop. Its error is the context's.
func (m *meter) tick() error {
	m.turns++
	if m.turns%turnsPerCheck == 0 {
		return m.ctx.Err()
	}
	return nil
}

// guardFunctions are what guard calls.
func guardFunctions() []expr.Option {
	return []expr.Option{
		expr.Function(tickFunction, func(args ...any) (any, error) {
			return nil, args[0].(*meter).tick()
		}),
		expr.Function(chargeFunction, func(args ...any) (any, error) {
			return args[1], args[0].(*meter).built.charge(args[1], 0)
		}),
		expr.Function(fieldFunction, func(args ...any) (any, error) {
			if record, ok := args[0].(map[string]any); ok {
				return record[args[1].(string)], nil
			}
			return runtime.Fetch(args[0], args[1]), nil
		}),
	}
}
