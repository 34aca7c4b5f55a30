package control

import (
	"context"
	"regexp"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

// codePattern matches codes of failures: snake_case, like those of the engine.
var codePattern = regexp.MustCompile(`^[a-z][a-z0-9_]{0,63}$`)

const codeHint = `write it like "out_of_stock": small letters, digits and _`

// failNode is control.fail.
func failNode() node.Node {
	return node.Node{
		Spec: node.Spec{
			Type: "control.fail", Label: "Fail",
			Aliases: node.Words("error, stop, throw, abort", "fehler, abbrechen, stopp"),
			Example: &node.Example{Config: map[string]any{"code": "out_of_stock"}},
			Description: "Fails, on purpose, and is not tried again. Wire `$error` to handle it; else the run fails with this message.\n\n" +
				"Example: `message` = `Nothing left in stock`, `code` = `out_of_stock`.",
			Inputs: []node.Port{
				{Name: "message", Type: value.String(), Description: "What went wrong, for people."},
				{Name: "code", Type: value.String(), Default: node.CodeFailed, Description: "What went wrong, for workflows: a word in snake_case."},
				{Name: "value", Type: value.Any(), Optional: true, Description: "Takes any wire, so that the node fails when that value comes."},
			},
			Outputs: []node.Port{{Name: "value", Type: value.Any(), Description: "Never emitted; it lets the node stand in the middle of a branch."}},
		},
		Bind: bindFail,
	}
}

func bindFail(b node.Binding) (node.Bound, []node.Problem) {
	bound := node.Bound{Inputs: b.Spec.Inputs, Outputs: b.Spec.Outputs, Call: fail}
	if code, ok := b.Config["code"].(string); ok && !codePattern.MatchString(code) {
		return bound, []node.Problem{{Port: "code", Message: "the code is no word in snake_case", Hint: codeHint}}
	}
	return bound, nil
}

func fail(_ context.Context, in, _ []any) error {
	message, code := in[0].(string), in[1].(string)
	if !codePattern.MatchString(code) {
		return node.Errorf(node.CodeInvalidInput, "the code is no word in snake_case; %s", codeHint)
	}
	if message == "" {
		message = "failed with code " + code
	}
	return &node.Error{Code: code, Message: message, Permanent: true}
}
