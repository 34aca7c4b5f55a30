package drive

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"syscall"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/limit"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/store"
)

// observe records an event and shows it. The node behind it starts after that, so
// what a crash leaves in the journal is all that has happened.
func (r *Run) observe(e engine.Event) {
	terminal := e.Name.Terminal()
	if terminal {
		r.leaveFiles() // before anybody learns of the end and wants their room
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.Over() || r.left != nil || r.lost != nil && !terminal {
		return
	}
	e.Seq = r.seq + 1 // e's own, unless frames were lost
	switch {
	case terminal:
		r.writeLast(&e)
	case r.Company > 0:
		r.wait(&e)
	default:
		r.write(&e)
	}
}

// writeLast records the last event, in one go with what waits.
func (r *Run) writeLast(e *engine.Event) {
	if r.writtenTogether(e) {
		return
	}
	r.flush()
	if r.left != nil {
		return
	}
	e.Seq = r.seq + 1
	r.curtail(e)
	r.write(e)
}

// write records an event at once, and shows it.
func (r *Run) write(e *engine.Event) {
	frame, seen := r.encode(e)
	if err := r.appendOne(frame); err != nil {
		r.encoder.Forget(&frame)
		r.lose(e, err)
		if !e.Name.Terminal() || r.left != nil {
			return
		}
		seen = r.fail(e)
	}
	r.written(e, &frame, seen)
}

// encode returns the frame of an event, and how it is shown. What comes next is compared with
// it, and may come before it is written.
func (r *Run) encode(e *engine.Event) (frame, seen run.Frame) {
	frame, seen = r.encodeAlone(e)
	if r.Earlier != nil {
		r.Earlier.observe(&frame, e)
	}
	return frame, seen
}

// encodeAlone is encode of what nothing is compared with.
func (r *Run) encodeAlone(e *engine.Event) (frame, seen run.Frame) {
	frame, seen = r.encoder.Frame(e)
	if r.unread && e.Name.Terminal() {
		frame.LeaveNodes()
	}
	return frame, seen
}

// written shows an event whose frame is written.
func (r *Run) written(e *engine.Event, frame *run.Frame, seen run.Frame) {
	r.seq = e.Seq
	terminal := e.Name.Terminal()
	if terminal {
		r.end.Store(e.Result)
		r.host.Ended(e.Result) // before anybody sees the end and wants the place
	}
	told := *e
	if r.retold && terminal {
		if r.host.Unseen(e.Seq) {
			return
		}
		seen, told = r.retell(frame, seen, e)
	}
	r.host.Show(seen, told)
}

// retell returns a frame, made from what is recorded, as it is shown, and the event that it
// tells of.
func (r *Run) retell(frame *run.Frame, seen run.Frame, e *engine.Event) (run.Frame, engine.Event) {
	whole, err := frame.Whole(NewSource(context.Background(), r.from, r.Start.RunID), limit.Shown)
	var told engine.Event
	if err == nil {
		told, err = whole.Event()
	}
	if err != nil {
		r.env.Log.Error("the journal of a run cannot be read", "run", r.Start.RunID, "error", err)
		return seen, *e
	}
	return whole, told
}

// curtail makes the last event of a run which has put down all that it may tell no more
// than what is recorded.
func (r *Run) curtail(e *engine.Event) {
	if r.past == "" {
		return
	}
	r.encoder.Bare = true
	result := *e.Result
	result.Status, result.Error = engine.StatusFailed, &engine.Failure{Code: r.lost.Code, Message: r.lost.Message, NodeID: r.past}
	result.Nodes = maps.Clone(result.Nodes)
	if n, ok := result.Nodes[r.past]; ok {
		n.Status, n.Outputs, n.Error = engine.StatusFailed, nil, &engine.Failure{Code: r.lost.Code, Message: r.lost.Message}
		result.Nodes[r.past] = n
	}
	e.Name, e.Error, e.Result = engine.EventFailed, result.Error, &result
}

// appendOne writes a frame.
func (r *Run) appendOne(f run.Frame) error {
	r.one[0] = f
	err := r.append(r.one[:])
	r.one[0] = run.Frame{}
	return err
}

// append writes frames; a journal that panics is one that cannot be written.
func (r *Run) append(frames []run.Frame) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the journal panicked: %v", p)
		}
	}()
	return r.host.Append(frames)
}

// lose ends the run because its journal did not take the frame of e, or leaves it.
func (r *Run) lose(e *engine.Event, err error) {
	if r.lost != nil {
		return
	}
	if errors.Is(err, engine.ErrHandedOff) {
		r.left = err
		r.host.Stop(engine.ErrHandedOff)
		return
	}
	if full, ok := errors.AsType[*store.RunBytesError](err); ok && !e.Name.Terminal() {
		r.past, _, _ = strings.Cut(e.NodeID, "/")
		r.lost = node.Errorf(node.CodeLimitExceeded, "at the node %s, %w", e.NodeID, full)
	} else {
		r.env.Log.Error("the journal of a run cannot be written", "run", r.Start.RunID, "error", err)
		r.lost = storageError(err)
	}
	r.host.Stop(r.lost)
}

// fail makes a terminal event which the journal did not take that of a run that
// failed, as it would be after a restart, and tries once more. It returns the frame as it
// is shown.
func (r *Run) fail(e *engine.Event) run.Frame {
	if e.Result.Status != engine.StatusFailed {
		failure := &engine.Failure{Code: r.lost.Code, Message: r.lost.Message}
		result := *e.Result
		result.Status, result.Error = engine.StatusFailed, failure
		e.Name, e.Error, e.Result = engine.EventFailed, failure, &result
	}
	frame, seen := r.encodeAlone(e)
	if r.appendOne(frame) != nil {
		r.owed.Store(&frame)
	}
	return seen
}

// Settle writes the terminal frame that the journal did not take, if that is so.
func (r *Run) Settle() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	owed := r.owed.Load()
	if owed == nil {
		return nil
	}
	err := r.appendOne(*owed)
	if err == nil {
		r.owed.Store(nil)
	}
	return err
}

// storageError says that a journal cannot be written, in words for users, who are
// told no paths.
func storageError(err error) *node.Error {
	if isFull(err) {
		return &node.Error{Code: node.CodeStorageFull, Message: "there is no room left to record the run; make room, then resume it", Err: err}
	}
	return &node.Error{Code: node.CodeUnavailable, Message: "the run cannot be recorded; see the log of the service, then resume it", Err: err}
}

// isFull reports whether an error says that a disk is full.
func isFull(err error) bool { return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) }
