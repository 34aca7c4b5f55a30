package nodetest

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

// The codes of problems that the engine itself finds.
const (
	codeMissingRequiredInput = "missing_required_input"
	codeMissingInputPort     = "missing_input_port"
	codeUnknownConfig        = "unknown_config"
)

// binding is a bound node with its inputs. It can be called unless it has problems.
type binding struct {
	node.Bound
	spec     *node.Spec
	slots    []any // by Bound.Inputs
	problems []node.Problem
}

func (b *binding) report(code, port, format string, args ...any) {
	b.problems = append(b.problems, node.Problem{Code: code, Port: port, Message: fmt.Sprintf(format, args...)})
}

// bind does what the engine does at validation and before a call. A wired value has
// precedence over config, and config over the default.
func (h *Host) bind(typ string, config, wired map[string]any, inside node.Body) *binding {
	h.tb.Helper()
	n, ok := h.registry.Lookup(typ)
	if !ok {
		h.tb.Fatalf("there is no node type %q", typ)
	}
	b := &binding{spec: &n.Spec}
	literals := n.Spec.Literals(config, b.wrongLiteral)
	if len(b.problems) > 0 {
		return b
	}
	b.Bound, b.problems = n.Bind(node.Binding{
		Spec:        &n.Spec,
		Config:      literals,
		Wired:       func(port string) bool { _, ok := wired[port]; return ok },
		WiredOutput: func(string) bool { return false },
		Deferred:    func(string) bool { return false },
		Body:        inside,
	})
	if len(b.problems) > 0 {
		return b
	}
	b.checkNames(config, wired)
	b.slots = make([]any, len(b.Inputs))
	for i := range b.Inputs {
		b.slots[i] = b.fill(&b.Inputs[i], config, wired)
	}
	return b
}

func (b *binding) wrongLiteral(p *node.Port, err error) {
	code := ""
	if errors.Is(err, node.ErrNotGiven) {
		code = codeMissingRequiredInput
	}
	b.report(code, p.Name, "%v", err)
}

func (b *binding) checkNames(config, wired map[string]any) {
	known := map[string]bool{}
	for i := range b.Inputs {
		known[b.Inputs[i].Name] = true
	}
	for _, name := range slices.Sorted(maps.Keys(config)) {
		if !known[name] {
			b.report(codeUnknownConfig, name, "no such input")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(wired)) {
		if !known[name] {
			b.report(codeMissingInputPort, name, "no such input")
		}
	}
}

// fill returns the value for the slot of input p.
func (b *binding) fill(p *node.Port, config, wired map[string]any) any {
	if v, ok := wired[p.Name]; ok {
		if p.Literal {
			b.report("", p.Name, "takes no wire")
		}
		return b.arrive(p, v)
	}
	if v, ok := config[p.Name]; ok {
		return b.accept("", p, v)
	}
	if p.Default != nil {
		return p.Default
	}
	if !p.Optional {
		b.report(codeMissingRequiredInput, p.Name, "the required input is not given")
	}
	return node.Absent{}
}

// arrive converts a wired value as the engine does: for a list port, a value that is not a
// list is wrapped in one.
func (b *binding) arrive(p *node.Port, v any) any {
	if !node.Present(v) {
		return v
	}
	if _, list := v.([]any); !list && p.Type.Kind() == value.KindList {
		v = []any{v}
	}
	return b.accept(node.CodeTypeError, p, v)
}

func (b *binding) accept(code string, p *node.Port, v any) any {
	v, err := p.Accept(v)
	if err != nil {
		b.report(code, p.Name, "%v", err)
	}
	return v
}
