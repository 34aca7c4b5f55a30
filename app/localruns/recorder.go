package localruns

import (
	"context"
	"sync"
	"time"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/limit"
	"github.com/svcflow/svc/engine/run"
)

// keeper records runs after their ends. Nobody waits for it: it works behind a queue, and
// what does not fit into that is not recorded.
type keeper struct {
	mu      sync.Mutex
	queue   []run.Kept
	spare   []run.Kept // nothing, with the room of an earlier queue
	bytes   int        // of what is not done with, about
	queued  int        // those of the queue
	working bool
	dropped int
	in, out int           // runs that came into the queue, and those of them that are done with
	done    *sync.Cond    // when out has changed
	hurried int           // those who wait for that
	wake    chan struct{} // has something in it when somebody has begun to wait, or enough have come
	ended   sync.WaitGroup
}

// The queue of runs that are to be recorded.
const (
	maxQueued      = 16384
	maxQueuedBytes = 32 << 20
	maxSpare       = 4096 // runs, whose room is kept
	// largeRun is what a run counts for that is too large to be written down at once.
	largeRun = 2 << 20
	// perRun and perNode are what others count for besides their values.
	perRun, perNode = 1 << 10, 1 << 7
)

// Runs are recorded so many at once, which costs little more than one, or as many as have
// come in so long.
const (
	keptAtOnce = 256
	keptWithin = 10 * time.Millisecond
)

// bytesOf returns what a run counts for in the queue.
func bytesOf(outcome run.Outcome) int {
	ended, ok := outcome.(*engine.Run)
	if !ok || ended.Exceeds(limit.Apart) {
		return largeRun
	}
	return perRun + perNode*ended.Ended() + ended.Bytes()
}

// Keep implements [runs.Backend].
func (l *Runs) Keep(r run.Kept) {
	k, size := &l.keeper, bytesOf(r.Outcome)
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
		k.ended.Go(l.keepAll)
	case len(k.queue) == keptAtOnce:
		k.wakeUp()
	}
}

func (k *keeper) wakeUp() {
	select {
	case k.wake <- struct{}{}:
	default: // somebody has said so already
	}
}

// keepAll records what is in the queue until that is empty.
func (l *Runs) keepAll() {
	k := &l.keeper
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

// gather waits for more runs, unless there are enough or somebody waits for them.
func (k *keeper) gather() {
	k.mu.Lock()
	enough := len(k.queue) >= keptAtOnce || k.hurried > 0
	k.mu.Unlock()
	if enough {
		return
	}
	select {
	case <-time.After(keptWithin):
	case <-k.wake:
	}
}

// take takes what is in the queue, with its size; if that is nothing, the work is over.
func (k *keeper) take() (batch []run.Kept, size int, ok bool) {
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

// finish notes that some runs are done with, which have that size together.
func (k *keeper) finish(batch []run.Kept, size int) {
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
	l.keeper.mu.Lock()
	defer l.keeper.mu.Unlock()
	if l.keeper.dropped++; l.keeper.dropped == 1 {
		l.env.Log.Error("a run cannot be recorded (this is said once, svc_runs_dropped_total counts them)", "run", runID, "error", err)
	}
}

// settle waits until what has ended so far is recorded, so that who has got an answer finds
// its run.
func (k *keeper) settle() {
	k.mu.Lock()
	defer k.mu.Unlock()
	last := k.in
	if k.out >= last {
		return
	}
	k.hurried++
	defer func() { k.hurried-- }()
	k.wakeUp()
	for k.out < last {
		k.done.Wait()
	}
}
