package app

import (
	"bytes"
	"context"
	"sync"
	"time"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/limit"
	"github.com/svcflow/svc/engine/run"
)

// Recording says which of the runs that somebody waits for are recorded. Those that are
// not waited for always are, and so are those with an idempotency key.
type Recording string

// What may be recorded besides what a request asks for.
const (
	RecordStored Recording = ""     // runs of stored workflows by their ids
	RecordAll    Recording = "all"  // those of posted workflows, too
	RecordNone   Recording = "none" // none
)

// keeps reports whether a run is to be recorded.
func (a *App) keeps(s source, q run.Request) bool {
	return q.Record || a.recording == RecordAll || a.recording == RecordStored && s.kind == ofStored
}

// keeper records runs after their ends. Nobody waits for it: it works behind a queue, and
// what does not fit into that is not recorded.
type keeper struct {
	mu      sync.Mutex
	queue   []keptRun
	bytes   int // of the queue, about
	working bool
	dropped int
	in, out int           // runs that came into the queue, and those of them that are done with
	done    *sync.Cond    // when out has changed
	hurried int           // those who wait for that
	hurry   chan struct{} // has something in it when somebody has begun to wait
	ended   sync.WaitGroup
}

// The queue of runs that are to be recorded.
const (
	maxQueued      = 4096
	maxQueuedBytes = 32 << 20
	// largeRun is what a run counts for that is too large to be written down at once.
	largeRun = 2 << 20
)

// keptRun is a run that is to be recorded.
type keptRun struct {
	start   run.Start
	outcome run.Outcome
	bytes   int
}

// whole is a run that has ended, with its JSON, made once for whoever asked for the run
// and for its record.
type whole struct {
	*engine.Run
	text []byte
}

// AppendJSON implements [Outcome].
func (w whole) AppendJSON(dst []byte, _ int) []byte { return append(dst, w.text...) }

// keep records a run that has ended, and returns it as the answer to the one who waited.
func (a *App) keep(ended *engine.Run, start run.Start) Outcome {
	text := ended.AppendJSON(nil, limit.Apart)
	if len(text) > limit.Shown || bytes.Contains(text, []byte(`"$elided"`)) {
		a.enqueue(keptRun{start, ended, largeRun})
		return ended
	}
	made := whole{ended, text}
	a.enqueue(keptRun{start, made, len(text) + 1<<10})
	return made
}

func (a *App) enqueue(r keptRun) {
	k := &a.keeper
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.queue) >= maxQueued || k.bytes+r.bytes > maxQueuedBytes {
		if k.dropped++; k.dropped == 1 {
			a.log.Warn("runs end faster than they can be recorded; some are not (this is said once, svc_runs_dropped_total counts them)")
		}
		return
	}
	k.queue = append(k.queue, r)
	k.bytes += r.bytes
	k.in++
	if !k.working {
		k.working = true
		k.ended.Go(a.keepAll)
	}
}

// Recording takes a tenth of one processor's time while runs end faster than that: it
// records so many at once, and then rests so much longer than that took.
const (
	keptAtOnce = 64
	keptRest   = 9
)

// keepAll records what is in the queue until that is empty.
func (a *App) keepAll() {
	k := &a.keeper
	for {
		batch, ok := k.take()
		if !ok {
			return
		}
		began := time.Now()
		for i := range batch {
			a.keepOne(&batch[i])
		}
		k.mu.Lock()
		k.out += len(batch)
		k.done.Broadcast()
		rest := len(k.queue) > 0 && k.hurried == 0
		k.mu.Unlock()
		if rest {
			select {
			case <-time.After(keptRest * time.Since(began)):
			case <-k.hurry:
			}
		}
	}
}

// take takes runs out of the queue; if there are none, the work is over.
func (k *keeper) take() ([]keptRun, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.queue) == 0 {
		k.working = false
		return nil, false
	}
	n := min(keptAtOnce, len(k.queue))
	batch := k.queue[:n:n]
	if k.queue = k.queue[n:]; len(k.queue) == 0 {
		k.queue = nil
	}
	for i := range batch {
		k.bytes -= batch[i].bytes
	}
	return batch, true
}

func (a *App) keepOne(r *keptRun) {
	defer func() {
		if p := recover(); p != nil {
			a.log.Error("recording a run panicked", "run", r.start.RunID, "panic", p)
		}
	}()
	err := a.journals.Keep(context.Background(), r.start, r.outcome)
	if err == nil {
		a.ended.add(r.start.RunID)
	} else {
		a.keeper.mu.Lock()
		defer a.keeper.mu.Unlock()
		if a.keeper.dropped++; a.keeper.dropped == 1 {
			a.log.Error("a run cannot be recorded (this is said once, svc_runs_dropped_total counts them)", "run", r.start.RunID, "error", err)
		}
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
	select {
	case k.hurry <- struct{}{}:
	default: // somebody has said so already
	}
	for k.out < last {
		k.done.Wait()
	}
}
