package microblog_test

import (
	"net/http"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/nodes/microblog"
	"github.com/svcflow/svc/nodes/service/servicetest"
)

// If the node times out while the network does not respond, the post may exist. A retry
// setting must not send it again, although the engine normally retries timeouts.
func TestARetrySettingDoesNotPostTwice(t *testing.T) {
	tests := []struct {
		name   string
		answer servicetest.Answer
		code   string
		posts  int
	}{
		{"silent", servicetest.Silent, node.CodeOutcomeUnknown, 1},
		{"cut", servicetest.Cut, node.CodeOutcomeUnknown, 1},
		{"server error", servicetest.Reply(http.StatusBadGateway, "<html>"), node.CodeOutcomeUnknown, 1},
		{"unreachable", servicetest.Unreachable, node.CodeUnavailable, 3 * 4}, // nothing was sent, so each attempt tries four times
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				stub := &servicetest.Stub{Script: servicetest.Times(100, tt.answer)}
				registry, err := node.NewRegistry(microblog.New(servicetest.Config(t.Context(), "microblog", stub)))
				require.NoError(t, err)
				def := &workflow.Definition{ID: "w", Nodes: []workflow.Node{{
					ID: "post", Type: "microblog.post_tweet", Config: values{"credential": ref, "text": "hi"},
					Retry: &workflow.Retry{MaxAttempts: 3, InitialMs: 1},
				}}}
				plan, err := engine.Compile(t.Context(), def, engine.Env{Registry: registry})
				require.NoError(t, err)
				run, err := new(engine.Local).Run(t.Context(), plan, engine.Options{})
				require.NoError(t, err)
				require.Equal(t, tt.code, run.Err().Code)
				require.Equal(t, tt.posts, stub.Count("POST /2/tweets"))
			})
		})
	}
}
