package engine_test

import (
	"runtime"
	"runtime/metrics"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/node"
)

// heap returns the size of the heap without garbage, in bytes.
func heap() int {
	runtime.GC()
	runtime.GC() // frees objects with finalizers, too
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return int(sample[0].Value.Uint64())
}

// TestRoomOnTheHeap checks that memory outside runs counts against the heap limit: a large
// allocation waits until there is room. If that never happens, the run ends.
func TestRoomOnTheHeap(t *testing.T) {
	for _, comes := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			others := map[string][]byte{"other": make([]byte, 64*mib)}
			local := &engine.Local{Memory: engine.Memory{All: 1 << 40, Heap: heap() + 24*mib}}
			plan := new(largeNodes).plan(t, side(3, "mem.claims", 40*mib))
			ended := make(chan *engine.Run, 1)
			go func() {
				run, _ := local.Run(t.Context(), plan, engine.Options{KeepOutputs: engine.KeepShown})
				ended <- run
			}()
			synctest.Wait()
			select {
			case <-ended:
				t.Fatal("it did not wait")
			default:
			}
			if comes {
				clear(others)
			}
			run := <-ended
			runtime.KeepAlive(others)
			require.Zero(t, local.Memory.Held())
			if comes {
				require.Nil(t, run.Err())
				return
			}
			require.Equal(t, node.CodeLimitExceeded, run.Err().Code)
			require.Equal(t, "n0", run.Err().NodeID)
			require.Contains(t, run.Err().Message, "no memory for 40 MiB more")
			require.Contains(t, run.Err().Message, "GOMEMLIMIT")
			require.Equal(t, 1, run.Ended(), "the others do not wait one after the other")
		})
	}
}

// TestRoomThatIsPromised checks that memory reserved for one node is not available to
// others, although it is not allocated yet.
func TestRoomThatIsPromised(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		nodes := &largeNodes{entered: make(chan struct{}), leave: make(chan struct{})}
		local := &engine.Local{Memory: engine.Memory{Heap: heap() + 64*mib}}
		plan := nodes.plan(t, row(1, "mem.hold", 40*mib))
		var ended [2]chan *engine.Run
		for i := range ended {
			ended[i] = make(chan *engine.Run, 1)
			go func() {
				run, _ := local.Run(t.Context(), plan, engine.Options{})
				ended[i] <- run
			}()
		}
		<-nodes.entered
		synctest.Wait()
		select {
		case <-nodes.entered:
			t.Fatal("both were promised the same")
		default:
		}
		nodes.leave <- struct{}{}
		<-nodes.entered
		nodes.leave <- struct{}{}
		for _, e := range ended {
			require.Nil(t, (<-e).Err())
		}
	})
}

// TestRunEndedForMemoryLetsGo checks that a run that was ended for its memory keeps no
// large values, even with KeepAll.
func TestRunEndedForMemoryLetsGo(t *testing.T) {
	local := &engine.Local{Blocking: 1, Memory: engine.Memory{All: 5 * mib}}
	run, err := local.Run(t.Context(), new(largeNodes).plan(t, row(8, "mem.next", mib)), engine.Options{})
	require.NoError(t, err)
	require.Equal(t, node.CodeLimitExceeded, run.Err().Code)
	kept := 0
	for _, n := range run.Result().Nodes {
		if n.Status == engine.StatusSucceeded {
			_, elided := engine.Elided(n.Outputs["text"])
			require.True(t, elided)
			kept++
		}
	}
	require.Positive(t, kept)
}
