package httpapi

import (
	"context"
	"runtime"
	"runtime/debug"
	gauges "runtime/metrics"
	"sync/atomic"
	"time"

	"github.com/KimMachineGun/automemlimit/memlimit"

	"github.com/svcflow/svc/engine"
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
	most  uint64        // bytes that the process may take
	local *engine.Local // whose runs take most of them
	live  atomic.Uint64 // as it was looked at last
	stop  context.CancelFunc
	done  chan struct{}

	read    func() (live, total uint64)
	collect func() // collects garbage
	free    func() // and gives back to the system what is not in use

	due   time.Time     // when either may be done again
	pause time.Duration // until then, from when it was
	spare time.Time     // since when there is much of it; zero if there is not
	busy  time.Time     // when somebody was last seen to compute
}

const (
	lookEvery  = 200 * time.Millisecond
	refuseFrom = 80              // percent of the memory in use, from which on no run is let in but for what brings little
	closeFrom  = 90              // from which on none is let in
	endFrom    = 95              // from which on the largest run is ended
	freeEvery  = 3 * time.Second // at most; the less comes of it, the longer until the next time
	freeSeldom = 8 * time.Second // at the latest: what was is not what is
	freePart   = 8               // of all: from there on what is not in use is given back to the system
	freeRest   = 3 * lookEvery   // for how long nobody has computed then
	freeBusy   = time.Minute     // from when on it is given back although somebody computes
)

// watchMemory begins to watch.
func watchMemory(most int64, local *engine.Local) *pressure {
	ctx, cancel := context.WithCancel(context.Background())
	p := &pressure{
		most: uint64(most), local: local, stop: cancel, done: make(chan struct{}),
		read: readMemory(), collect: runtime.GC, free: debug.FreeOSMemory,
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
	much := p.unused(now, total)
	if now.After(p.due) && (live > p.most*refuseFrom/100 || much) {
		before := total
		gave := p.tidy(now)
		live, total = p.read()
		p.pause = min(2*p.pause, freeSeldom)
		if !gave || total < before-before/10 {
			p.pause = freeEvery
		}
		p.due = now.Add(max(p.pause, freeEvery))
	}
	p.live.Store(live)
	if live > p.most*endFrom/100 {
		p.local.Memory.EndLargest()
	}
}

// unused reports whether there is much memory that no run has, and notes since when.
func (p *pressure) unused(now time.Time, total uint64) bool {
	if !p.local.Processors.Idle() {
		p.busy = now
	}
	if total-min(total, uint64(p.local.Memory.Held())) <= p.most/freePart {
		p.spare = time.Time{}
		return false
	}
	if p.spare.IsZero() {
		p.spare = now
	}
	return true
}

// tidy collects garbage, and gives back to the system what is not in use, but not while
// somebody computes, who takes it again at once and has to have it cleared first. And while it
// is given back, which takes a tenth of a second for some hundred megabytes, Go can stop nobody
// who does it, so that all others stand still if the collector wants to begin.
func (p *pressure) tidy(now time.Time) (gaveBack bool) {
	long := !p.spare.IsZero() && now.Sub(p.spare) >= freeBusy
	if now.Sub(p.busy) < freeRest && !long {
		p.collect()
		return false
	}
	p.free()
	p.spare = time.Time{}
	return true
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
