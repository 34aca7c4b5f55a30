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

// Player plays a run that is held: it knows what a run is made of, and nothing of who else
// could have it.
type Player interface {
	// Play goes on with a run behind what is recorded of it, and records what happens, up to
	// its end. Once Held.Leave is closed it begins nothing more, and returns [engine.ErrHandedOff]
	// when what is being called has ended. When ctx ends with the cause [engine.ErrHandedOff] it leaves the run and returns
	// that; with another cause, the run is cancelled. A run that only waits is an
	// [engine.Parked].
	Play(ctx context.Context, h Held) error
	// End brings a run to its end without calling anything.
	End(ctx context.Context, h Held, failure *node.Error) error
}

// Held is a run whose only writer this process is.
type Held struct {
	RunID string
	// Journal takes its frames, the first of which has the number after Frames and is no
	// earlier than Last.
	Journal store.SharedJournal
	Frames  int
	Last    time.Time
	// Lost, if set, is told how many calls of nodes were under way when the last driver died.
	Lost func(calls int)
	// Leave is closed when the run is to be left for somebody else.
	Leave <-chan struct{}
}

// HolderConfig is what a [Holder] is made of.
type HolderConfig struct {
	Runs   store.SharedRuns
	Player Player
	// Name tells this process from all others, also from those before it.
	Name string
	Log  *slog.Logger
}

// Holder is a [Driver] that holds runs, one writer each, while they are played. Make one with
// [NewHolder], and close it once nothing is driven any more.
type Holder struct {
	HolderConfig

	lease *lease
	own   *own
	watch *watch[store.Change]
	held  atomic.Int64
	cell  sync.Mutex // of the one suspect that is played here
	counts

	leaving chan struct{} // closed by Leave
	once    sync.Once
}

// Bounds of holding runs.
const (
	// takenMost is how often a run is taken that comes to nothing: then it is not the workers
	// that are bad, but the run.
	takenMost = 5
	// suspectFrom is with which such take a run is a suspect: it has ended its workers, or
	// stood beside the one that has. A process plays one suspect at a time, so that who only
	// stood beside is not taken down, and found guilty, with the one that did it.
	suspectFrom = 3
	// suspectAgain is how long a suspect waits that finds another one here, until somebody
	// else, or this process, is asked again.
	suspectAgain = 5 * time.Second
	// drivenAgain is how often one asks whether a run still has a driver that lives.
	drivenAgain = 250 * time.Millisecond
)

// errTooOften is the end of a run that ends its drivers.
var errTooOften = node.Errorf(node.CodeInterrupted, "the run took its worker down, each time that it was driven; see the logs of the workers, then resume it")

// NewHolder returns a holder, whose process counts as alive from now on.
func NewHolder(c HolderConfig) *Holder {
	return &Holder{
		HolderConfig: c, lease: newLease(c.Runs, c.Name, c.Log), own: newOwn(c.Runs, c.Name), leaving: make(chan struct{}),
		watch: newWatch(c.Runs.Changes, func(c store.Change) string { return c.RunID }, c.Log),
	}
}

// Leave implements [Driver].
func (h *Holder) Leave() { h.once.Do(func() { close(h.leaving) }) }

// left says that no run is to be driven here any more.
func (h *Holder) left() error {
	select {
	case <-h.leaving:
		return engine.ErrHandedOff
	default:
		return nil
	}
}

// holding returns how many runs are held here.
func (h *Holder) holding() int { return int(h.held.Load()) }

// Close lets others have the runs that are left here at once.
func (h *Holder) Close(ctx context.Context) error {
	h.watch.close()
	h.own.close()
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
		return nil // repeating helps nobody
	case err != nil:
		return err
	}
	defer letGo()
	h.held.Add(1)
	defer h.held.Add(-1)
	if taken.Epoch > 1 {
		h.again.Add(1)
	} else {
		h.first.Add(1)
	}
	free := func() {}
	if taken.Takes >= suspectFrom && taken.Takes <= takenMost && !taken.Cancelled {
		if !h.cell.TryLock() {
			return h.leave(ctx, &taken, &engine.Parked{Until: time.Now().Add(suspectAgain)})
		}
		free = sync.OnceFunc(h.cell.Unlock)
	}
	defer free()
	return h.drive(ctx, runID, &taken, free)
}

// drive drives a run that was taken, and calls gotOn each time that it gets on.
func (h *Holder) drive(ctx context.Context, runID string, taken *store.Taken, gotOn func()) error {
	ctx, lose := context.WithCancelCause(ctx)
	defer lose(nil)
	held := h.heldAs(runID, taken, h.journal(runID, taken, lose, gotOn))
	if taken.Takes > takenMost {
		return h.Player.End(ctx, held, errTooOften)
	}
	if taken.Cancelled {
		lose(context.Canceled)
	}
	defer h.watch.look(runID, func(c store.Change) {
		switch {
		case c.Epoch > taken.Epoch:
			lose(leftFor(store.ErrRunTaken))
		case c.Cancelled:
			lose(context.Canceled)
		}
	})()
	return h.leave(ctx, taken, h.Player.Play(ctx, held))
}

// take makes this process the only writer of a run. While another one lives that has it, it
// waits: Temporal may have lost sight of who drives it, which is no reason to begin anew.
func (h *Holder) take(ctx context.Context, runID string) (taken store.Taken, letGo func(), err error) {
	for {
		if err := h.left(); err != nil {
			return taken, nil, err
		}
		if taken, letGo, err = h.takeNow(ctx, runID); !errors.Is(err, store.ErrRunDriven) {
			return taken, letGo, err
		}
		if node.Sleep(ctx, drivenAgain) != nil {
			return taken, nil, context.Cause(ctx)
		}
	}
}

// takeNow makes this process the only writer of a run, until letGo, unless another one is.
func (h *Holder) takeNow(ctx context.Context, runID string) (taken store.Taken, letGo func(), err error) {
	if err := h.lease.fresh(ctx); err != nil {
		return taken, nil, err
	}
	return h.own.take(ctx, runID)
}

// leave gives up a run that has not ended, so that who takes it next need not wait.
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
		return played // what could not be left is given up when that is possible: see own
	default:
		return err
	}
}

// Unfinished implements [Backlog].
func (h *Holder) Unfinished(ctx context.Context, limit int) ([]string, error) {
	return h.Runs.Unfinished(ctx, limit)
}

// errTaskGone is the end of a run of which an operator has ended the task.
var errTaskGone = node.Errorf(node.CodeInterrupted, "the task of the run was ended at Temporal; resume the run to go on with it")

// Abandon implements [Backlog].
func (h *Holder) Abandon(ctx context.Context, runID string) error {
	err := h.conclude(ctx, runID, errTaskGone)
	if errors.Is(err, store.ErrRunEnded) || errors.Is(err, store.ErrRunDriven) || errors.Is(err, store.ErrRunNotFound) {
		return nil // its driver, if it has one, brings it to its end
	}
	return err
}

// errDropped is the end of a run that is not to begin.
var errDropped = node.Errorf("cancelled", "the run was cancelled before it began")

// conclude ends a run that nobody drives.
func (h *Holder) conclude(ctx context.Context, runID string, failure *node.Error) error {
	taken, letGo, err := h.takeNow(ctx, runID)
	if err != nil {
		return err
	}
	defer letGo()
	ctx, lose := context.WithCancelCause(ctx)
	defer lose(nil)
	return h.Player.End(ctx, h.heldAs(runID, &taken, h.journal(runID, &taken, lose, func() {})), failure)
}

// journal returns that of a run that was taken. Who follows the run in this process hears at once
// of what is written, without a look at the store.
func (h *Holder) journal(runID string, taken *store.Taken, lose context.CancelCauseFunc, gotOn func()) *journal {
	return &journal{taken.SharedJournal, lose, gotOn, func(last *run.Frame) {
		c := store.Change{RunID: runID, Frames: last.Seq, Status: engine.StatusRunning, Cancelled: taken.Cancelled, Epoch: taken.Epoch, Driver: h.Name}
		if last.Name.Terminal() {
			c.Status, c.Driver = last.Status, ""
		}
		h.watch.tell(c)
	}, &h.counts}
}

// heldAs returns a run as it was taken.
func (h *Holder) heldAs(runID string, taken *store.Taken, j *journal) Held {
	held := Held{RunID: runID, Journal: j, Frames: taken.Frames, Last: taken.Last, Leave: h.leaving}
	if taken.Lost {
		held.Lost = func(calls int) { h.lost.Add(int64(calls)) }
	}
	return held
}
