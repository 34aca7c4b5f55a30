package enginetest

import (
	"context"

	"golang.org/x/sync/errgroup"

	"github.com/svcflow/svc/engine/node"
)

// containing returns the container node types. Inputs of the body are ports of the node,
// except "item" and "index", which loops provide.
func containing() []node.Node {
	container := func(typ string, ports []node.Port, bind node.Bind) node.Node {
		return node.Node{
			Spec: node.Spec{Type: typ, Container: true, Timeout: node.BodyTimeout, Inputs: ports},
			Bind: bind,
		}
	}
	foreach := container("test.foreach", []node.Port{input("list", "list<any>", false)}, bindForeach)
	foreach.Spec.Loop = &node.Loop{Over: "list", Item: "item", Index: "index"}
	repeat := container("test.repeat", []node.Port{input("times", "int", false)}, bindRepeat)
	repeat.Spec.Loop = &node.Loop{Index: "index"}
	return []node.Node{
		foreach, repeat,
		container("test.sub", []node.Port{literal("workflowId", "string", true)}, bindSub),
		container("test.detached", nil, bindDetached),
	}
}

// bindForeach runs the body once for each item, in parallel. Its outputs are lists, with
// null for items without the output.
func bindForeach(b node.Binding) (node.Bound, []node.Problem) {
	if b.Body == nil {
		return node.Bound{}, []node.Problem{node.Invalid("", "a body is missing")}
	}
	outputs := b.Body.Outputs()
	for i := range outputs {
		outputs[i].Type = parse("list<any>")
	}
	return node.Bound{Inputs: b.Spec.Inputs, Outputs: outputs, Call: func(ctx context.Context, in, out []any) error {
		items := in[0].([]any)
		results := make([]map[string]any, len(items))
		group, ctx := errgroup.WithContext(ctx)
		for i, item := range items {
			group.Go(func() (err error) {
				results[i], err = b.Body.Run(ctx, i, map[string]any{"item": item, "index": i})
				return err
			})
		}
		if err := group.Wait(); err != nil {
			return err
		}
		for o := range outputs {
			list := make([]any, len(items))
			for i := range list {
				list[i] = results[i][outputs[o].Name]
			}
			out[o] = list
		}
		return nil
	}}, nil
}

// bindRepeat runs the body a number of times, one after the other, and emits the outputs of
// the last round.
func bindRepeat(b node.Binding) (node.Bound, []node.Problem) {
	if b.Body == nil {
		return node.Bound{}, []node.Problem{node.Invalid("", "a body is missing")}
	}
	outputs := b.Body.Outputs()
	return node.Bound{Inputs: b.Spec.Inputs, Outputs: outputs, Call: func(ctx context.Context, in, out []any) error {
		for i := range in[0].(int) {
			result, err := b.Body.Run(ctx, i, map[string]any{"index": i})
			if err != nil {
				return err
			}
			spread(outputs, result, out)
		}
		return nil
	}}, nil
}

// bindSub runs its body, or a stored workflow, once.
func bindSub(b node.Binding) (node.Bound, []node.Problem) {
	body := b.Body
	if id, ok := b.Config["workflowId"].(string); ok {
		var problems []node.Problem
		if body, problems = b.Workflow(id); len(problems) > 0 {
			return node.Bound{}, problems
		}
	}
	if body == nil {
		return node.Bound{}, []node.Problem{node.Invalid("", "a body or a workflowId is missing")}
	}
	inputs, outputs := append([]node.Port(nil), b.Spec.Inputs...), body.Outputs()
	inputs = append(inputs, body.Inputs()...)
	return node.Bound{Inputs: inputs, Outputs: outputs, Call: func(ctx context.Context, in, out []any) error {
		given := map[string]any{}
		for i := range inputs {
			if node.Present(in[i]) {
				given[inputs[i].Name] = in[i]
			}
		}
		result, err := body.Run(ctx, 0, given)
		if err != nil {
			return err
		}
		spread(outputs, result, out)
		return nil
	}}, nil
}

// bindDetached runs its body with a context that never ends.
func bindDetached(b node.Binding) (node.Bound, []node.Problem) {
	if b.Body == nil {
		return node.Bound{}, []node.Problem{node.Invalid("", "a body is missing")}
	}
	return node.Bound{Call: func(ctx context.Context, _, _ []any) error {
		_, err := b.Body.Run(context.WithoutCancel(ctx), 0, nil)
		return err
	}}, nil
}

// spread copies the outputs of a body into slots.
func spread(ports []node.Port, result map[string]any, out []any) {
	for o := range ports {
		if v, ok := result[ports[o].Name]; ok {
			out[o] = v
		}
	}
}
