package httpapi

import (
	"context"
	"runtime/debug"
	gauges "runtime/metrics"
	"sync/atomic"
	"time"

	"github.com/KimMachineGun/automemlimit/memlimit"

	"github.com/svcflow/svc/engine"
)

// The parts of the memory that a service may take. What is left is for the collector to
// work in.
const (
	admitPart  = 4 // of all, for what requests bring
	valuesPart = 2 // of all, for the values of runs
	heapPart   = 8 // of all, that is left free before something large is made
)

// availableMemory returns how much memory the cgroup of the process allows, or else what the
// machine has; 0 if neither is known.
func availableMemory() int64 {
	n, err := memlimit.ApplyFallback(memlimit.FromCgroup, memlimit.FromSystem)()
	if err != nil || n > 1<<62 {
		return 0
	}
	return int64(n)
}

// pressure watches how much memory the process takes. Budgets count what they know of; this
// looks at what is really there.
type pressure struct {
	most   uint64 // bytes that the process may take
	memory *engine.Memory
	live   atomic.Uint64 // as it was looked at last
	stop   context.CancelFunc
	done   chan struct{}

	read  func() (live, total uint64)
	free  func()        // collects garbage, and gives back to the system what is not in use
	due   time.Time     // when memory may be given back to the system again
	pause time.Duration // until then, from when it was
}

const (
	lookEvery  = 200 * time.Millisecond
	refuseFrom = 80              // percent of the memory in use, from which on no run is let in but for what brings little
	closeFrom  = 90              // from which on none is let in
	endFrom    = 95              // from which on the largest run is ended
	freeEvery  = 3 * time.Second // at most; the less comes of it, the longer until the next time
	freeSeldom = 8 * time.Second // at the latest: what was is not what is
	freePart   = 8               // of all: from there on what is not in use is given back to the system
)

// watchMemory begins to watch.
func watchMemory(most int64, memory *engine.Memory) *pressure {
	ctx, cancel := context.WithCancel(context.Background())
	p := &pressure{
		most: uint64(most), memory: memory, stop: cancel, done: make(chan struct{}),
		read: readMemory(), free: debug.FreeOSMemory,
	}
	go p.watch(ctx)
	return p
}

// readMemory returns what tells how many bytes are alive, and how many there are of the system.
func readMemory() func() (live, total uint64) {
	samples := []gauges.Sample{{Name: "/gc/heap/live:bytes"}, {Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	return func() (live, total uint64) {
		gauges.Read(samples)
		return samples[0].Value.Uint64(), samples[1].Value.Uint64() - samples[2].Value.Uint64()
	}
}

func (p *pressure) watch(ctx context.Context) {
	defer close(p.done)
	every := time.NewTicker(lookEvery)
	defer every.Stop()
	for {
		select {
		case now := <-every.C:
			p.look(now)
		case <-ctx.Done():
			return
		}
	}
}

// look acts on what is in use now. What was found alive by the last collection may be garbage
// since, so that there is another one before anything is done about it.
func (p *pressure) look(now time.Time) {
	live, total := p.read()
	spare := total - min(total, uint64(p.memory.Held()))
	if now.After(p.due) && (live > p.most*refuseFrom/100 || spare > p.most/freePart) {
		p.free()
		before := total
		live, total = p.read()
		p.pause = min(2*p.pause, freeSeldom)
		if total < before-before/10 {
			p.pause = freeEvery
		}
		p.due = now.Add(max(p.pause, freeEvery))
	}
	p.live.Store(live)
	if live > p.most*endFrom/100 {
		p.memory.EndLargest()
	}
}

// crowded reports whether no run is let in; for what brings little there is a reserve.
func (p *pressure) crowded(small bool) bool {
	if small {
		return p.live.Load() > p.most*closeFrom/100
	}
	return p.live.Load() > p.most*refuseFrom/100
}

// close ends the watch. A nil pressure has none.
func (p *pressure) close() {
	if p != nil {
		p.stop()
		<-p.done
	}
}
