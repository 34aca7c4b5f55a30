package serving

import (
	"math"
	"runtime/debug"
	"time"

	"github.com/KimMachineGun/automemlimit/memlimit"

	"github.com/svcflow/svc/cmd/internal/program"
)

// Memory has the flags for budgets of memory and time.
type Memory struct {
	RunMemory int64         `default:"536870912" variable:"SVC_RUN_MEMORY" placeholder:"N" help:"How many bytes of memory the values of one run may use; 0 for any number."`
	RunCPU    time.Duration `name:"run-cpu" variable:"SVC_RUN_CPU" placeholder:"TIME" help:"How long the nodes of one run may compute. By default without limit."`
	Admit     int64         `variable:"SVC_ADMIT" placeholder:"N" help:"How many bytes of memory all current requests may use together. By default a quarter of the memory."`
}

func (f *Memory) check() error {
	if f.RunMemory < 0 || f.RunCPU < 0 || f.Admit < 0 {
		return program.Usagef("--run-memory and --admit are numbers of bytes, and --run-cpu is a time, from 0 on")
	}
	return nil
}

// gcPercent is how much the heap of a server may grow between collections, in
// percent of what is alive. Go's own 100 collects so often on the small heap of a
// server that it costs a third of its throughput; 200 gives most of that back for
// a few megabytes (measured: docs/decisions/gogc.md). GOGC, if set, wins.
const gcPercent = 200

// openingPercent applies until the runs of an earlier process have been recovered. There may be
// many of them, so the heap grows less between collections.
const openingPercent = 50

// setGCPercent sets GOGC for the engine, which raises it before large allocations.
func setGCPercent(percent int) { debug.SetGCPercent(percent) }

// pace sets GOGC to percent, unless the environment sets it.
func pace(env func(string) (string, bool), percent int) {
	if _, set := env("GOGC"); !set {
		debug.SetGCPercent(percent)
	}
}

// memoryPart is the fraction of the memory of the cgroup, or else of the machine, for Go. The
// rest is for memory that Go does not count. dataLimit may be lower. GOMEMLIMIT, if set, wins.
const memoryPart = 0.9

// Tune applies the defaults and returns how many bytes the process may use; 0 if unknown.
func Tune(env func(string) (string, bool)) int64 {
	pace(env, gcPercent)
	if _, set := env("GOMEMLIMIT"); !set {
		limitMemory()
	}
	if most := debug.SetMemoryLimit(-1); most < math.MaxInt64 {
		return most
	}
	return 0
}

// limitMemory sets Go's memory limit to the lowest limit of the process.
func limitMemory() {
	source := memlimit.ApplyFallback(memlimit.FromCgroup, memlimit.FromSystem)
	part, err := memlimit.ApplyRatio(source, memoryPart)()
	most, known := int64(min(part, math.MaxInt64)), err == nil && part < math.MaxInt64
	if data, limited := dataLimit(); limited && (!known || data < most) {
		most, known = data, true
	}
	if known {
		debug.SetMemoryLimit(most)
	}
}
