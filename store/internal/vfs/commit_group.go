package vfs

import (
	"runtime"
	"sync/atomic"
)

// CommitGroup counts the goroutines that wait for a shared sync. One of them, the leader, syncs for
// all.
type CommitGroup struct {
	waiting atomic.Int32
	last    int32 // number of waiters at the last sync; used by the leader
}

// Enter counts a goroutine that waits.
func (c *CommitGroup) Enter() { c.waiting.Add(1) }

// Leave counts one that waits no more.
func (c *CommitGroup) Leave() { c.waiting.Add(-1) }

// Gather yields until as many goroutines wait as at the last sync. Those that were just served
// usually come back at once; without Gather, two groups would alternate and each wait for the
// other's sync. Only the leader may call it.
func (c *CommitGroup) Gather() {
	const most = 100
	now := c.waiting.Load()
	for n := 0; n < most && now < c.last; n++ {
		runtime.Gosched()
		now = c.waiting.Load()
	}
	c.last = max(now, c.last-1) // only the leader writes it
}
