package engine_test

import (
	"context"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
)

// collector returns GOGC and the current heap goal in bytes.
func collector() (percent, goal int) {
	s := []metrics.Sample{{Name: "/gc/gogc:percent"}, {Name: "/gc/heap/goal:bytes"}}
	metrics.Read(s)
	return int(s[0].Value.Uint64()), int(s[1].Value.Uint64())
}

// TestGCPercentIsRaisedForLargeAllocations checks that GOGC is raised before a large
// allocation, so that other goroutines need not assist the collector, and restored after
// the next collection.
func TestGCPercentIsRaisedForLargeAllocations(t *testing.T) {
	const large = 96 * mib
	runtime.GC()
	before, _ := collector()
	local := &engine.Local{Memory: engine.Memory{Heap: 1 << 40, SetGCPercent: func(percent int) { debug.SetGCPercent(percent) }}}
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
}

// TestRunLeavesGCPercentAlone checks that the engine does not change GOGC without
// SetGCPercent, because it belongs to the program.
func TestRunLeavesGCPercentAlone(t *testing.T) {
	const large = 96 * mib
	before, _ := collector()
	for _, bytes := range []int{0, 1 << 40} {
		local := &engine.Local{}
		local.Memory.Heap = bytes
		nodes := new(largeNodes)
		plan := nodes.plan(t, row(1, "mem.hold", large))
		nodes.entered, nodes.leave = make(chan struct{}), make(chan struct{})
		ended := make(chan error, 1)
		go func() {
			_, err := local.Run(context.Background(), plan, engine.Options{})
			ended <- err
		}()
		<-nodes.entered
		during, _ := collector()
		close(nodes.leave)
		require.NoError(t, <-ended)
		require.Equal(t, before, during)
	}
}
