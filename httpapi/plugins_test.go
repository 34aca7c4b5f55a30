package httpapi_test

import (
	"context"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/httpapi"
	"github.com/svcflow/svc/nodes"
)

// TestEnvPlugins checks that a plugin made from the environment of workflows finds the credentials
// of the service.
func TestEnvPlugins(t *testing.T) {
	type asked struct {
		Credential string `port:"credential" doc:"The account."`
	}
	type told struct {
		Known bool `port:"known" doc:"Whether it is there."`
	}
	make := func(env nodes.Env) []node.Plugin {
		require.NotNil(t, env.HTTP)
		require.NotNil(t, env.Files)
		known := node.Func("test.known", "Known", func(ctx context.Context, in asked) (told, error) {
			_, err := env.Credentials.Credential(ctx, credentials.Ref(in.Credential))
			return told{err == nil}, nil
		})
		return []node.Plugin{node.Bundle{Name: "test", Nodes: []node.Node{known}}}
	}
	s := newService(t, func(c *httpapi.Config) {
		c.EnvPlugins = make
		c.Getenv = environment(map[string]string{"PRONET_MAIN": "token"})
	})
	w := s.do("POST", "/execute", `{"id":"w","nodes":[{"id":"n","type":"test.known","config":{"credential":"pronet:main"}},
		{"id":"out","type":"io.output","config":{"name":"known"}}],
		"connections":[{"fromNodeId":"n","fromPort":"known","toNodeId":"out","toPort":"value"}]}`)
	requireJSON(t, w, http.StatusOK)
	require.Contains(t, w.Body.String(), `"outputs":{"known":true}`)
}
