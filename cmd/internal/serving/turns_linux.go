package serving

import (
	"os"
	"time"

	"github.com/prometheus/procfs"
	"golang.org/x/sys/unix"
)

// turn is for how long a thread has a processor before another one may have it: the least
// that Linux takes.
const turn = 100 * time.Microsecond

// shortTurns has the threads of this process hand processors on sooner (sched_setattr(2)). By
// itself Linux lets a thread compute for some milliseconds, and whoever has become ready
// meanwhile waits: what answers, for what computes. Threads that are made later are like those
// that make them. Before Linux 6.12, and where it is not allowed, everything stays as it is.
func shortTurns() {
	threads, err := procfs.AllThreads(os.Getpid())
	if err != nil {
		return
	}
	for _, t := range threads {
		attr, err := unix.SchedGetAttr(t.PID, 0)
		if err != nil || attr.Policy != unix.SCHED_NORMAL {
			continue // it has ended, or whoever started it has decided
		}
		attr.Runtime = uint64(turn)
		_ = unix.SchedSetAttr(t.PID, attr, 0)
	}
}
