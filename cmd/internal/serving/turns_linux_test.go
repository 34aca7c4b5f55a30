package serving

import (
	"os"
	"runtime"
	"testing"

	"github.com/prometheus/procfs"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// All threads get short scheduling slices, including new threads, and nothing else changes.
func TestThreadsTakeShortTurns(t *testing.T) {
	before, err := unix.SchedGetAttr(0, 0)
	require.NoError(t, err)
	before.Runtime = 0 // as the system has it; another test may have shortened them
	for _, thread := range ownThreads(t) {
		require.NoError(t, unix.SchedSetAttr(thread.PID, before, 0))
	}
	before, err = unix.SchedGetAttr(0, 0)
	require.NoError(t, err)

	shortTurns()
	for _, thread := range ownThreads(t) {
		requireTurns(t, before, thread.PID)
	}
	made := make(chan int)
	go func() {
		runtime.LockOSThread() // and never unlocked: it ends with the goroutine
		made <- unix.Gettid()
		<-made
	}()
	defer close(made)
	requireTurns(t, before, <-made)
}

func requireTurns(t *testing.T, before *unix.SchedAttr, thread int) {
	t.Helper()
	after, err := unix.SchedGetAttr(thread, 0)
	require.NoError(t, err)
	want := *before
	if want.Runtime > 0 { // which systems say that know of turns
		want.Runtime = uint64(turn)
	}
	require.Equal(t, want, *after)
}

func ownThreads(t *testing.T) procfs.Procs {
	t.Helper()
	threads, err := procfs.AllThreads(os.Getpid())
	require.NoError(t, err)
	return threads
}
