package control

import (
	"context"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

// subworkflowNode is control.subworkflow.
func subworkflowNode() node.Node {
	return node.Node{
		Spec: node.Spec{
			Type: "control.subworkflow", Label: "Sub-workflow", Container: true, Timeout: node.BodyTimeout,
			Example: greeting(),
			Aliases: node.Words("call workflow, reuse, function", "unterablauf, aufrufen, wiederverwenden"),
			Description: "Runs another workflow as one node: a stored one, or the one inside this node. Its inputs and outputs are " +
				"the ports of this node.\n\n" +
				"Example: `workflowId` = `send-report`.",
			Inputs: []node.Port{
				{Name: "workflowId", Type: value.String(), Optional: true, Literal: true, Widget: "workflow", Description: "The stored workflow to run; leave it out if this node has a body."},
			},
		},
		Bind: bindSubworkflow,
	}
}

func bindSubworkflow(b node.Binding) (node.Bound, []node.Problem) {
	body, problems := chooseBody(b)
	if len(problems) > 0 {
		return node.Bound{}, problems
	}
	c := enclose(b.Spec, body)
	c.addInputs()
	c.addOutputs(sameType)
	return c.bound(func(ctx context.Context, in, out []any) error {
		outputs, err := body.Run(ctx, 0, c.given(in))
		if err != nil {
			return err
		}
		c.emit(outputs, out)
		return nil
	})
}

// chooseBody returns what a sub-workflow runs: exactly one of its body and a
// stored workflow.
func chooseBody(b node.Binding) (node.Body, []node.Problem) {
	v, given := b.Config["workflowId"]
	id, ok := v.(string)
	switch {
	case given && (!ok || id == ""):
		return nil, []node.Problem{node.Invalid("workflowId", "workflowId is the id of a stored workflow")}
	case given && b.Body != nil:
		return nil, []node.Problem{{
			Code: codeInvalidBody, Port: "workflowId", Message: "there are both a workflowId and a body",
			Hint: "remove one of them",
		}}
	case b.Body != nil:
		return b.Body, nil
	case !given:
		return nil, []node.Problem{{
			Code: codeInvalidBody, Message: "there is neither a workflowId nor a body",
			Hint: "choose a stored workflow, or put nodes inside this one",
		}}
	case b.Workflow == nil:
		return nil, []node.Problem{{
			Code: codeUnknownWorkflow, Port: "workflowId", Message: "there are no stored workflows here",
			Hint: "put the nodes inside this one",
		}}
	}
	return b.Workflow(id)
}
