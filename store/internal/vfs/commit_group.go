package vfs

import (
	"runtime"
	"sync/atomic"
)

// CommitGroup counts goroutines that wait for a sync which one of them makes for all.
type CommitGroup struct {
	waiting atomic.Int32
	last    int32 // number of waiters at the last sync; used by the leader
}

// Enter counts a goroutine that waits.
func (c *CommitGroup) Enter() { c.waiting.Add(1) }

// Leave counts one that waits no more.
func (c *CommitGroup) Leave() { c.waiting.Add(-1) }

// Gather lets those who were served last come again before the disk is asked: they are
// about to, and else there are two crowds that wait for each other. Whoever asks the disk
// calls it, one at a time.
func (c *CommitGroup) Gather() {
	const most = 100
	now := c.waiting.Load()
	for n := 0; n < most && now < c.last; n++ {
		runtime.Gosched()
		now = c.waiting.Load()
	}
	c.last = max(now, c.last-1) // only the leader writes it
}
