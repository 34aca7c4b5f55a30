package control

import (
	"context"
	"fmt"
	"maps"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

// continueOutput is the output of a while's body that decides whether it runs
// again.
const continueOutput = "continue"

// maxRounds is the highest maxIterations.
const maxRounds = 1_000_000

// whileNode is control.while.
func whileNode() node.Node {
	return node.Node{
		Spec: node.Spec{
			Type: "control.while", Label: "While", Container: true, Timeout: node.BodyTimeout, Loop: &node.Loop{While: continueOutput},
			Example: pages(),
			Aliases: node.Words("loop, repeat until, polling", "schleife, solange, wiederholen"),
			Description: "Runs its body, and runs it again as long as its output `continue` is true. Each output of the body feeds " +
				"the input of the same name in the next round; one that was not emitted keeps its last value. The body's inputs " +
				"are ports of this node and begin the first round; its outputs, all but `continue`, come out after the last.\n\n" +
				"A body that does not emit `continue` fails, and one that still wants to go on after `maxIterations` rounds fails " +
				"with `limit_exceeded`.\n\n" +
				"Example: a body with the input `page` and the outputs `page` (one more) and `continue` reads page after page.",
			Inputs: []node.Port{
				{Name: "maxIterations", Type: value.Int(), Default: 1000, Description: "How many rounds at most, 1 to 1,000,000."},
			},
			Outputs: []node.Port{{Name: "iterations", Type: value.Int(), Description: "How many rounds it took."}},
		},
		Bind: bindWhile,
	}
}

// loop is one control.while of a workflow.
type loop struct {
	*container

	fed []string // the body's inputs that an output feeds
}

func bindWhile(b node.Binding) (node.Bound, []node.Problem) {
	if b.Body == nil {
		return node.Bound{}, noBody()
	}
	l := &loop{container: enclose(b.Spec, b.Body)}
	l.addInputs()
	l.addOutputs(sameType, continueOutput)
	l.problems = append(l.problems, checkRange(b, "maxIterations", 1, maxRounds)...)
	outputs := b.Body.Outputs()
	again := findPort(outputs, continueOutput)
	if again == nil || value.Assign(again.Type, value.Bool()) == value.Misfit {
		l.misfit("the body has no output \"continue\" that is a bool", "add one; it says whether to run again")
	}
	inputs := b.Body.Inputs()
	fed := make(map[string]*node.Port, len(inputs))
	for i := range inputs {
		fed[inputs[i].Name] = &inputs[i]
	}
	for i := range outputs {
		in := fed[outputs[i].Name]
		if in == nil {
			continue
		}
		if value.Assign(outputs[i].Type, in.Type) == value.Misfit {
			l.misfit(fmt.Sprintf("the body's output %q is %s and cannot feed its input of that name, which is %s",
				in.Name, outputs[i].Type.Brief(), in.Type.Brief()), "give both the same type, or rename one")
		}
		l.fed = append(l.fed, in.Name)
	}
	return l.bound(l.call)
}

func (l *loop) call(ctx context.Context, in, out []any) error {
	limit := in[0].(int)
	if err := inRange("maxIterations", limit, 1, maxRounds); err != nil {
		return err
	}
	ctx, done := node.Worker(ctx)
	defer done()
	inputs, last := l.given(in), map[string]any{}
	for round := range limit {
		again, err := l.round(ctx, round, inputs, last)
		if err != nil {
			return err
		}
		if !again {
			l.emit(last, out)
			out[len(l.names)] = round + 1
			return nil
		}
	}
	return &node.Error{
		Code: node.CodeLimitExceeded, Permanent: true,
		Message: fmt.Sprintf("the body still wants to continue after %d rounds; raise maxIterations, or let \"continue\" become false", limit),
	}
}

// round runs the body once, updates inputs and last with what it emits, and
// returns whether it wants another round.
func (l *loop) round(ctx context.Context, n int, inputs, last map[string]any) (again bool, err error) {
	outputs, err := l.body.Run(ctx, n, maps.Clone(inputs))
	switch {
	case ctx.Err() != nil:
		return false, ctx.Err()
	case err != nil:
		return false, located(fmt.Sprintf("round %d", n), err)
	}
	node.Progress(ctx, n+1, 0, "")
	again, ok := outputs[continueOutput].(bool)
	if !ok {
		return false, noDecision(n, outputs)
	}
	maps.Copy(last, outputs)
	for _, name := range l.fed {
		if v, emitted := outputs[name]; emitted {
			inputs[name] = v
		}
	}
	return again, nil
}

// noDecision is the failure of a body that did not set the output continue.
func noDecision(n int, outputs map[string]any) error {
	v, emitted := outputs[continueOutput]
	if !emitted {
		return &node.Error{
			Code: node.CodeFailed, Permanent: true,
			Message: fmt.Sprintf("round %d: the body did not emit \"continue\"; it has to in every round", n),
		}
	}
	return node.Errorf(node.CodeTypeError, "round %d: the body's output \"continue\" has to be a bool, not %s", n, value.KindOf(v))
}
