package cluster_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/engine/workflow"
)

func TestSecretsAreNotSentToQueues(t *testing.T) {
	staged(t, func(s *stage) {
		const canary = "canary-4711"
		s.more = []node.Node{node.Func("local.secret", "Make a secret", func(ctx context.Context, _ struct{}) (effectOut, error) {
			node.ConcealOutput(ctx, canary)
			return effectOut{canary}, nil
		})}
		def := flowOf(s.t, `{"id":"a","type":"local.secret"},{"id":"b","type":"test.effect","config":{"name":"b"}}`)
		def.Connections = []workflow.Connection{{FromNodeID: "a", FromPort: "out", ToNodeID: "b", ToPort: "in"}}
		id := s.begin(def)
		require.NoError(s.t, s.leading(s.crew(1)).Drive(s.t.Context(), id))
		end := s.end(id)
		require.Equal(s.t, node.CodeInvalidInput, end.Result.Nodes["b"].Error.Code)
		require.Contains(s.t, end.Result.Nodes["b"].Error.Message, "must not be sent")
		require.Empty(s.t, s.effects.calls)
	})
}

// A secret is redacted in the outputs of one node although only another node names it, and no
// process has used it.
func TestSecretsOfADocumentAreRedactedEverywhere(t *testing.T) {
	staged(t, func(s *stage) {
		const canary = "canary-4711"
		type account struct {
			Account value.Credential `port:"account" network:"sim" doc:"Whose secret it is."`
		}
		s.more = []node.Node{
			node.Func("local.account", "Use an account", func(context.Context, account) (effectOut, error) { return effectOut{}, nil }),
			node.Func("local.echo", "Tell a secret", func(context.Context, struct{}) (effectOut, error) { return effectOut{canary}, nil }),
			node.Func("test.echo", "Tell a secret", func(context.Context, struct{}) (effectOut, error) { return effectOut{canary}, nil }),
			node.Func("test.err", "Tell a secret", func(context.Context, struct{}) (effectOut, error) {
				return effectOut{}, errors.New("no luck with " + canary)
			}),
		}
		s.secrets = func(_ context.Context, refs []value.Credential) []string {
			if !slices.Contains(refs, "sim:main") { // all that the document names is asked for
				return nil
			}
			return []string{canary}
		}
		id := s.begin(flowOf(s.t, `{"id":"here","type":"local.echo"},{"id":"there","type":"test.echo"},{"id":"wrong","type":"test.err"},
			{"id":"loop","type":"control.foreach","config":{"list":[1]},"body":{"nodes":[{"id":"a","type":"local.account","config":{"account":"sim:main"}}],"connections":[]}}`))
		require.NoError(s.t, s.leading(s.crew(1)).Drive(s.t.Context(), id))
		end := s.end(id)
		require.Equal(s.t, engine.StatusSucceeded, end.Result.Nodes["here"].Status)
		require.Equal(s.t, engine.StatusSucceeded, end.Result.Nodes["there"].Status)
		frames, err := s.Frames(s.t.Context(), id, 0, 1<<20)
		require.NoError(s.t, err)
		for i := range frames {
			require.NotContains(s.t, string(frames[i].Data), canary)
		}
		placed, err := s.PlacedCalls(s.t.Context(), id)
		require.NoError(s.t, err)
		for _, c := range placed {
			outcomes, err := s.Outcomes(s.t.Context(), []string{c.ID})
			require.NoError(s.t, err)
			require.NotEmpty(s.t, outcomes)
			require.NotContains(s.t, string(outcomes[c.ID]), canary)
		}
	})
}
