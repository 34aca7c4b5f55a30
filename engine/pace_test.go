package engine_test

import (
	"context"
	"runtime"
	"runtime/metrics"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
)

// collector returns by how much of what is alive the heap may grow, in percent, and how
// large it may become until garbage is collected.
func collector() (percent, goal int) {
	s := []metrics.Sample{{Name: "/gc/gogc:percent"}, {Name: "/gc/heap/goal:bytes"}}
	metrics.Read(s)
	return int(s[0].Value.Uint64()), int(s[1].Value.Uint64())
}

// For something large that is about to be made the heap may grow without the collector, for
// which everybody else would work. Once garbage was collected everything is as it was.
func TestCollectorExpectsWhatIsLarge(t *testing.T) {
	const large = 96 * mib
	runtime.GC()
	before, _ := collector()
	local := &engine.Local{Memory: engine.Memory{Heap: 1 << 40}}
	nodes := new(largeNodes)
	plan := nodes.plan(t, row(1, "mem.hold", large))
	nodes.entered, nodes.leave = make(chan struct{}), make(chan struct{})
	ended := make(chan error, 1)
	used := heap()
	go func() {
		_, err := local.Run(context.Background(), plan, engine.Options{})
		ended <- err
	}()
	<-nodes.entered
	percent, goal := collector()
	close(nodes.leave)
	require.NoError(t, <-ended)
	require.Greater(t, percent, before)
	require.Greater(t, goal, used+large)
	require.Eventually(t, func() bool {
		runtime.GC()
		now, _ := collector()
		return now == before
	}, time.Minute, time.Millisecond)

	_, err := (&engine.Local{}).Run(t.Context(), new(largeNodes).plan(t, row(1, "mem.hold", large)), engine.Options{})
	require.NoError(t, err)
	percent, _ = collector()
	require.Equal(t, before, percent, "nobody looks after the heap")
}
