package expr

import (
	"context"
	"errors"
	"slices"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/vm/runtime"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

// The functions that guard inserts. Their names cannot be written in source text.
const (
	tickFunction    = "~tick"
	chargeFunction  = "~charge"
	fieldFunction   = "~field"
	chainFunction   = "~chain"
	plainFunction   = "~plain"
	matchesFunction = "~matches"
)

// root remembers the last visited node. A walk visits parents last, so that is the root of
// the tree.
type root struct{ node *ast.Node }

// Visit implements ast.Visitor.
func (r *root) Visit(n *ast.Node) { r.node = n }

// guard inserts calls into an expression: each turn of a loop calls tick, and everything
// that builds something new is charged. It also reads fields of records without the
// library's reflection, which takes most of the time of simple expressions, and converts
// credentials and media to their JSON form. The root is not charged, because results are
// measured anyway.
type guard struct {
	root root
	err  error
}

// Visit implements ast.Visitor. Children are visited before their parent.
func (g *guard) Visit(n *ast.Node) {
	switch x := (*n).(type) {
	case *ast.IdentifierNode:
		if x.Value == "$env" {
			g.err = errors.New("$env is not available; use item, index and vars by their names")
		}
	case *ast.MemberNode:
		guardMember(n, x)
	case *ast.ChainNode:
		guardChain(n, x)
	case *ast.PointerNode:
		if x.Name == "" || x.Name == Acc {
			ast.Patch(n, call(plainFunction, x))
		}
	case *ast.PredicateNode:
		x.Node = &ast.SequenceNode{Nodes: []ast.Node{metered(tickFunction), x.Node}}
	case *ast.BuiltinNode:
		patchExact(n)
		g.charge(n)
	case *ast.CallNode, *ast.ArrayNode, *ast.MapNode:
		g.charge(n)
	case *ast.SliceNode, *ast.UnaryNode:
		patchExact(n)
	case *ast.BinaryNode:
		patchExact(n)
		switch x.Operator {
		case "+":
			g.charge(n)
		case "matches":
			g.guardMatches(n, x)
		}
	}
}

func (g *guard) charge(n *ast.Node) {
	if n != g.root.node {
		ast.Patch(n, metered(chargeFunction, *n))
	}
}

// guardMember replaces access to a field or an item. It leaves optional chains alone until
// they are complete, because they jump to their end.
func guardMember(n *ast.Node, x *ast.MemberNode) {
	if optional(x) {
		return
	}
	if _, named := x.Property.(*ast.StringNode); named {
		ast.Patch(n, call(fieldFunction, x.Node, x.Property))
		return
	}
	ast.Patch(n, call(itemFunction, x.Node, x.Property))
}

// optional reports whether x contains a ?. operator.
func optional(x *ast.MemberNode) bool {
	for ok := true; ok; x, ok = x.Node.(*ast.MemberNode) {
		if x.Optional {
			return true
		}
	}
	return false
}

// guardChain replaces a chain of fields such as item?.a.b and leaves other chains
// unchanged.
func guardChain(n *ast.Node, x *ast.ChainNode) {
	var links []ast.Node
	of := x.Node
	for {
		link, ok := of.(*ast.MemberNode)
		if !ok {
			break
		}
		if _, named := link.Property.(*ast.StringNode); !named {
			return
		}
		links = append(links, link.Property, &ast.BoolNode{Value: link.Optional})
		of = link.Node
	}
	slices.Reverse(links)
	if len(links) > 0 {
		ast.Patch(n, call(chainFunction, append([]ast.Node{of}, links...)...))
	}
}

func (g *guard) guardMatches(n *ast.Node, x *ast.BinaryNode) {
	pattern := x.Right
	if constant, ok := pattern.(*ast.StringNode); ok {
		compiled, err := compilePattern(constant.Value)
		if err != nil {
			g.err = err
			return
		}
		pattern = &ast.ConstantNode{Value: compiled}
	}
	ast.Patch(n, call(matchesFunction, x.Left, pattern))
}

func call(function string, args ...ast.Node) ast.Node {
	return &ast.CallNode{Callee: &ast.IdentifierNode{Value: function}, Arguments: args}
}

// metered is call with the meter as the first argument.
func metered(function string, args ...ast.Node) ast.Node {
	return call(function, append([]ast.Node{&ast.IdentifierNode{Value: meterVar}}, args...)...)
}

// Meter limits the time and memory of one evaluation and of other work of its node. It is
// not safe for concurrent use.
type Meter struct {
	ctx   context.Context
	turns uint
	built sizer // cost of the current item
	due   int   // bytes of results not yet reserved with node.Hold
}

// NewMeter returns a meter for work that ends with ctx.
func NewMeter(ctx context.Context) *Meter { return &Meter{ctx: ctx} }

// turnsPerCheck is the number of loop turns between checks of the context.
const turnsPerCheck = 256

// Tick counts a turn of a loop. It returns the error of the context.
func (m *Meter) Tick() error {
	m.turns++
	if m.turns%turnsPerCheck == 0 {
		return m.ctx.Err()
	}
	return nil
}

// askEvery is the number of bytes that are reserved at once.
const askEvery = 256 << 10

// Hold reserves bytes of memory for the node, in larger steps; see [node.Hold].
func (m *Meter) Hold(bytes int) error {
	if m.due += bytes; m.due < askEvery {
		return nil
	}
	due := m.due
	m.due = 0
	return node.Hold(m.ctx, due)
}

// shell returns the memory of a string, list or record without its parts.
func shell(v any) int {
	switch v := v.(type) {
	case []any:
		return value.ListWeight(len(v))
	case map[string]any:
		return value.RecordWeight(len(v))
	case string:
		return len(v)
	}
	return 0
}

// guardFunctions returns the functions that guard inserts.
func guardFunctions() []expr.Option {
	return []expr.Option{
		expr.Function(tickFunction, func(args ...any) (any, error) {
			return nil, args[0].(*Meter).Tick()
		}),
		expr.Function(chargeFunction, func(args ...any) (any, error) {
			return Plain(args[1]), args[0].(*Meter).built.charge(args[1], 0)
		}),
		expr.Function(fieldFunction, func(args ...any) (any, error) {
			return field(args[0], args[1].(string)), nil
		}),
		expr.Function(chainFunction, func(args ...any) (any, error) {
			return chain(args[0], args[1:]), nil
		}),
		expr.Function(plainFunction, func(args ...any) (any, error) {
			return Plain(args[0]), nil
		}),
		expr.Function(matchesFunction, func(args ...any) (any, error) {
			return matches(args[0], args[1])
		}, new(func(any, any) bool)),
	}
}

// field returns the field name of a record, or what the library finds under that name in
// other values. It panics if there is nothing.
func field(of any, name string) any {
	of = Plain(of)
	if record, ok := of.(map[string]any); ok {
		return Plain(record[name])
	}
	return runtime.Fetch(of, name)
}

// chain follows links: pairs of whether the link is optional and its name.
func chain(of any, links []any) any {
	for i := 0; i < len(links); i += 2 {
		if optional := links[i].(bool); optional && of == nil {
			return nil
		}
		of = field(of, links[i+1].(string))
	}
	return of
}
