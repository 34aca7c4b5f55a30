package run_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/limit"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/value"
)

// What a run is started with and what a node puts out of it are one value, whose text is made
// once.
func TestInputsAreEncodedOnce(t *testing.T) {
	large := map[string]any{"list": make([]any, limit.Shown)}
	inputs := map[string]any{"small": 1, "large": large, "also": strings.Repeat("x", limit.Apart)}
	var c run.Encoder
	made := c.Inputs(inputs)
	require.Equal(t, `{"also":,"large":,"small":1}`, string(made.Data))
	require.Len(t, made.Holes, 2)
	for i, name := range []string{"also", "large"} {
		require.Equal(t, strings.Index(string(made.Data), name)+len(name)+len(`":`), made.Holes[i].At)
		require.JSONEq(t, string(value.Encode(inputs[name])), string(made.Holes[i].Text))
	}
	kept := c.Kept(&engine.Event{Name: engine.EventNode, Seq: 2, NodeID: "in", Outputs: map[string]any{"value": large}})
	require.Len(t, kept.Holes, 1)
	require.Equal(t, made.Holes[1].Digest, kept.Holes[0].Digest)
	require.Nil(t, kept.Holes[0].Text, "the journal has it")
	require.Equal(t, `{}`, string(new(run.Encoder).Inputs(nil).Data))
}
