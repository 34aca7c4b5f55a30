package localruns

import (
	"context"
	"sync"
	"time"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/limit"
	"github.com/svcflow/svc/engine/run"
)

// recorder records synchronous runs after their ends, in a goroutine behind a bounded queue;
// a run that does not fit into the queue is not recorded.
type recorder struct {
	mu      sync.Mutex
	queue   []run.Kept
	spare   []run.Kept // nothing, with the room of an earlier queue
	bytes   int        // of what is not done with, about
	queued  int        // those of the queue
	working bool
	dropped int
	in, out int           // runs that came into the queue, and those of them that are done with
	done    *sync.Cond    // when out has changed
	waiters int           // those who wait for that
	wake    chan struct{} // has something in it when somebody has begun to wait, or enough have come
	ended   sync.WaitGroup
}

// The queue of runs that are to be recorded.
const (
	maxQueued      = 16384
	maxQueuedBytes = 32 << 20
	maxSpare       = 4096 // runs, whose room is kept
	// largeRun is the size in the queue of a run with large values.
	largeRun = 2 << 20
	// perRun and perNode are added to the size of the values of other runs.
	perRun, perNode = 1 << 10, 1 << 7
)

// A batch of runs is written when it has this many runs, or after this time. A batch costs little
// more than one run.
const (
	recordedAtOnce = 256
	recordedWithin = 10 * time.Millisecond
)

// bytesOf returns the size of a run in the queue.
func bytesOf(outcome run.Outcome) int {
	ended, ok := outcome.(*engine.Run)
	if !ok || ended.Exceeds(limit.DedupThreshold) {
		return largeRun
	}
	return perRun + perNode*ended.Ended() + ended.Bytes()
}

// Keep implements [runs.Backend].
func (l *Runs) Keep(r run.Kept) {
	k, size := &l.recorder, bytesOf(r.Outcome)
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.in-k.out >= maxQueued || k.bytes+size > maxQueuedBytes {
		if k.dropped++; k.dropped == 1 {
			l.env.Log.Warn("runs end faster than they can be recorded; some are not (this is said once, svc_runs_dropped_total counts them)")
		}
		return
	}
	k.queue = append(k.queue, r)
	k.bytes += size
	k.queued += size
	k.in++
	switch {
	case !k.working:
		k.working = true
		k.ended.Go(l.recordAll)
	case len(k.queue) == recordedAtOnce:
		k.wakeUp()
	}
}

func (k *recorder) wakeUp() {
	select {
	case k.wake <- struct{}{}:
	default: // it is awake
	}
}

// recordAll records what is in the queue until that is empty.
func (l *Runs) recordAll() {
	k := &l.recorder
	for {
		k.gather()
		batch, size, ok := k.take()
		if !ok {
			return
		}
		l.record(batch)
		k.finish(batch, size)
	}
}

// gather waits for more runs, unless there are enough or a caller waits in settle.
func (k *recorder) gather() {
	k.mu.Lock()
	enough := len(k.queue) >= recordedAtOnce || k.waiters > 0
	k.mu.Unlock()
	if enough {
		return
	}
	select {
	case <-time.After(recordedWithin):
	case <-k.wake:
	}
}

// take takes the queue and its size. If the queue is empty, it ends the goroutine.
func (k *recorder) take() (batch []run.Kept, size int, ok bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	batch, size = k.queue, k.queued
	if len(batch) == 0 {
		k.working = false
		return nil, 0, false
	}
	k.queue, k.spare, k.queued = k.spare, nil, 0
	return batch, size, true
}

// finish removes a batch from the counts.
func (k *recorder) finish(batch []run.Kept, size int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.bytes -= size
	k.out += len(batch)
	k.done.Broadcast()
	if clear(batch); cap(batch) <= maxSpare {
		k.spare = batch[:0]
	}
}

func (l *Runs) record(batch []run.Kept) {
	defer func() {
		if p := recover(); p != nil {
			l.env.Log.Error("recording runs panicked", "panic", p)
		}
	}()
	errs := l.journals.Keep(context.Background(), batch)
	ids := make([]string, 0, len(batch))
	for i := range batch {
		if errs == nil || errs[i] == nil {
			ids = append(ids, batch[i].Start.RunID)
		} else {
			l.unrecorded(batch[i].Start.RunID, errs[i])
		}
	}
	l.ended.add(ids...)
}

// unrecorded counts a run that cannot be recorded.
func (l *Runs) unrecorded(runID string, err error) {
	l.recorder.mu.Lock()
	defer l.recorder.mu.Unlock()
	if l.recorder.dropped++; l.recorder.dropped == 1 {
		l.env.Log.Error("a run cannot be recorded (this is said once, svc_runs_dropped_total counts them)", "run", runID, "error", err)
	}
}

// settle waits until all runs that have ended so far are recorded, so that callers find their runs.
func (k *recorder) settle() {
	k.mu.Lock()
	defer k.mu.Unlock()
	last := k.in
	if k.out >= last {
		return
	}
	k.waiters++
	defer func() { k.waiters-- }()
	k.wakeUp()
	for k.out < last {
		k.done.Wait()
	}
}
