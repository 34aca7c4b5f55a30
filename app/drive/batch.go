package drive

import (
	"context"
	"time"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/run"
)

// frameBatch collects frames that are written together. Run.mu guards it.
type frameBatch struct {
	frames []run.Frame
	shown  []run.Frame     // as followers see them
	events []engine.Event  // of the frames
	timer  *time.Timer     // set while there are frames
	calls  map[string]bool // paths of running nodes that have side effects
}

// addToBatch adds an event to the batch. The end of a node with side effects flushes it.
func (r *Run) addToBatch(e *engine.Event) {
	c := &r.batch
	r.seq = e.Seq
	frame, seen := r.encode(e)
	c.frames, c.shown, c.events = append(c.frames, frame), append(c.shown, seen), append(c.events, *e)
	effect := c.calls[e.NodeID]
	if e.Name == engine.EventNode {
		delete(c.calls, e.NodeID)
	}
	switch {
	case effect:
		r.flush()
	case c.timer == nil:
		c.timer = time.AfterFunc(r.BatchDelay, r.flushOverdue)
	}
}

// flushOverdue writes the batch when BatchDelay is over.
func (r *Run) flushOverdue() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.flush()
}

// flush writes the batch and shows its frames. The caller holds mu.
func (r *Run) flush() {
	c := &r.batch
	if c.timer != nil {
		c.timer.Stop()
		c.timer = nil
	}
	if len(c.frames) == 0 {
		return
	}
	frames, seen, events := c.frames, c.shown, c.events
	c.frames, c.shown, c.events = nil, nil, nil
	if r.handedOff != nil || r.journalErr != nil {
		r.seq = frames[0].Seq - 1
		return
	}
	taken := len(frames)
	if err := r.append(frames); err != nil {
		taken = r.appendEach(frames, events, err)
	}
	r.seq = frames[0].Seq - 1
	for i := range frames {
		if i < taken {
			r.written(&events[i], &frames[i], seen[i])
		} else {
			r.encoder.Forget(&frames[i])
		}
	}
}

// writeWithBatch writes the batch and the last event in one append. It reports whether the
// journal took all of them.
func (r *Run) writeWithBatch(last *engine.Event) bool {
	c := &r.batch
	if len(c.frames) == 0 || r.handedOff != nil || r.journalErr != nil {
		return false
	}
	frame, seen := r.encode(last)
	if r.append(append(c.frames, frame)) != nil {
		r.encoder.Forget(&frame)
		return false
	}
	frames, shown, events := c.frames, c.shown, c.events
	c.frames, c.shown, c.events = nil, nil, nil
	r.flush() // stops the timer
	for i := range frames {
		r.written(&events[i], &frames[i], shown[i])
	}
	r.written(last, &frame, seen)
	return true
}

// appendEach writes the frames of a failed batch one by one, to find the one that is too large.
// It returns how many the journal took.
func (r *Run) appendEach(frames []run.Frame, events []engine.Event, err error) int {
	for i := range frames {
		if len(frames) > 1 && r.handedOff == nil {
			err = r.appendOne(frames[i])
		}
		if err != nil {
			r.fail(&events[i], err)
			return i
		}
	}
	return len(frames)
}

// callAfterFlush calls a node. If the node has side effects, the batch is written first.
func (r *Run) callAfterFlush(ctx context.Context, c *engine.Call) error {
	if !c.Computes() && !c.Container() {
		if err := r.flushBefore(c); err != nil { //nolint:contextcheck // the journal is written even if the caller has left
			return err
		}
	}
	if r.Call != nil {
		return r.Call(ctx, c)
	}
	return c.Here(ctx)
}

func (r *Run) flushBefore(c *engine.Call) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.batch.calls == nil {
		r.batch.calls = map[string]bool{}
	}
	r.batch.calls[c.Path()] = true
	r.flush()
	if r.handedOff != nil {
		return r.handedOff
	}
	if r.journalErr != nil {
		return r.journalErr
	}
	return nil
}
