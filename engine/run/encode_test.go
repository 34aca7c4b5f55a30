package run_test

import (
	"bytes"
	"crypto/sha256"
	"slices"
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
	inputs := map[string]any{"small": 1, "large": large, "also": strings.Repeat("x", limit.DedupThreshold)}
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

// A list that is a field of a record has its text in that of the record, which is made once,
// with and without room.
func TestPartsAreEncodedOnce(t *testing.T) {
	items := make([]any, limit.Shown)
	parsed := map[string]any{"meta": map[string]any{"n": len(items)}, "data": map[string]any{"items": items, "small": []any{1}}}
	copied := slices.Clone(items)
	for name, c := range map[string]*run.Encoder{"alone": {}, "in room": {Room: make([]byte, 0, 1)}} {
		var texts [][]byte
		for _, v := range []any{strings.Repeat("x", limit.DedupThreshold), parsed, items, copied} {
			out := c.Value(nil, v, false)
			require.Empty(t, out, "it is apart")
			kept := c.Kept(&engine.Event{Name: engine.EventNode, Seq: 2, NodeID: "n", Outputs: map[string]any{"value": v, "also": "short"}})
			require.Len(t, kept.Holes, 1)
			require.Equal(t, run.Digest(sha256.Sum256(value.Encode(v))), kept.Holes[0].Digest, name)
			c.Forget(&kept) // so that its text is told again
			again := c.Kept(&engine.Event{Name: engine.EventNode, Seq: 2, NodeID: "n", Outputs: map[string]any{"value": v}})
			require.Equal(t, string(value.Encode(v)), string(again.Holes[0].Text), name)
			texts = append(texts, again.Holes[0].Text)
		}
		at := bytes.Index(texts[1], []byte(`[null,`))
		require.Same(t, &texts[1][at], &texts[2][0], name)
		require.NotSame(t, &texts[2][0], &texts[3][0], "it is another list")
	}
}
