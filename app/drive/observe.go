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

// observe records an event and shows it. The next node starts only after that, so a crash loses
// no event of a node that was called.
func (r *Run) observe(e engine.Event) {
	terminal := e.Name.Terminal()
	if terminal {
		r.releaseFiles() // first: a caller that sees the end may reuse the disk space
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.Over() || r.handedOff != nil || r.journalErr != nil && !terminal {
		return
	}
	e.Seq = r.seq + 1 // differs from e.Seq only if frames were lost
	switch {
	case terminal:
		r.writeLast(&e)
	case r.BatchDelay > 0:
		r.addToBatch(&e)
	default:
		r.write(&e)
	}
}

// writeLast records the terminal event, in one append with the batch if possible.
func (r *Run) writeLast(e *engine.Event) {
	if r.writeWithBatch(e) {
		return
	}
	r.flush()
	if r.handedOff != nil {
		return
	}
	e.Seq = r.seq + 1
	r.truncateEnd(e)
	r.write(e)
}

// write records an event at once and shows it.
func (r *Run) write(e *engine.Event) {
	frame, seen := r.encode(e)
	if err := r.appendOne(frame); err != nil {
		r.encoder.Forget(&frame)
		r.fail(e, err)
		if !e.Name.Terminal() || r.handedOff != nil {
			return
		}
		seen = r.writeFailure(e)
	}
	r.written(e, &frame, seen)
}

// encode returns the frame of an event as it is recorded, and as followers see it. The encoder
// compares later values with it, possibly before it is written.
func (r *Run) encode(e *engine.Event) (frame, seen run.Frame) {
	frame, seen = r.encodeAlone(e)
	if r.Earlier != nil {
		r.Earlier.observe(&frame, e)
	}
	return frame, seen
}

// encodeAlone is encode for an event with which no later event is compared.
func (r *Run) encodeAlone(e *engine.Event) (frame, seen run.Frame) {
	frame, seen = r.encoder.Frame(e)
	if r.omitNodes && e.Name.Terminal() {
		frame.LeaveNodes()
	}
	return frame, seen
}

// written shows an event after its frame was written.
func (r *Run) written(e *engine.Event, frame *run.Frame, seen run.Frame) {
	r.seq = e.Seq
	terminal := e.Name.Terminal()
	if terminal {
		r.end.Store(e.Result)
		r.host.Ended(e.Result) // first: a caller that sees the end may want the run slot
	}
	event := *e
	if r.endFromJournal && terminal {
		if r.host.Unfollowed(e.Seq) {
			return
		}
		seen, event = r.expandEnd(frame, seen, e)
	}
	r.host.Show(seen, event)
}

// expandEnd returns a terminal frame with the recorded outputs, as followers see it, and its
// event.
func (r *Run) expandEnd(frame *run.Frame, seen run.Frame, e *engine.Event) (run.Frame, engine.Event) {
	whole, err := frame.Whole(NewSource(context.Background(), r.from, r.Start.RunID), limit.Shown)
	var event engine.Event
	if err == nil {
		event, err = whole.Event()
	}
	if err != nil {
		r.env.Log.Error("the journal of a run cannot be read", "run", r.Start.RunID, "error", err)
		return seen, *e
	}
	return whole, event
}

// truncateEnd reduces the terminal event of a run over its size limit to what is recorded.
func (r *Run) truncateEnd(e *engine.Event) {
	if r.overLimit == "" {
		return
	}
	r.encoder.Bare = true
	result := *e.Result
	result.Status, result.Error = engine.StatusFailed, &engine.Failure{Code: r.journalErr.Code, Message: r.journalErr.Message, NodeID: r.overLimit}
	result.Nodes = maps.Clone(result.Nodes)
	if n, ok := result.Nodes[r.overLimit]; ok {
		n.Status, n.Outputs, n.Error = engine.StatusFailed, nil, &engine.Failure{Code: r.journalErr.Code, Message: r.journalErr.Message}
		result.Nodes[r.overLimit] = n
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

// append writes frames. A panic of the journal is an error.
func (r *Run) append(frames []run.Frame) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the journal panicked: %v", p)
		}
	}()
	return r.host.Append(frames)
}

// fail stops the run after the journal refused the frame of e: it fails, or is handed off.
func (r *Run) fail(e *engine.Event, err error) {
	if r.journalErr != nil {
		return
	}
	if errors.Is(err, engine.ErrHandedOff) {
		r.handedOff = err
		r.host.Stop(engine.ErrHandedOff)
		return
	}
	if full, ok := errors.AsType[*store.RunBytesError](err); ok && !e.Name.Terminal() {
		r.overLimit, _, _ = strings.Cut(e.NodeID, "/")
		r.journalErr = node.Errorf(node.CodeLimitExceeded, "at the node %s, %w", e.NodeID, full)
	} else {
		r.env.Log.Error("the journal of a run cannot be written", "run", r.Start.RunID, "error", err)
		r.journalErr = storageError(err)
	}
	r.host.Stop(r.journalErr)
}

// writeFailure turns a terminal event that the journal refused into a failure, as it would be
// after a restart, and tries to write it once more. It returns the frame as followers see it.
func (r *Run) writeFailure(e *engine.Event) run.Frame {
	if e.Result.Status != engine.StatusFailed {
		failure := &engine.Failure{Code: r.journalErr.Code, Message: r.journalErr.Message}
		result := *e.Result
		result.Status, result.Error = engine.StatusFailed, failure
		e.Name, e.Error, e.Result = engine.EventFailed, failure, &result
	}
	frame, seen := r.encodeAlone(e)
	if r.appendOne(frame) != nil {
		r.unwrittenEnd.Store(&frame)
	}
	return seen
}

// WriteEnd writes the terminal frame if the journal refused it before; otherwise it does nothing.
func (r *Run) WriteEnd() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	owed := r.unwrittenEnd.Load()
	if owed == nil {
		return nil
	}
	err := r.appendOne(*owed)
	if err == nil {
		r.unwrittenEnd.Store(nil)
	}
	return err
}

// storageError describes a failed write for users, without paths.
func storageError(err error) *node.Error {
	if isFull(err) {
		return &node.Error{Code: node.CodeStorageFull, Message: "there is no room left to record the run; make room, then resume it", Err: err}
	}
	return &node.Error{Code: node.CodeUnavailable, Message: "the run cannot be recorded; see the log of the service, then resume it", Err: err}
}

// isFull reports whether the disk or the quota is full.
func isFull(err error) bool { return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) }
