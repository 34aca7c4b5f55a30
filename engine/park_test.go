package engine_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/enginetest"
)

// life runs plan, resuming after the events in past, and appends the new events.
func life(ctx context.Context, plan *engine.Plan, past []engine.Event, o engine.Options) (*engine.Run, []engine.Event, error) {
	recall := &engine.Recall{}
	for i := range past {
		recall.Apply(&past[i])
	}
	o.RunID, o.Began, o.Told, o.Recorded = "run-1", recall.Began, recall.Told, recall.Recorded
	o.Observe = func(e engine.Event) {
		e.Seq = len(past) + 1
		past = append(past, e)
	}
	run, err := new(engine.Local).Run(ctx, plan, o)
	return run, past, err
}

const hour = 60 * 60 * 1000

func TestARunThatOnlyWaitsIsParked(t *testing.T) {
	nap := func() *enginetest.Flow {
		return enginetest.NewFlow("w").Node("nap", "test.nap", "ms", hour, "value", 7)
	}
	deep := loop(2, loop(3, nap()))
	pause := enginetest.NewFlow("w").Node("a", "test.fail", "times", 1, "value", 7).Retry(2)
	pause.Definition().Nodes[0].Retry.InitialMs, pause.Definition().Nodes[0].Retry.MaxMs = hour, hour
	tests := []struct {
		name  string
		flow  *enginetest.Flow
		until time.Duration // minimum and maximum
		most  time.Duration
		state map[string]string
	}{
		{"for its time", nap(), time.Hour, time.Hour, map[string]string{"nap": "succeeded"}},
		{"two loops deep", deep, time.Hour, time.Hour, map[string]string{"loop": "succeeded"}},
		{"for the next attempt", pause, 15 * time.Minute, time.Hour, map[string]string{"a": "succeeded"}},
		{"for no longer than the node may take", nap().Timeout(hour / 2), time.Hour / 2, time.Hour / 2, map[string]string{"nap": "failed timeout"}},
		{"nor than what is around it", loop(1, nap()).Timeout(hour / 4), time.Hour / 4, time.Hour / 4, map[string]string{"loop": "failed timeout"}},
	}
	for _, tt := range tests {
		timed(t, tt.name, func(t *testing.T) {
			kit, began := enginetest.NewKit(), time.Now()
			plan, o := kit.Compile(t, tt.flow), engine.Options{Park: 30 * time.Second}
			_, past, err := life(t.Context(), plan, nil, o)
			var parked *engine.Parked
			require.ErrorAs(t, err, &parked)
			require.Less(t, time.Since(began), 2*time.Second)
			require.GreaterOrEqual(t, parked.Until.Sub(began), tt.until)
			require.LessOrEqual(t, parked.Until.Sub(began), tt.most)
			for _, e := range past {
				require.NotEqual(t, engine.StatusCancelled, e.Status, "nothing has ended")
				require.False(t, e.Name.Terminal())
			}
			<-time.After(time.Until(parked.Until))
			run, _, err := life(t.Context(), plan, past, o)
			require.NoError(t, err)
			require.Equal(t, tt.state, (&enginetest.Play{Result: run.Result()}).States())
			require.InDelta(t, parked.Until.Sub(began), run.Result().Duration, float64(time.Millisecond))
		})
	}
}

func TestARunThatDoesSomethingIsNotParked(t *testing.T) {
	for name, f := range map[string]*enginetest.Flow{
		"something is called":     enginetest.NewFlow("w").Node("nap", "test.nap", "ms", hour).Node("b", "test.wait", "ms", hour-1000).Timeout(hour),
		"it is not long any more": enginetest.NewFlow("w").Node("nap", "test.nap", "ms", 31_000),
	} {
		timed(t, name, func(t *testing.T) {
			run, _, err := life(t.Context(), enginetest.NewKit().Compile(t, f), nil, engine.Options{Park: 30 * time.Second})
			require.NoError(t, err)
			require.Equal(t, engine.StatusCompleted, run.Status())
		})
	}
}

func TestACancelOfAParkedRunEndsWhatWaits(t *testing.T) {
	timed(t, "in a loop", func(t *testing.T) {
		plan := enginetest.NewKit().Compile(t, loop(2, enginetest.NewFlow("").Node("nap", "test.nap", "ms", hour)))
		_, past, err := life(t.Context(), plan, nil, engine.Options{Park: time.Minute})
		require.ErrorAs(t, err, new(*engine.Parked))
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		run, _, err := life(ctx, plan, past, engine.Options{Park: time.Minute})
		require.NoError(t, err)
		require.Equal(t, engine.StatusCancelled, run.Status())
		require.Equal(t, map[string]string{"loop": "cancelled"}, (&enginetest.Play{Result: run.Result()}).States())
	})
}
