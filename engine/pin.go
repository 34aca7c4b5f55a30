package engine

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/svcflow/svc/engine/node"
)

// Pin replaces the call of a node: it holds outputs, by port, or a failure. Outputs without
// an entry are not taken.
type Pin struct {
	Outputs map[string]any `json:"outputs,omitempty"`
	Error   *Failure       `json:"error,omitempty"`
}

// pin is a Pin converted for its node.
type pin struct {
	out []any // by output of the node
	err error
}

// takePins converts the given pins, by path, to the outputs of their nodes. Paths are
// "fmt", "loop/fmt" for all rounds of a loop, and "loop/3/fmt" for one.
func (p *Plan) takePins(given map[string]Pin) (map[string]*pin, ValidationErrors) {
	if len(given) == 0 {
		return nil, nil
	}
	var problems ValidationErrors
	pins := make(map[string]*pin, len(given))
	for _, path := range slices.Sorted(maps.Keys(given)) {
		n, problem := p.pinned(path)
		if problem == nil {
			pins[path], problem = n.take(given[path])
		}
		if problem != nil {
			problem.NodeID = path
			problems = append(problems, problem)
		}
	}
	return pins, problems
}

// pinned returns the node at a path, or a problem if it cannot be pinned.
func (p *Plan) pinned(path string) (*planNode, *ValidationError) {
	parts := strings.Split(path, "/")
	n, in, missing := p.find(parts)
	if n == nil && len(parts) > 2 {
		n, _, _ = p.find(withoutRounds(parts))
	}
	switch {
	case n == nil:
		hint := "nothing is inside of it"
		if in != nil {
			hint = "there are " + listed(len(in.nodes), func(i int) string { return in.nodes[i].id })
		}
		message := fmt.Sprintf("there is no node %q to pin", path)
		if missing != path {
			message += fmt.Sprintf(": no %q in it", missing)
		}
		return nil, &ValidationError{Code: CodeUnknownPin, Message: message, Hint: hint}
	case n.role != node.RoleStep:
		return nil, &ValidationError{
			Code: CodeUnknownPin, Message: fmt.Sprintf("the node %q stands for what the workflow is given or gives, which cannot be pinned", path),
			Hint: "give the inputs of the run, or pin what leads to it",
		}
	}
	return n, nil
}

// find returns the node at the path ids, outermost first, and the plan that contains it. If
// there is none, n is nil, in is the last plan searched, or nil for a node without a body,
// and missing is the id not found.
func (p *Plan) find(ids []string) (n *planNode, in *Plan, missing string) {
	for k, id := range ids {
		if p == nil {
			return nil, nil, id
		}
		i := slices.IndexFunc(p.nodes, func(n planNode) bool { return n.id == id })
		switch {
		case i < 0:
			return nil, p, id
		case k == len(ids)-1:
			return &p.nodes[i], p, ""
		}
		p = p.nodes[i].inner
	}
	return nil, nil, ""
}

// Step is a node that a plan may call.
type Step struct {
	Path string // without the numbers of rounds: "loop/fmt"
	Type string
}

// Steps returns the nodes that p may call, including those inside bodies and stored
// workflows, each after the node that contains it. A stored workflow is repeated at each
// place that calls it, so callers must limit how many they read.
func (p *Plan) Steps() iter.Seq[Step] {
	return func(yield func(Step) bool) { p.steps("", yield) }
}

// steps recurses at most as deep as workflow.Limits allows.
func (p *Plan) steps(before string, yield func(Step) bool) bool {
	for i := range p.nodes {
		n := &p.nodes[i]
		if n.role != node.RoleStep {
			continue
		}
		if !yield(Step{before + n.id, n.typ}) || n.inner != nil && !n.inner.steps(before+n.id+"/", yield) {
			return false
		}
	}
	return true
}

// withoutRounds returns the ids of a path with round numbers between them, or nil if
// something else is there.
func withoutRounds(parts []string) (ids []string) {
	for i, part := range parts {
		if i%2 == 0 {
			ids = append(ids, part)
		} else if _, err := strconv.ParseUint(part, 10, 31); err != nil {
			return nil
		}
	}
	return ids
}

// take converts a pin to the outputs of n, which are checked like those of a call.
func (n *planNode) take(given Pin) (*pin, *ValidationError) {
	made := &pin{out: make([]any, len(n.outputs))}
	absent(made.out)
	if e := given.Error; e != nil {
		if len(given.Outputs) > 0 {
			return nil, &ValidationError{Code: CodeUnknownPin, Message: "a pin has outputs or an error, not both"}
		}
		made.err = node.Permanent(&node.Error{Code: e.Code, Message: e.Message})
		if e.Code == "" {
			return nil, &ValidationError{Code: CodeUnknownPin, Message: "the error of a pin has no code", Hint: `give one, such as "failed"`}
		}
		return made, nil
	}
	for _, name := range slices.Sorted(maps.Keys(given.Outputs)) {
		k := slices.IndexFunc(n.outputs, func(p node.Port) bool { return p.Name == name })
		if k < 0 {
			return nil, &ValidationError{
				Code: CodeMissingOutputPort, Port: name, Message: fmt.Sprintf("the pinned node has no output %q", name),
				Hint: "it has: " + portNames(n.outputs),
			}
		}
		v, err := node.Accept(&n.outputs[k], given.Outputs[name])
		if err != nil {
			return nil, &ValidationError{
				Code: node.CodeOf(err), Port: name, Message: fmt.Sprintf("the pinned %v", err), Hint: "give a value of type " + n.outputs[k].Type.Brief(),
			}
		}
		made.out[k] = v
	}
	return made, nil
}

// answerPinned ends node i with its pin, if there is one, and reports whether there was. in
// are the inputs of the call that the pin replaces.
func (x *execution) answerPinned(i int32, in []any) bool {
	id := x.plan.nodes[i].id
	pin, ok := x.pins[x.path+id]
	if !ok {
		if pin, ok = x.pins[x.inside+id]; !ok {
			return false
		}
	}
	if x.asked != nil {
		inputs := make(map[string]any, len(in))
		for k, v := range in {
			if node.Present(v) {
				inputs[x.plan.nodes[i].inputs[k].Name] = x.clean(v)
			}
		}
		x.asked(x.pathOf(i), inputs)
	}
	err := pin.err
	if err == nil {
		copy(x.values[x.plan.graph.outLo[i]:], pin.out)
		err = x.plan.nodes[i].notDone(pin.out, nil)
	}
	x.done(i, err)
	return true
}

// hold waits before node i until the host's Before function returns. It reports whether the
// run continues; if it has ended, i never starts.
func (x *execution) hold(ctx context.Context, i int32) bool {
	x.idle()
	x.before(ctx, x.pathOf(i))
	x.compute(ctx)
	x.now = x.since()
	return ctx.Err() == nil
}
