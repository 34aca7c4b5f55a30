package engine_test

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
)

// TestMemoryOfShortRuns checks that a run allocates little in addition to its nodes,
// however many nodes there are.
func TestMemoryOfShortRuns(t *testing.T) {
	local, ctx, room := &engine.Local{Memory: engine.Memory{All: 1 << 30}}, context.Background(), make([]byte, 0, 64<<10)
	pieces := func(nodes int) float64 {
		plan, least := benchPlan(t, chainOf(nodes, "bench.slot")), math.Inf(1) //nolint:contextcheck // of the test
		for range 20 {                                                         // shared state is allocated again now and then
			least = min(least, testing.AllocsPerRun(1, func() {
				run, err := local.Run(ctx, plan, engine.Options{RunID: "run"})
				require.NoError(t, err)
				run.AppendJSON(room, engine.NoElision)
			}))
		}
		return least
	}
	const ofRun = 10
	require.LessOrEqual(t, pieces(1), 1.0+ofRun)
	require.LessOrEqual(t, pieces(101), 101.0+ofRun, "one for each value")
}
