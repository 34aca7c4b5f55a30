package app

import (
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// maxEndedFeeds is how many bytes of frames are kept in memory of runs that have
// ended, for those who come late.
const maxEndedFeeds = 8 << 20

// recentRuns knows the runs whose frames are in memory: those that go on, and some
// that have ended lately.
type recentRuns struct {
	mu    sync.Mutex
	runs  map[string]*asyncRun
	ended *simplelru.LRU[string, *feed]
	bytes int // of ended
}

func newRecentRuns() *recentRuns {
	c := &recentRuns{runs: map[string]*asyncRun{}}
	// The size is positive, so this cannot fail. Feeds are bounded by their bytes
	// below; their number only has to be out of the way.
	c.ended, _ = simplelru.NewLRU(maxEndedFeeds, func(_ string, f *feed) { c.bytes -= f.size() })
	return c
}

func (c *recentRuns) add(r *asyncRun) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.runs[r.start.RunID] = r
}

// run returns a run that goes on, or nil.
func (c *recentRuns) run(id string) *asyncRun {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.runs[id]
}

// feed returns the frames of a run, or nil if they are not in memory.
func (c *recentRuns) feed(id string) *feed {
	c.mu.Lock()
	defer c.mu.Unlock()
	if r := c.runs[id]; r != nil {
		return r.feed
	}
	f, _ := c.ended.Get(id)
	return f
}

// remove forgets a run.
func (c *recentRuns) remove(r *asyncRun) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.runs, r.start.RunID)
}

// forget drops what is in memory of a run that was deleted.
func (c *recentRuns) forget(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.runs, id)
	c.ended.Remove(id)
}

// retire keeps the frames of a run that has ended for a while.
func (c *recentRuns) retire(r *asyncRun) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.runs[r.start.RunID] != r {
		return // somebody did so already
	}
	delete(c.runs, r.start.RunID)
	c.ended.Add(r.start.RunID, r.feed)
	c.bytes += r.feed.size()
	for c.bytes > maxEndedFeeds {
		c.ended.RemoveOldest()
	}
}

// leave lets those go who follow a run that waits: it does so in another process.
func (c *recentRuns) leave() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, r := range c.runs {
		r.entry.Lock()
		if r.waiting {
			r.feed.end()
		}
		r.entry.Unlock()
	}
}

// resuming returns a run that goes on with the run id, or nil.
func (c *recentRuns) resuming(id string) *asyncRun {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, r := range c.runs {
		if r.start.ResumedFrom == id && !r.over() {
			return r
		}
	}
	return nil
}

// indebted returns the runs that have ended without a terminal frame in their
// journals.
func (c *recentRuns) indebted() []*asyncRun {
	c.mu.Lock()
	defer c.mu.Unlock()
	var rs []*asyncRun
	for _, r := range c.runs {
		if r.owed.Load() != nil {
			rs = append(rs, r)
		}
	}
	return rs
}
