package cluster

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/store"
)

// Player runs a held run with the engine. It does not know about other processes.
type Player interface {
	// Play continues a run behind its recorded frames and records its events up to its end. Once
	// Held.Leave is closed, it starts nothing more and returns [engine.ErrHandedOff] when the current
	// calls have ended. If ctx ends with the cause [engine.ErrHandedOff], it stops at once and returns
	// that; with another cause, it cancels the run. If the run only waits, it returns an
	// [*engine.Parked].
	Play(ctx context.Context, h Held) error
	// End ends a run with a failure, without calling nodes.
	End(ctx context.Context, h Held, failure *node.Error) error
}

// Held is a run that only this process may write.
type Held struct {
	RunID string
	// Journal takes the frames. The first one has the number Frames+1 and a time not before Last.
	Journal store.SharedJournal
	Frames  int
	Last    time.Time
	// CallsLost, if set, is called with the number of node calls that were running when the
	// former driver died.
	CallsLost func(calls int)
	// Leave is closed when the run is to be handed off.
	Leave <-chan struct{}
}

// HolderConfig configures a [Holder].
type HolderConfig struct {
	Runs   store.SharedRuns
	Player Player
	// Name is unique among all processes, also earlier ones.
	Name string
	Log  *slog.Logger
}

// Holder is a [Driver] that takes runs, so that each has one writer, and has them played. Make
// one with [NewHolder], and close it when no run is driven any more.
type Holder struct {
	HolderConfig

	lease        *lease
	driven       *drivenRuns
	watch        *watch[store.Change]
	heldCount    atomic.Int64
	quarantineMu sync.Mutex // held while a quarantined run is played
	holderCounts

	leaving chan struct{} // closed by Leave
	once    sync.Once
}

// Bounds of taking runs.
const (
	// maxTakes bounds how often a run is taken without progress. After that the run is at fault,
	// not the workers.
	maxTakes = 5
	// quarantineFrom is the number of takes without progress from which a run is in quarantine:
	// it has killed its workers, or ran beside the run that did. A process plays one such run at
	// a time, so that an innocent one is not taken down with the guilty one again.
	quarantineFrom = 3
	// quarantineRetry is how long a quarantined run waits if another one is played here.
	quarantineRetry = 5 * time.Second
	// takeRetry is how often Take is retried while the run has a living driver.
	takeRetry = 250 * time.Millisecond
)

// errTooManyTakes is the failure of a run that keeps killing its workers.
var errTooManyTakes = node.Errorf(node.CodeInterrupted, "each worker that drove the run died; see the logs of the workers, then resume the run")

// NewHolder returns a Holder and starts the lease of this process.
func NewHolder(c HolderConfig) *Holder {
	return &Holder{
		HolderConfig: c, lease: newLease(c.Runs, c.Name, c.Log), driven: newDrivenRuns(c.Runs, c.Name), leaving: make(chan struct{}),
		watch: newWatch(c.Runs.Changes, func(c store.Change) string { return c.RunID }, c.Log),
	}
}

// Leave implements [Driver].
func (h *Holder) Leave() { h.once.Do(func() { close(h.leaving) }) }

// checkLeaving returns [engine.ErrHandedOff] after Leave.
func (h *Holder) checkLeaving() error {
	select {
	case <-h.leaving:
		return engine.ErrHandedOff
	default:
		return nil
	}
}

// holding returns how many runs are held.
func (h *Holder) holding() int { return int(h.heldCount.Load()) }

// Close ends the lease, so that other processes can take the remaining runs at once.
func (h *Holder) Close(ctx context.Context) error {
	h.watch.close()
	h.driven.close()
	return h.lease.end(ctx)
}

// Drive implements [Driver].
func (h *Holder) Drive(ctx context.Context, runID string) error {
	taken, letGo, err := h.take(ctx, runID)
	switch {
	case errors.Is(err, store.ErrRunEnded), errors.Is(err, store.ErrRunNotFound):
		return nil
	case errors.Is(err, store.ErrRunDamaged):
		h.Log.ErrorContext(ctx, "a run is damaged; it is not driven, and can be deleted", "run", runID, "error", err)
		return nil // a retry cannot help
	case err != nil:
		return err
	}
	defer letGo()
	h.heldCount.Add(1)
	defer h.heldCount.Add(-1)
	if taken.Epoch > 1 {
		h.again.Add(1)
	} else {
		h.first.Add(1)
	}
	free := func() {}
	if taken.Takes >= quarantineFrom && taken.Takes <= maxTakes && !taken.Cancelled {
		if !h.quarantineMu.TryLock() {
			return h.leave(ctx, &taken, &engine.Parked{Until: time.Now().Add(quarantineRetry)})
		}
		free = sync.OnceFunc(h.quarantineMu.Unlock)
	}
	defer free()
	return h.drive(ctx, runID, &taken, free)
}

// drive plays a run that was taken. It calls progressed whenever the run makes progress.
func (h *Holder) drive(ctx context.Context, runID string, taken *store.Taken, progressed func()) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	held := h.heldAs(runID, taken, h.journal(runID, taken, cancel, progressed))
	if taken.Takes > maxTakes {
		return h.Player.End(ctx, held, errTooManyTakes)
	}
	if taken.Cancelled {
		cancel(context.Canceled)
	}
	defer h.watch.subscribe(runID, func(c store.Change) {
		switch {
		case c.Epoch > taken.Epoch:
			cancel(handoffError(store.ErrRunTaken))
		case c.Cancelled:
			cancel(context.Canceled)
		}
	})()
	return h.leave(ctx, taken, h.Player.Play(ctx, held))
}

// take makes this process the only writer of a run. While another living process has the run, it
// waits: Temporal may have lost contact to that driver, which is no reason to start again.
func (h *Holder) take(ctx context.Context, runID string) (taken store.Taken, letGo func(), err error) {
	for {
		if err := h.checkLeaving(); err != nil {
			return taken, nil, err
		}
		if taken, letGo, err = h.takeNow(ctx, runID); !errors.Is(err, store.ErrRunDriven) {
			return taken, letGo, err
		}
		if node.Sleep(ctx, takeRetry) != nil {
			return taken, nil, context.Cause(ctx)
		}
	}
}

// takeNow makes this process the only writer of a run until letGo is called. If another process
// has the run, the error is [store.ErrRunDriven].
func (h *Holder) takeNow(ctx context.Context, runID string) (taken store.Taken, letGo func(), err error) {
	if err := h.lease.fresh(ctx); err != nil {
		return taken, nil, err
	}
	return h.driven.take(ctx, runID)
}

// leave gives up a run that has not ended, so that the next driver need not wait for the lease to
// end.
func (h *Holder) leave(ctx context.Context, taken *store.Taken, played error) error {
	var until time.Time
	parked, waits := errors.AsType[*engine.Parked](played)
	switch {
	case played == nil, errors.Is(played, store.ErrRunTaken):
		return played
	case waits:
		until = parked.Until
		h.parked.Add(1)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), startWithin)
	defer cancel()
	switch err := taken.Leave(ctx, until); {
	case err == nil || !waits:
		return played // drivenRuns retries if the run could not be left
	default:
		return err
	}
}

// Unfinished implements [Backlog].
func (h *Holder) Unfinished(ctx context.Context, limit int) ([]string, error) {
	return h.Runs.Unfinished(ctx, limit)
}

// errTaskGone is the failure of a run whose workflow an operator has ended.
var errTaskGone = node.Errorf(node.CodeInterrupted, "the workflow of the run was ended at Temporal; resume the run to continue it")

// Abandon implements [Backlog].
func (h *Holder) Abandon(ctx context.Context, runID string) error {
	err := h.conclude(ctx, runID, errTaskGone)
	if errors.Is(err, store.ErrRunEnded) || errors.Is(err, store.ErrRunDriven) || errors.Is(err, store.ErrRunNotFound) {
		return nil // a driver, if there is one, ends the run
	}
	return err
}

// errDropped is the failure of a queued run that was cancelled.
var errDropped = node.Errorf("cancelled", "the run was cancelled before it began")

// conclude ends a run that has no driver.
func (h *Holder) conclude(ctx context.Context, runID string, failure *node.Error) error {
	taken, letGo, err := h.takeNow(ctx, runID)
	if err != nil {
		return err
	}
	defer letGo()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	return h.Player.End(ctx, h.heldAs(runID, &taken, h.journal(runID, &taken, cancel, func() {})), failure)
}

// journal returns the journal of a run that was taken. Writes are published to followers in this
// process at once.
func (h *Holder) journal(runID string, taken *store.Taken, cancel context.CancelCauseFunc, progressed func()) *journal {
	return &journal{taken.SharedJournal, cancel, progressed, func(last *run.Frame) {
		c := store.Change{RunID: runID, Frames: last.Seq, Status: engine.StatusRunning, Cancelled: taken.Cancelled, Epoch: taken.Epoch, Driver: h.Name}
		if last.Name.Terminal() {
			c.Status, c.Driver = last.Status, ""
		}
		h.watch.publish(c)
	}, &h.holderCounts}
}

// heldAs returns a taken run for its player.
func (h *Holder) heldAs(runID string, taken *store.Taken, j *journal) Held {
	held := Held{RunID: runID, Journal: j, Frames: taken.Frames, Last: taken.Last, Leave: h.leaving}
	if taken.Lost {
		held.CallsLost = func(calls int) { h.lost.Add(int64(calls)) }
	}
	return held
}
