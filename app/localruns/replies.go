package localruns

import (
	"sync"

	"github.com/svcflow/svc/engine/node"
)

// callers holds the callers of hooks that wait for the reply of a node, by run.
type callers struct {
	mu  sync.Mutex
	all map[string]chan node.Reply
}

// wait adds a caller, until gone is called.
func (c *callers) wait(runID string) (reply <-chan node.Reply, gone func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.all == nil {
		c.all = map[string]chan node.Reply{}
	}
	ch := make(chan node.Reply, 1)
	c.all[runID] = ch
	return ch, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.all, runID)
	}
}

// answer sends a reply to the caller of a run, once.
func (c *callers) answer(runID string, r node.Reply) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	ch, ok := c.all[runID]
	if !ok {
		return node.ErrNobodyWaits
	}
	delete(c.all, runID)
	ch <- r
	return nil
}

// Answer implements [runs.Backend].
func (l *Runs) Answer(runID string) (reply <-chan node.Reply, look, gone func()) {
	reply, gone = l.callers.wait(runID)
	return reply, func() {}, gone // the reply arrives before the end
}
