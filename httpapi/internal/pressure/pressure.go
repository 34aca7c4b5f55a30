// Package pressure watches how much memory the process really uses, while budgets count only what
// they know of. When memory runs low it collects garbage, refuses runs and ends the largest one.
package pressure

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

// Available returns the memory limit of the cgroup, or else the memory of the machine, or 0 if
// neither is known.
func Available() int64 {
	n, err := memlimit.ApplyFallback(memlimit.FromCgroup, memlimit.FromSystem)()
	if err != nil || n > 1<<62 {
		return 0
	}
	return int64(n)
}

// Monitor compares the memory in use with a limit, five times a second.
type Monitor struct {
	most  uint64        // the limit in bytes
	local *engine.Local // runs take most of the memory
	live  atomic.Uint64 // bytes alive, at the last look
	stop  context.CancelFunc
	done  chan struct{}

	read    func() (live, total uint64)
	collect func() // collects garbage
	free    func() // collects garbage and returns unused memory to the system

	due   time.Time     // when collect or free may be called again
	pause time.Duration // between two such calls
	spare time.Time     // since when much memory is unused; zero if little is
	busy  time.Time     // when a run was last seen computing
}

const (
	lookEvery  = 200 * time.Millisecond
	refuseFrom = 80              // percent in use above which only small requests start runs
	closeFrom  = 90              // percent above which nothing starts a run
	endFrom    = 95              // percent above which the largest run is ended
	freeEvery  = 3 * time.Second // shortest pause; it grows while freeing has little effect
	freeSeldom = 8 * time.Second // longest pause
	freePart   = 8               // fraction of the limit: more unused memory than this is returned to the system
	freeRest   = 3 * lookEvery   // how long no run may have computed before that
	freeBusy   = time.Minute     // after this time it is returned even if runs compute
)

// Watch starts a monitor of the memory limit most. It must be closed.
func Watch(most int64, local *engine.Local) *Monitor {
	ctx, cancel := context.WithCancel(context.Background())
	p := &Monitor{
		most: uint64(most), local: local, stop: cancel, done: make(chan struct{}),
		read: readMemory(), collect: runtime.GC, free: debug.FreeOSMemory,
	}
	go p.watch(ctx)
	return p
}

// readMemory returns a function that reads how many bytes are alive and how many the process has
// from the system.
func readMemory() func() (live, total uint64) {
	samples := []gauges.Sample{{Name: "/gc/heap/live:bytes"}, {Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	return func() (live, total uint64) {
		gauges.Read(samples)
		return samples[0].Value.Uint64(), samples[1].Value.Uint64() - samples[2].Value.Uint64()
	}
}

func (p *Monitor) watch(ctx context.Context) {
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

// look reads the memory in use and acts on it. Since the last collection, live memory may have
// become garbage, so it collects again before it ends a run.
func (p *Monitor) look(now time.Time) {
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

// unused reports whether much memory is held by no run, and records since when.
func (p *Monitor) unused(now time.Time, total uint64) bool {
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

// tidy collects garbage and returns unused memory to the system, but not while runs compute: they
// would take the memory again at once, cleared by the system. Returning some hundred megabytes
// takes a tenth of a second, in which the collector cannot stop the world and all goroutines wait.
func (p *Monitor) tidy(now time.Time) (gaveBack bool) {
	long := !p.spare.IsZero() && now.Sub(p.spare) >= freeBusy
	if now.Sub(p.busy) < freeRest && !long {
		p.collect()
		return false
	}
	p.free()
	p.spare = time.Time{}
	return true
}

// High reports whether a run has to be refused. Small requests have a reserve.
func (p *Monitor) High(small bool) bool {
	if small {
		return p.live.Load() > p.most*closeFrom/100
	}
	return p.live.Load() > p.most*refuseFrom/100
}

// Close stops the monitor. It does nothing for a nil Monitor.
func (p *Monitor) Close() {
	if p != nil {
		p.stop()
		<-p.done
	}
}
