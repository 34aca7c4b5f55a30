package serving

import "runtime"

// spread sets GOMAXPROCS above the number of processors, asks for short scheduling slices, and
// returns the number of processors. The system then decides which thread waits, within a few
// milliseconds. Go alone, on two processors, runs its collector in turns of ten milliseconds,
// and short work waits for the collector and for computations. In a cgroup with a CPU quota the
// system would stop the whole process, so spread leaves Go's own value. GOMAXPROCS, if set, wins.
func spread(env func(string) (string, bool)) (processors int) {
	shortTurns()
	processors = min(runtime.GOMAXPROCS(0), runtime.NumCPU())
	if _, set := env("GOMAXPROCS"); !set && processors == runtime.NumCPU() {
		runtime.GOMAXPROCS(atOnce(processors))
	}
	return processors
}

// atOnce returns GOMAXPROCS for a number of processors: room for computing nodes (one processor
// fewer), for the collector (a quarter of the result), and for short work. The result is a
// multiple of four, so that the collector gets whole threads.
func atOnce(processors int) int {
	const whole = 4
	return whole * ((processors + whole - 2) / (whole - 1))
}
