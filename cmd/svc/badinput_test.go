package main

import (
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/app"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/engine/workflow"
)

// TestEachNodeRefusesWhatFitsNoPort gives each input of each node type a value of a wrong type,
// and each node a setting that it does not have. Both errors name the node and port.
func TestEachNodeRefusesWhatFitsNoPort(t *testing.T) {
	a := openForTest(t)
	saveOrders(t, a)
	types, err := a.NodeTypes(t.Context())
	require.NoError(t, err)
	for _, spec := range types {
		text, errs, status := svcCommand(t, "", "nodes", spec.Type, "--example")
		require.Zero(t, status, errs)
		require.Contains(t, refusals(t, a, text, "no-such-port", 1), "unknown_config", spec.Type)
		for i := range spec.Inputs {
			if p := &spec.Inputs[i]; p.Type.Kind() != value.KindAny {
				require.NotEmpty(t, refusals(t, a, text, p.Name, misfit(p)), "%s takes %v for %s", spec.Type, misfit(p), p.Name)
			}
		}
	}
}

// refusals returns the codes of the errors for a port of an example with the given value.
func refusals(t *testing.T, a *app.App, text, port string, v any) (codes []string) {
	t.Helper()
	def, err := workflow.Decode([]byte(text), workflow.DefaultLimits())
	require.NoError(t, err)
	i := slices.IndexFunc(def.Nodes, func(n workflow.Node) bool { return n.ID == "node" })
	config := maps.Clone(def.Nodes[i].Config)
	if config == nil {
		config = map[string]any{}
	}
	config[port] = v
	def.Nodes[i].Config = config
	def.Connections = slices.DeleteFunc(def.Connections, func(c workflow.Connection) bool { return c.ToNodeID == "node" && c.ToPort == port })
	problems, err := a.Validate(t.Context(), def)
	require.NoError(t, err)
	for _, p := range problems {
		if p.NodeID == "node" && p.Message != "" {
			codes = append(codes, p.Code)
		}
	}
	return codes
}

// misfit returns a value that does not have the type of a port.
func misfit(p *node.Port) any {
	switch p.Type.Kind() {
	case value.KindList, value.KindRecord, value.KindMedia, value.KindBool:
		return "neither"
	default:
		return []any{map[string]any{"a": []any{}}}
	}
}
