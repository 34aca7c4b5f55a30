package client_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/workflow"
)

func TestStateOnAServer(t *testing.T) {
	c := serve(t)
	_, err := c.Save(t.Context(), decode(t, double), workflow.Condition{})
	require.NoError(t, err)
	for _, id := range []string{"", "my/double"} {
		_, err := c.State(t.Context(), id, "a/b")
		require.ErrorContains(t, err, "nothing is kept")
		kept, err := c.SetState(t.Context(), id, "a/b", map[string]any{"n": 9007199254740993, "x": nil}, time.Hour, workflow.Condition{Absent: true})
		require.NoError(t, err)
		require.WithinDuration(t, time.Now().Add(time.Hour), kept.ExpiresAt, time.Minute)
		read, err := c.State(t.Context(), id, "a/b")
		require.NoError(t, err)
		require.Equal(t, kept, read)
		require.Equal(t, map[string]any{"n": 9007199254740993, "x": nil}, read.Value)
		_, err = c.SetState(t.Context(), id, "a/b", 1, 0, workflow.Condition{Match: []string{"999"}})
		require.ErrorContains(t, err, "not the expected one")
		changed, err := c.SetState(t.Context(), id, "a/b", nil, 0, workflow.Condition{})
		require.NoError(t, err)
		require.Equal(t, run.State{Key: "a/b", Revision: changed.Revision}, changed)
		page, err := c.States(t.Context(), id, "")
		require.NoError(t, err)
		require.Equal(t, run.StatePage{Items: []run.State{changed}}, page)
		page, err = c.States(t.Context(), id, "a/b")
		require.NoError(t, err)
		require.Empty(t, page.Items)
		require.NoError(t, c.DeleteState(t.Context(), id, "a/b", workflow.Condition{}))
	}
}
