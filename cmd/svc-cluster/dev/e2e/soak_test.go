package e2e

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/enginetest/trials"
)

// TestAnythingIsKilled kills workers and both servers at random moments, one after the other, while
// runs are started: none is lost, none is stuck, and nothing is left of any.
func TestAnythingIsKilled(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	members := []*process{w.member(20, ""), w.member(20, "")}
	a := w.instance()
	kills, random := trials.Of(t, 4, 100), trials.Random(t) // some 30 minutes
	starts := w.starting(a)
	for n := range kills {
		<-time.After(time.Duration(random.IntN(5000)) * time.Millisecond)
		switch away := time.Duration(random.IntN(8000)) * time.Millisecond; n % 4 {
		case 0, 2:
			members[n/2%2].kill()
			members[n/2%2] = w.member(20, "")
		case 1:
			w.temporal.kill()
			<-time.After(away)
			w.startTemporal()
		case 3:
			w.postgres.Down()
			<-time.After(away)
			w.postgres.Up()
		}
	}
	starts.stop()
	require.Empty(t, starts.others)
	for id, status := range w.endedWhenBack(starts.acknowledged) {
		require.Equal(t, engine.StatusCompleted, status, id)
	}
	begun := w.noted("begin")
	for _, id := range starts.acknowledged {
		require.LessOrEqual(t, len(begun[id+"/a"]), 1+kills, fmt.Sprint("run ", id))
		require.NotEmpty(t, begun[id+"/a"])
	}
	t.Logf("%d kills, %d runs, all of which have completed", kills, len(starts.acknowledged))
}
