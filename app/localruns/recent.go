package localruns

import (
	"sync"

	"github.com/svcflow/svc/app/internal/lru"
)

// maxEndedFeeds is how many bytes of frames are kept in memory of runs that have
// ended, for those who come late.
const maxEndedFeeds = 8 << 20

// recentRuns knows the runs whose frames are in memory: those that go on, and some
// that have ended lately.
type recentRuns struct {
	mu    sync.Mutex
	runs  map[string]*localRun
	ended *lru.Cache[string, *feed]
}

func newRecentRuns() *recentRuns {
	return &recentRuns{
		runs:  map[string]*localRun{},
		ended: lru.New[string, *feed](maxEndedFeeds, maxEndedFeeds), // each has a byte
	}
}

func (c *recentRuns) add(r *localRun) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.runs[r.Start.RunID] = r
}

// run returns a run that goes on, or nil.
func (c *recentRuns) run(id string) *localRun {
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
func (c *recentRuns) remove(r *localRun) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.runs, r.Start.RunID)
}

// forget drops what is in memory of a run that was deleted.
func (c *recentRuns) forget(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.runs, id)
	c.ended.Remove(id)
}

// retire keeps the frames of a run that has ended for a while, if there are any in memory.
func (c *recentRuns) retire(r *localRun) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.runs[r.Start.RunID] != r {
		return // somebody did so already
	}
	delete(c.runs, r.Start.RunID)
	if !r.feed.empty() {
		c.ended.Add(r.Start.RunID, r.feed, r.feed.size())
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
func (c *recentRuns) resuming(id string) *localRun {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, r := range c.runs {
		if r.Start.ResumedFrom == id && !r.Over() {
			return r
		}
	}
	return nil
}

// indebted returns the runs that have ended without a terminal frame in their
// journals.
func (c *recentRuns) indebted() []*localRun {
	c.mu.Lock()
	defer c.mu.Unlock()
	var rs []*localRun
	for _, r := range c.runs {
		if r.Owed() != nil {
			rs = append(rs, r)
		}
	}
	return rs
}
