package localruns

import (
	"sync"

	"github.com/svcflow/svc/app/internal/lru"
)

// maxEndedFeeds is the memory for frames of ended runs, for late followers, in bytes.
const maxEndedFeeds = 8 << 20

// recentRuns holds the unfinished runs, and the frames of some that ended lately.
type recentRuns struct {
	mu    sync.Mutex
	runs  map[string]*activeRun
	ended *lru.Cache[string, *feed]
}

func newRecentRuns() *recentRuns {
	return &recentRuns{
		runs:  map[string]*activeRun{},
		ended: lru.New[string, *feed](maxEndedFeeds, maxEndedFeeds), // each has a byte
	}
}

func (c *recentRuns) add(r *activeRun) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.runs[r.Start.RunID] = r
}

// run returns an unfinished run, or nil.
func (c *recentRuns) run(id string) *activeRun {
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
func (c *recentRuns) remove(r *activeRun) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.runs, r.Start.RunID)
}

// forget removes a deleted run.
func (c *recentRuns) forget(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.runs, id)
	c.ended.Remove(id)
}

// retire moves a run that has ended to those whose frames are kept for a while.
func (c *recentRuns) retire(r *activeRun) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.runs[r.Start.RunID] != r {
		return // already retired
	}
	delete(c.runs, r.Start.RunID)
	if !r.feed.empty() {
		c.ended.Add(r.Start.RunID, r.feed, r.feed.size())
	}
}

// endWaitingFeeds ends the feeds of waiting runs: they will begin in another process.
func (c *recentRuns) endWaitingFeeds() {
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

// resuming returns an unfinished run that resumes the run id, or nil.
func (c *recentRuns) resuming(id string) *activeRun {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, r := range c.runs {
		if r.Start.ResumedFrom == id && !r.Over() {
			return r
		}
	}
	return nil
}

// withUnwrittenEnd returns the ended runs whose terminal frame could not be written.
func (c *recentRuns) withUnwrittenEnd() []*activeRun {
	c.mu.Lock()
	defer c.mu.Unlock()
	var rs []*activeRun
	for _, r := range c.runs {
		if r.UnwrittenEnd() != nil {
			rs = append(rs, r)
		}
	}
	return rs
}
