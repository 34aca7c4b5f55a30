package e2e

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/enginetest/trials"
)

// follower follows a run, at changing instances.
type follower struct {
	id   string
	last engine.Event
	gap  bool
}

// follow reads events from an instance until the end of the run, or of ctx.
func (f *follower) follow(ctx context.Context, m *members, p *member) {
	for e, err := range m.at(p).Events(ctx, f.id, f.last.Seq) {
		if err != nil {
			return
		}
		f.gap = f.gap || e.Seq != f.last.Seq+1
		f.last = e
	}
}

// TestDriversAndInstancesThatAreKilled kills a driver and the instance at which its runs are
// followed, and starts new ones.
func TestDriversAndInstancesThatAreKilled(t *testing.T) {
	t.Parallel()
	const atOnce = 4
	m := newMembers(t)
	instances := []*member{m.instance(), m.instance()}
	workers := []*member{m.drives(), m.drives()}
	kills, random, taken := trials.Of(t, 1, 20), trials.Random(t), 0
	for range kills {
		ctx, cut := context.WithTimeout(t.Context(), time.Minute)
		done := make(chan *follower)
		drivers := map[string]string{}
		for range atOnce {
			f := &follower{id: m.start(instances[1])}
			go func() { f.follow(ctx, m, instances[0]); done <- f }()
			drivers[f.id] = m.underWay(f.id)
		}
		<-time.After(time.Duration(random.IntN(1500)) * time.Millisecond)
		require.NoError(t, instances[0].Process.Kill())
		require.NoError(t, workers[0].Process.Kill())
		cut()
		followers := make([]*follower, atOnce)
		for i := range followers {
			followers[i] = <-done
		}
		instances = []*member{instances[1], m.instance()}
		workers = []*member{workers[1], m.drives()}
		for _, f := range followers {
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
			f.follow(ctx, m, instances[0])
			cancel()
			require.False(t, f.gap, "ids come once, without a gap")
			require.Equal(t, engine.EventCompleted, f.last.Name, "%+v", f.last)
			require.Equal(t, framesOfDelays, f.last.Seq)
			if m.changes([]string{f.id})[f.id].Driver != drivers[f.id] {
				taken++
			}
		}
	}
	t.Logf("%d times both were killed, of %d runs %d were taken over", kills, kills*atOnce, taken)
}
