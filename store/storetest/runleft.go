package storetest

import (
	"bytes"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/store"
)

// testNodesLeft checks a last frame that leaves the states of the nodes to the frames before it.
// Readers get the same as if the last frame contained them.
func testNodesLeft(t *testing.T, open OpenRuns) {
	for i, text := range []string{"short", strings.Repeat("large ", 20_000)} {
		n := 1 + i
		t.Run(strconv.Itoa(len(text)), func(t *testing.T) {
			s := open()
			events := valueEvents(n, text)
			last := &events[2]
			failure := &engine.Failure{Code: "interrupted", Message: "why"}
			last.Name, last.Error, last.Result.Status, last.Result.Error = engine.EventFailed, failure, engine.StatusFailed, failure
			bare, result := *last, *last.Result
			bare.Result, result.Nodes, result.Order = &result, nil, nil

			var c run.Encoder
			j := create(t, s, RunStart(n))
			for _, e := range events[:2] {
				kept, _ := c.Frame(&e)
				require.NoError(t, j.Append(kept))
			}
			kept, _ := c.Frame(&bare)
			kept.LeaveNodes()
			require.NoError(t, j.Append(kept))
			requireNodesLeft(t, s, n, events)
			require.NoError(t, s.Close())
			s = open()
			requireNodesLeft(t, s, n, events)
			require.NoError(t, s.Delete(t.Context(), RunID(n)))
			require.NoError(t, s.Close())
		})
	}
}

func requireNodesLeft(t *testing.T, s store.RunStore, n int, events []engine.Event) {
	t.Helper()
	requireEvents(t, s, RunID(n), events)
	from := source{t, s, RunID(n)}
	last := allFrames(t, s, RunID(n))[2]
	require.NotContains(t, string(last.Data), `"one"`)
	var result bytes.Buffer
	require.NoError(t, last.WriteResult(&result, from, engine.NoElision))
	want := string(events[2].Result.AppendJSON(nil, engine.NoElision))
	require.Equal(t, want, result.String())
	e, err := last.Opened(from, func(h *run.Reference) (any, error) {
		text, err := from.Value(h.Digest)
		require.NoError(t, err)
		return value.Decode(text)
	})
	require.NoError(t, err)
	require.Equal(t, want, string(e.Result.AppendJSON(nil, engine.NoElision)))
}
