package nodes_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/credentials/network"
	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes"
)

// offered returns the variables that the node for reading variables offers.
func offered(t *testing.T, env nodes.Env) (names []any) {
	t.Helper()
	registry, err := node.NewRegistry(nodes.Builtin(env)...)
	require.NoError(t, err)
	choices, err := engine.Choices(t.Context(), registry, "io.env_read", "name", nil)
	require.NoError(t, err)
	for _, c := range choices {
		names = append(names, c.Value)
	}
	return names
}

func TestVariablesThatMayBeReadAreOffered(t *testing.T) {
	t.Setenv("SVC_VAR_REGION", "eu")
	t.Setenv("OTHER_THING", "x")
	t.Setenv("PRONET_MAIN", "secret")
	policy := nodes.Policy{FilesDir: t.TempDir(), Networks: network.Shipped()}
	server, err := nodes.Sandbox(policy)
	require.NoError(t, err)
	require.Contains(t, offered(t, server), "SVC_VAR_REGION")
	require.NotContains(t, offered(t, server), "OTHER_THING")
	here, err := nodes.Local(policy)
	require.NoError(t, err)
	require.Contains(t, offered(t, here), "SVC_VAR_REGION")
	require.Contains(t, offered(t, here), "OTHER_THING")
	require.NotContains(t, offered(t, here), "PRONET_MAIN", "a secret of a network")
	policy.Getenv = func(string) (string, bool) { return "", false }
	none, err := nodes.Local(policy)
	require.NoError(t, err)
	require.Empty(t, offered(t, none), "what is not found is not offered")
	require.Empty(t, offered(t, nodes.Env{}))
}
