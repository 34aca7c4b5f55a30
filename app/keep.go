package app

import (
	"bytes"
	"context"
	"sync"

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
	in, out int        // runs that came into the queue, and those of them that are done with
	done    *sync.Cond // when out has changed
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

// keepAll records what is in the queue until that is empty.
func (a *App) keepAll() {
	k := &a.keeper
	var batch []keptRun
	for {
		k.mu.Lock()
		k.out += len(batch)
		k.done.Broadcast()
		clear(batch)
		batch, k.queue = k.queue, batch[:0]
		k.bytes = 0
		if len(batch) == 0 {
			k.working = false
			k.mu.Unlock()
			return
		}
		k.mu.Unlock()
		for i := range batch {
			a.keepOne(&batch[i])
		}
	}
}

func (a *App) keepOne(r *keptRun) {
	defer func() {
		if p := recover(); p != nil {
			a.log.Error("recording a run panicked", "run", r.start.RunID, "panic", p)
		}
	}()
	if err := a.journals.Keep(context.Background(), r.start, r.outcome); err != nil {
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
	for last := k.in; k.out < last; {
		k.done.Wait()
	}
}
