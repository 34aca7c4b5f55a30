package trigger

import (
	"time"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

func manualNode() node.Node {
	return node.Node{
		Spec: node.Spec{
			Type: "trigger.manual", Label: "By hand", Role: node.RoleTrigger, Inline: true,
			Aliases: node.Words("button, start, test, trigger", "knopf, start, von hand, auslöser"),
			Example: &node.Example{Config: map[string]any{"sample": map[string]any{"order": 17}}},
			Description: "Starts the workflow when somebody asks for it: in the editor, with `svc run`, or by a request that names this node " +
				"in `trigger`. It fires by itself never.\n\n" +
				"Example: with `sample` = `{\"order\": 17}` the workflow can be tried before anything calls it; a request with the payload " +
				"`{\"payload\": {\"order\": 18}}` gives another value.",
			Inputs: []node.Port{setting(node.Port{
				Name: "sample", Type: value.Any(), Optional: true, Widget: "json", Description: "What is put out when the request brings no payload.",
			})},
			Outputs: []node.Port{{Name: "payload", Type: value.Any(), Description: "What the request brought, else the sample, else null."}},
		},
		Bind: func(b node.Binding) (node.Bound, []node.Problem) {
			sample := b.Config["sample"]
			return node.Bound{
				Inputs: b.Spec.Inputs, Outputs: b.Spec.Outputs,
				Sample: func(time.Time) map[string]any { return map[string]any{"payload": sample} },
			}, nil
		},
	}
}
