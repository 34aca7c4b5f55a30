//go:build unix

package store_test

import (
	"context"
	"fmt"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/enginetest/trials"
	"github.com/svcflow/svc/store"
)

// countState counts in the state without end, has as many items seen, and prints each
// number that is kept.
func countState(dir, name string) error {
	ctx, s, key := context.Background(), store.FileState(dir), store.StateKey{WorkflowID: "w", Key: "n"}
	for {
		v, err := s.ChangeState(ctx, key, func(now store.StateValue) (store.StateValue, error) {
			n, _ := strconv.Atoi(string(now.Value))
			return store.StateValue{Value: strconv.AppendInt(nil, int64(n)+1, 10)}, nil
		})
		if err != nil {
			return err
		}
		n := string(v.Value)
		if isNew, err := s.Lend(ctx, key, store.Lent{Items: []string{n}, Keep: 1 << 20}); err != nil || !isNew[0] {
			return fmt.Errorf("item %s of %s: %v, %w", n, name, isNew, err)
		}
		fmt.Println(n)
	}
}

// Whenever one of two processes is killed, all that it has acknowledged is there, and the
// other goes on as if nothing had happened.
func TestKilledWhileKeepingState(t *testing.T) {
	dir, random := t.TempDir(), trials.Random(t)
	other := start(t, "state", dir, "other")
	last := 0
	for range trials.Count(t, trials.Kills, 20) {
		c := start(t, "state", dir, "killed")
		for range 1 + random.IntN(8) {
			n, ok := c.number()
			require.True(t, ok)
			require.Greater(t, n, last)
			last = n
		}
		require.NoError(t, c.cmd.Process.Kill())
		_ = c.cmd.Wait()
		s := store.FileState(dir)
		v, err := s.State(t.Context(), store.StateKey{WorkflowID: "w", Key: "n"})
		require.NoError(t, err)
		n, err := strconv.Atoi(string(v.Value))
		require.NoError(t, err)
		require.GreaterOrEqual(t, n, last)
		isNew, err := s.Lend(t.Context(), store.StateKey{WorkflowID: "w", Key: "n"}, store.Lent{Items: []string{strconv.Itoa(last)}})
		require.NoError(t, err)
		require.False(t, isNew[0])
		_, ok := other.number()
		require.True(t, ok)
	}
	require.NoError(t, other.cmd.Process.Kill())
	_ = other.cmd.Wait()
}
