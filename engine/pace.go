package engine

import (
	"cmp"
	"math"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// spare is in how large steps the heap may grow for large things.
const spare = 64 << 20

// pace is how far the heap may grow until the collector begins, where that was raised for
// something large.
type pace struct {
	before int // percent of what is alive, as it was; 0 where it was not raised
}

// expect lets the heap grow by n bytes more before the collector begins. It plans for a heap
// that grows slowly: what is larger than all that it has planned for makes it begin at once
// and late, and then whoever allocates anything works for it until it is done. For those
// who are answered within a millisecond that is ten. Once it has collected everything is as
// it was. The caller holds room.mu.
func (m *Memory) expect(n int64) {
	for range 2 { // a collection may end meanwhile, and plan anew
		h := readHeap()
		want := h.used + m.reservations.promised + n + m.spare()
		if h.percent == 0 || h.live == 0 || min(want, int64(m.Heap)) <= h.goal {
			return
		}
		want = min(want+m.spare(), int64(m.Heap))
		debug.SetGCPercent(int(min((want-h.live)*100/h.live+1, math.MaxInt32)))
		if m.reservations.pace.before == 0 {
			m.reservations.pace.before = h.percent
			runtime.AddCleanup(new([2]*Memory), (*Memory).collected, m)
		}
	}
}

// spare is what there is room for besides, when something large is expected: others, and the
// like, so that not each of them changes the plan.
func (m *Memory) spare() int64 { return min(spare, int64(m.Heap)/8) }

// collected is called when garbage was collected. Others of the process may have raised it,
// too, before or after.
func (m *Memory) collected() {
	m.reservations.mu.Lock()
	defer m.reservations.mu.Unlock()
	debug.SetGCPercent(min(m.reservations.pace.before, cmp.Or(readHeap().percent, m.reservations.pace.before)))
	m.reservations.pace.before = 0
}

// heapState is what the collector knows of the heap.
type heapState struct {
	used, live, goal int64 // bytes: there are, were alive when it last looked, and may be until it looks again
	percent          int   // of what is alive, by which the heap may grow; 0 for any number
}

func readHeap() heapState {
	s := []metrics.Sample{
		{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/gc/heap/live:bytes"}, {Name: "/gc/heap/goal:bytes"}, {Name: "/gc/gogc:percent"},
	}
	metrics.Read(s)
	bytes := func(i int) int64 { return int64(min(s[i].Value.Uint64(), math.MaxInt64)) }
	h := heapState{used: bytes(0), live: bytes(1), goal: bytes(2)}
	if percent := bytes(3); percent < math.MaxInt32 {
		h.percent = int(percent)
	}
	return h
}
