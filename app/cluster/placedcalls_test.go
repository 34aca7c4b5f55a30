package cluster_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/app/cluster"
	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/store"
)

// slowly is a store that takes a while to put calls down, and counts how often it is asked to.
type slowly struct {
	store.SharedRuns

	asked int
	bad   string // the path of a call that it does not take
}

func (s *slowly) PlaceCalls(ctx context.Context, calls []store.PlacedCall) error {
	<-time.After(10 * time.Millisecond)
	s.asked++
	for _, c := range calls {
		if c.Path == s.bad {
			return errors.New("no")
		}
	}
	return s.SharedRuns.PlaceCalls(ctx, calls)
}

// Concurrent placed calls are written together and share a workflow. A call that cannot be
// written fails alone.
func TestConcurrentCallsAreBatched(t *testing.T) {
	for _, bad := range []string{"", "n7"} {
		staged(t, func(s *stage) {
			const calls = 20
			var nodes []string
			for i := range calls {
				nodes = append(nodes, fmt.Sprintf(`{"id":"n%d","type":"test.effect","config":{"name":"a"}}`, i))
			}
			c, runs := s.crew(2), &slowly{SharedRuns: &s.many, bad: bad}
			place, err := cluster.ParsePlacement("test.*=gpu")
			require.NoError(s.t, err)
			p, done := cluster.NewLeadingPlayer(s.env(), runs, place, c)
			s.t.Cleanup(done)
			id := s.begin(flowOf(s.t, strings.Join(nodes, ",")))
			require.NoError(s.t, s.holder(p).Drive(s.t.Context(), id))
			if bad == "" {
				require.Equal(s.t, engine.StatusCompleted, s.end(id).Result.Status)
				require.Len(s.t, s.effects.calls, calls)
				require.LessOrEqual(s.t, runs.asked, 2)
				require.LessOrEqual(s.t, len(c.asked), 2)
				return
			}
			ended := s.end(id).Result
			require.Equal(s.t, engine.StatusFailed, ended.Status)
			require.Equal(s.t, bad, ended.Error.NodeID)
			require.Greater(s.t, runs.asked, 2)
		})
	}
}
