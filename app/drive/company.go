package drive

import (
	"context"
	"time"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/run"
)

// company is what waits to be written together. The run's mu guards it.
type company struct {
	frames []run.Frame
	seen   []run.Frame     // as they are shown
	events []engine.Event  // of the frames
	timer  *time.Timer     // while something waits
	calls  map[string]bool // paths of nodes that are under way and do more than compute
}

// wait lets an event wait for others, unless it is of a node that does more than compute.
func (r *Run) wait(e *engine.Event) {
	c := &r.company
	r.seq = e.Seq
	frame, seen := r.encode(e)
	c.frames, c.seen, c.events = append(c.frames, frame), append(c.seen, seen), append(c.events, *e)
	effect := c.calls[e.NodeID]
	if e.Name == engine.EventNode {
		delete(c.calls, e.NodeID)
	}
	switch {
	case effect:
		r.flush()
	case c.timer == nil:
		c.timer = time.AfterFunc(r.Company, r.flushLate)
	}
}

// flushLate writes what has waited long enough.
func (r *Run) flushLate() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.flush()
}

// flush writes what waits, and shows it. The caller holds mu.
func (r *Run) flush() {
	c := &r.company
	if c.timer != nil {
		c.timer.Stop()
		c.timer = nil
	}
	if len(c.frames) == 0 {
		return
	}
	frames, seen, events := c.frames, c.seen, c.events
	c.frames, c.seen, c.events = nil, nil, nil
	if r.left != nil || r.lost != nil {
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

// writtenTogether writes what waits and the last event in one go, and reports whether the
// journal has taken all of it.
func (r *Run) writtenTogether(last *engine.Event) bool {
	c := &r.company
	if len(c.frames) == 0 || r.left != nil || r.lost != nil {
		return false
	}
	frame, seen := r.encode(last)
	if r.append(append(c.frames, frame)) != nil {
		r.encoder.Forget(&frame)
		return false
	}
	frames, shown, events := c.frames, c.seen, c.events
	c.frames, c.seen, c.events = nil, nil, nil
	r.flush() // ends the waiting
	for i := range frames {
		r.written(&events[i], &frames[i], shown[i])
	}
	r.written(last, &frame, seen)
	return true
}

// appendEach writes frames one by one that could not be written together, to find the one
// that is too much. It returns how many of them the journal has taken.
func (r *Run) appendEach(frames []run.Frame, events []engine.Event, err error) int {
	for i := range frames {
		if len(frames) > 1 && r.left == nil {
			err = r.appendOne(frames[i])
		}
		if err != nil {
			r.lose(&events[i], err)
			return i
		}
	}
	return len(frames)
}

// callWritten has a node called once all that has happened before is written, if it does
// more than compute.
func (r *Run) callWritten(ctx context.Context, c *engine.Call) error {
	if !c.Computes() && !c.Container() {
		if err := r.writeBefore(c); err != nil { //nolint:contextcheck // what has happened is written whoever waits
			return err
		}
	}
	if r.Call != nil {
		return r.Call(ctx, c)
	}
	return c.Here(ctx)
}

func (r *Run) writeBefore(c *engine.Call) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.company.calls == nil {
		r.company.calls = map[string]bool{}
	}
	r.company.calls[c.Path()] = true
	r.flush()
	if r.left != nil {
		return r.left
	}
	if r.lost != nil {
		return r.lost
	}
	return nil
}
