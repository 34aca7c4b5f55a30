//go:build unix

package statelog_test

import (
	"context"
	"fmt"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/enginetest/trials"
	"github.com/svcflow/svc/store"
	"github.com/svcflow/svc/store/internal/selfexec"
	"github.com/svcflow/svc/store/statelog"
)

func TestMain(m *testing.M) {
	selfexec.Main(m, map[string]func(dir, name string) error{"state": countState})
}

// countState increments a counter and marks items as seen until it is killed. It prints each
// acknowledged number.
func countState(dir, name string) error {
	ctx, s, key := context.Background(), statelog.Open(dir), store.StateKey{WorkflowID: "w", Key: "n"}
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

// TestKilledWhileKeepingState kills one of two processes at random times. Everything that it
// acknowledged is there, and the other process continues undisturbed.
func TestKilledWhileKeepingState(t *testing.T) {
	dir, random := t.TempDir(), trials.Random(t)
	other := selfexec.Start(t, "state", dir, "other")
	last := 0
	for range trials.Count(t, trials.Kills, 20) {
		c := selfexec.Start(t, "state", dir, "killed")
		for range 1 + random.IntN(8) {
			n, ok := c.Number()
			require.True(t, ok)
			require.Greater(t, n, last)
			last = n
		}
		c.Kill(t)
		s := statelog.Open(dir)
		v, err := s.State(t.Context(), store.StateKey{WorkflowID: "w", Key: "n"})
		require.NoError(t, err)
		n, err := strconv.Atoi(string(v.Value))
		require.NoError(t, err)
		require.GreaterOrEqual(t, n, last)
		isNew, err := s.Lend(t.Context(), store.StateKey{WorkflowID: "w", Key: "n"}, store.Lent{Items: []string{strconv.Itoa(last)}})
		require.NoError(t, err)
		require.False(t, isNew[0])
		_, ok := other.Number()
		require.True(t, ok)
	}
	other.Kill(t)
}
