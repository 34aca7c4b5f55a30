package serving

import "runtime"

// spread lets Go run more at once than there are processors, has threads take short turns, and
// returns how many processors there are. Then it is the system that says who waits for whom, at
// once or within a few milliseconds: on two processors, Go has its collector work between
// everything else, ten milliseconds at a time, and whatever is short waits for it as well as for
// what computes. A system that holds the process to fewer processors than there are would stop
// all of it when it uses more for a while: there Go runs as many as it would by itself.
// GOMAXPROCS, if set, wins.
func spread(env func(string) (string, bool)) (processors int) {
	shortTurns()
	processors = min(runtime.GOMAXPROCS(0), runtime.NumCPU())
	if _, set := env("GOMAXPROCS"); !set && processors == runtime.NumCPU() {
		runtime.GOMAXPROCS(atOnce(processors))
	}
	return processors
}

// atOnce is how much Go may run at once on so many processors: all that computes, which leaves
// one of them, the collector, which takes a quarter of what this returns, and something
// short. In fours the collector gets whole ones, and never works in the place of others.
func atOnce(processors int) int {
	const whole = 4
	return whole * ((processors + whole - 2) / (whole - 1))
}
