package app

import (
	"context"
	"io/fs"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/store"
)

// A crash between the call of a node and the record of its end: what may have been sent
// is not sent again unless the user asks for it.
func TestALostMessageIsNotSentAgain(t *testing.T) {
	inBubbles(t, func(t *testing.T, open func() store.RunStore) {
		type in struct{}
		calls, hang := 0, true
		sends := node.Bundle{Nodes: []node.Node{node.Func("test.send", "Send", func(ctx context.Context, _ in) (in, error) {
			calls++
			if hang {
				<-ctx.Done()
				return in{}, ctx.Err()
			}
			return in{}, nil
		}).Once()}}
		const document = `{"id":"w","nodes":[{"id":"send","type":"test.send"}],"connections":[]}`
		runs := open()
		first := newTestApp(t, Config{Runs: runs, ExtraPlugins: []node.Plugin{sends}})
		id, err := first.StartJSON(t.Context(), []byte(document), run.Request{})
		require.NoError(t, err)
		synctest.Wait()
		require.Equal(t, 1, calls)
		require.NoError(t, runs.Close()) // as a crash leaves it
		hang = false

		second := newTestApp(t, Config{Runs: open(), ExtraPlugins: []node.Plugin{sends}})
		require.NoError(t, second.Recover(t.Context()))
		require.Equal(t, node.CodeInterrupted, ended(t, second, id).Error.Code)
		resumed, err := second.Resume(t.Context(), id, run.Resumption{})
		require.NoError(t, err)
		last := ended(t, second, resumed)
		require.Equal(t, engine.StatusFailed, last.Result.Status)
		require.Equal(t, node.CodeOutcomeUnknown, last.Result.Nodes["send"].Error.Code)
		require.Equal(t, 1, calls)

		again, err := second.Resume(t.Context(), resumed, run.Resumption{})
		require.NoError(t, err)
		require.Equal(t, engine.EventCompleted, ended(t, second, again).Name)
		require.Equal(t, 2, calls, "the user has been told")
		require.NoError(t, second.Close(t.Context()))
		require.ErrorIs(t, first.Close(soon(t, 0)), fs.ErrClosed)
	})
}
