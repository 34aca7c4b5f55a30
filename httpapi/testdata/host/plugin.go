package main

import (
	"context"
	"strings"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

// shouting is a plugin of the host.
type shouting struct{}

func (shouting) Install(r *node.Registrar) {
	r.RegisterSpec(node.Spec{
		Type: "host.shout", Label: "Shout",
		Inputs:  []node.Port{{Name: "text", Type: value.String()}},
		Outputs: []node.Port{{Name: "loud", Type: value.String()}},
	})
	r.RegisterExecutor("host.shout", func(_ context.Context, inputs map[string]any) (map[string]any, error) {
		return map[string]any{"loud": strings.ToUpper(inputs["text"].(string)) + "!"}, nil
	})
}
