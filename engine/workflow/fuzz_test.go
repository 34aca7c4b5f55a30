package workflow_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/engine/workflow"
)

func FuzzDocument(f *testing.F) {
	for _, text := range []string{
		greet,
		`{"id":"","nodes":[],"connections":[]}`,
		`{"nodes":[{"id":"n","type":"t","body":{"nodes":[],"connections":[]},"retry":{}}],"connections":[],"id":"a","groups":[{"id":"g"}]}`,
		`{"id":"a","nodes":[{"id":"n","type":"t","disabled":false,"config":{"a":-0,"a":1}}]}`,
		`{"id":"a","name":null}`,
		`{"id":"a","nodes":[{"id":"n","type":"t","size":{"w":240,"h":0.5}}],"connections":[{"fromNodeId":"n","fromPort":"o","toNodeId":"n","toPort":"i","via":[{"x":1,"y":-2e3},{"y":0,"x":0}]}]}`,
		`{"id":"a","nodes":[],"connections":[{"fromNodeId":"n","fromPort":"o","toNodeId":"n","toPort":"i","via":[]}]}`,
	} {
		f.Add([]byte(text))
	}
	limits := workflow.Limits{Bytes: 1 << 16, Depth: 3}
	f.Fuzz(func(t *testing.T, text []byte) {
		d, err := workflow.Decode(text, limits)
		if err != nil {
			if errors.Is(err, workflow.ErrTooLarge) {
				return
			}
			var e *value.SyntaxError
			require.ErrorAs(t, err, &e)
			require.GreaterOrEqual(t, e.Offset, int64(0))
			require.LessOrEqual(t, e.Offset, int64(len(text)))
			require.NotEmpty(t, e.Reason)
			return
		}
		canonical := d.AppendJSON(nil)
		again, err := workflow.Decode(canonical, workflow.Limits{})
		require.NoError(t, err)
		require.Equal(t, string(canonical), string(again.AppendJSON(nil)))
		require.Equal(t, d.Digest(), again.Digest())
		formatted, err := workflow.Decode(d.Format(), workflow.Limits{})
		require.NoError(t, err)
		require.Equal(t, string(d.Format()), string(formatted.Format()))

		// The document says the same as what was posted, values included.
		posted, err := value.Decode(text)
		require.NoError(t, err)
		require.JSONEq(t, string(value.Append(nil, posted)), string(canonical))
	})
}
