package uitest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/layout/cards"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/nodes"
	"github.com/svcflow/svc/nodes/microblog"
	"github.com/svcflow/svc/nodes/pronet"
	"github.com/svcflow/svc/nodes/service"
	"github.com/svcflow/svc/ui/editor/doc"
)

// Registry returns the node types that every program has, those of two networks, and more.
func Registry(t testing.TB, more ...node.Plugin) *node.Registry {
	t.Helper()
	plugins := append(nodes.Builtin(nodes.Env{}), pronet.New(service.Config{}), microblog.New(service.Config{}))
	registry, err := node.NewRegistry(append(plugins, more...)...)
	require.NoError(t, err)
	return registry
}

// Specs returns the specs of the types in a registry.
func Specs(registry *node.Registry) *doc.Specs {
	return doc.NewSpecs(registry.Specs(), cards.BoundPorts(registry))
}

// Definition parses a workflow.
func Definition(t testing.TB, text string) *workflow.Definition {
	t.Helper()
	def, err := workflow.Decode([]byte(text), workflow.DefaultLimits())
	require.NoError(t, err)
	return def
}
