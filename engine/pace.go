package engine

import (
	"cmp"
	"math"
	"runtime"
	"runtime/metrics"
)

// spare is the step, in bytes, by which the heap goal is raised for large allocations.
const spare = 64 << 20

// pace remembers the GOGC percentage that expect replaced.
type pace struct {
	before int // GOGC before it was raised; 0 while it is not raised
}

// expect raises GOGC so that the heap can grow by n bytes before the next collection, and
// restores it after that collection. Without it, one large allocation passes the heap goal at
// once, and every goroutine that allocates has to assist the collector: a request that takes
// 1 ms then takes 10. It does nothing if SetGCPercent is nil. The caller holds
// reservations.mu.
func (m *Memory) expect(n int64) {
	if m.SetGCPercent == nil {
		return
	}
	for range 2 { // a collection may end meanwhile and set a new goal
		h := readHeap()
		want := h.used + m.reservations.promised + n + m.spare()
		if h.percent == 0 || h.live == 0 || min(want, int64(m.Heap)) <= h.goal {
			return
		}
		want = min(want+m.spare(), int64(m.Heap))
		m.SetGCPercent(int(min((want-h.live)*100/h.live+1, math.MaxInt32)))
		if m.reservations.pace.before == 0 {
			m.reservations.pace.before = h.percent
			runtime.AddCleanup(new([2]*Memory), (*Memory).collected, m)
		}
	}
}

// spare returns by how much more than needed the heap goal is raised, so that not every large
// allocation changes GOGC.
func (m *Memory) spare() int64 { return min(spare, int64(m.Heap)/8) }

// collected restores GOGC after a collection. Another Memory of the process may have raised it
// too, so the lower of the current and the remembered value counts.
func (m *Memory) collected() {
	m.reservations.mu.Lock()
	defer m.reservations.mu.Unlock()
	m.SetGCPercent(min(m.reservations.pace.before, cmp.Or(readHeap().percent, m.reservations.pace.before)))
	m.reservations.pace.before = 0
}

// heapState is the collector's view of the heap.
type heapState struct {
	used, live, goal int64 // bytes: in use, alive after the last collection, and at which the next begins
	percent          int   // GOGC; 0 if it is off
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
