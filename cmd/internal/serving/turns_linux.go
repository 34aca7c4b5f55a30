package serving

import (
	"os"
	"time"

	"github.com/prometheus/procfs"
	"golang.org/x/sys/unix"
)

// turn is the scheduling slice of a thread: the shortest that Linux accepts.
const turn = 100 * time.Microsecond

// shortTurns shortens the scheduling slices of the threads of this process (sched_setattr(2)).
// By default a thread computes for some milliseconds while ready threads wait, so that answers
// wait for computations. New threads inherit the slice. Before Linux 6.12, and without
// permission, it does nothing.
func shortTurns() {
	threads, err := procfs.AllThreads(os.Getpid())
	if err != nil {
		return
	}
	for _, t := range threads {
		attr, err := unix.SchedGetAttr(t.PID, 0)
		if err != nil || attr.Policy != unix.SCHED_NORMAL {
			continue // the thread has ended, or the caller has set its policy
		}
		attr.Runtime = uint64(turn)
		_ = unix.SchedSetAttr(t.PID, attr, 0)
	}
}
