// Package localruns drives asynchronous runs in one process. It numbers the frames of runs, hands
// out run slots, and guards idempotency keys and resumes in memory. When it starts, it ends the
// runs that an earlier process has left unfinished.
package localruns

import (
	"context"
	"errors"
	"math"
	"sync"
	"time"

	"github.com/svcflow/svc/app/drive"
	"github.com/svcflow/svc/app/internal/slots"
	"github.com/svcflow/svc/app/runs"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/store"
)

// Runs is a [runs.Backend] of one process, over a [store.RunStore] that no other process uses.
// Make one with [New].
type Runs struct {
	env      drive.Env
	resumes  bool // interrupted runs of triggers are resumed
	journals store.RunStore

	admission  slots.Admission
	asyncSlots slots.Pool
	queueing   slots.Pool // runs that are being enqueued
	recent     *recentRuns
	keys       slots.KeyedMutex // starting under an idempotency key; resuming
	recorder   recorder
	ended      *endedRuns
	callers    callers

	life       context.Context // ends when Drain interrupts the runs
	interrupt  context.CancelCauseFunc
	recovered  chan struct{} // closed when earlier runs have been brought to their end
	recoverErr error
	waited     []*activeRun // runs of triggers that waited when the process began
	crashed    crashed
}

// New returns Runs over a store, which Runs.Close closes. It begins to end the unfinished runs in
// the store as interrupted. With triggers, the unfinished runs of triggers stay as they are until
// Remembered is called, because they are to be resumed. An error means that the unfinished runs
// cannot be listed.
func New(env drive.Env, journals store.RunStore, triggers bool) (*Runs, error) {
	l := &Runs{
		env: env, resumes: triggers, journals: journals, recent: newRecentRuns(), ended: newEndedRuns(), recovered: make(chan struct{}),
	}
	l.recorder.done, l.recorder.wake = sync.NewCond(&l.recorder.mu), make(chan struct{}, 1)
	l.admission.LowMemory = env.LowMemory
	l.queueing = slots.NewPool(math.MaxInt, nil) // only Drain limits it
	l.asyncSlots = slots.NewPool(runs.MaxAsync, runs.ErrRunLimit)
	l.life, l.interrupt = context.WithCancelCause(context.Background())
	return l, l.recoverAll()
}

// Start implements [runs.Backend].
func (l *Runs) Start(ctx context.Context, w drive.Work) (string, error) {
	if key := w.Start.IdempotencyKey; key != "" {
		defer l.keys.Lock(key)()
		if runID, err := runs.FindByKey(ctx, l.journals, key, w.Start.RequestDigest); err != nil || runID != "" {
			return runID, err
		}
	}
	return l.launch(ctx, w, nil)
}

// launch starts a run, which resumes earlier ones unless earlier is nil. After an error, nothing was
// started.
func (l *Runs) launch(ctx context.Context, w drive.Work, earlier *drive.EarlierRuns) (string, error) {
	free, err := l.enter(ctx, &w)
	if err != nil {
		return "", err
	}
	r, err := l.newRun(ctx, w.Start)
	if err != nil {
		free()
		l.admission.Done()
		return "", err
	}
	r.release = sync.OnceFunc(free)
	ctx, r.cancel = l.bound(context.WithoutCancel(ctx))
	l.recent.add(r)
	r.Earlier = earlier
	go r.drive(ctx, w.Plan)
	return r.Start.RunID, nil
}

// enter acquires a slot for a run, and returns the function that releases it.
func (l *Runs) enter(ctx context.Context, w *drive.Work) (free func(), err error) {
	in := &l.asyncSlots
	if w.TakeSlot != nil {
		in = &l.queueing
	}
	if err := l.admission.Acquire(ctx, in); err != nil {
		return nil, err
	}
	if w.TakeSlot == nil {
		return func() { l.admission.Release(in) }, nil
	}
	leave, err := w.TakeSlot(ctx)
	if err != nil {
		l.admission.Finish(in)
		return nil, err
	}
	return func() { leave(); l.admission.Release(in) }, nil
}

func (l *Runs) newRun(ctx context.Context, start run.Start) (*activeRun, error) {
	id, err := runs.NewID()
	if err != nil {
		return nil, err
	}
	if err := l.writeOwedEnds(); err != nil {
		return nil, err
	}
	start.RunID, start.StartedAt = id, now()
	r := l.newActiveRun(start)
	// Not cancelled with ctx: once a journal is begun, the run is started.
	r.journal, err = l.journals.Create(context.WithoutCancel(ctx), start)
	return r, err
}

// now returns the time with the precision of journals.
func now() time.Time { return time.Now().UTC().Truncate(time.Microsecond) }

// Resume implements [runs.Backend].
func (l *Runs) Resume(ctx context.Context, w drive.Work) (string, error) {
	id := w.Start.ResumedFrom
	defer l.keys.Lock("resume " + id)()
	record, err := l.Record(ctx, id)
	if err != nil {
		return "", err
	}
	if record.Status.GoesOn() || l.recent.resuming(id) != nil {
		return "", runs.ErrRunNotResumable
	}
	p, err := drive.LoadEarlierRuns(ctx, &l.env, l.journals, &w.Start)
	if err != nil {
		return "", err
	}
	return l.launch(ctx, w, p)
}

// Cancel implements [runs.Backend].
func (l *Runs) Cancel(ctx context.Context, runID string) error {
	if r := l.recent.run(runID); r != nil && (r.drop(ctx) || r.stop()) {
		return nil
	}
	if _, err := l.Record(ctx, runID); err != nil {
		return err
	}
	return runs.ErrRunEnded
}

// Record implements [runs.Backend].
func (l *Runs) Record(ctx context.Context, runID string) (run.Record, error) {
	l.recorder.settle()
	record, err := l.journals.Record(ctx, runID)
	l.complete(&record)
	return record, err
}

// Records implements [runs.Backend].
func (l *Runs) Records(ctx context.Context, q run.Query) (run.Page, error) {
	l.recorder.settle()
	page, err := l.journals.Records(ctx, q)
	for i := range page.Items {
		l.complete(&page.Items[i])
	}
	return page, err
}

// complete adds the end to the record of a run whose terminal frame is not written.
func (l *Runs) complete(record *run.Record) {
	r := l.recent.run(record.RunID)
	if r == nil {
		return
	}
	if owed, end := r.UnwrittenEnd(), r.Result(); owed != nil && end != nil {
		record.Status, record.FinishedAt, record.Frames = end.Status, end.FinishedAt, owed.Seq
	}
}

// Source implements [runs.Backend].
func (l *Runs) Source(ctx context.Context, runID string) run.Source {
	return localSource{drive.NewSource(ctx, l.journals, runID), l, runID}
}

// localSource also has terminal frames that are not written.
type localSource struct {
	run.Source

	runs  *Runs
	runID string
}

// Frame implements [run.Source].
func (s localSource) Frame(seq int) (run.Frame, error) {
	if r := s.runs.recent.run(s.runID); r != nil {
		if owed := r.UnwrittenEnd(); owed != nil && owed.Seq == seq {
			return *owed, nil
		}
	}
	return s.Source.Frame(seq)
}

// Started implements [runs.Backend].
func (l *Runs) Started(ctx context.Context, runID string) (run.Start, error) {
	l.recorder.settle()
	return l.journals.Start(ctx, runID)
}

// ByKey implements [runs.Backend]. It waits for a run that is being started under the key: from then
// on it can be followed.
func (l *Runs) ByKey(ctx context.Context, key string) (run.Start, error) {
	defer l.keys.Lock(key)()
	return l.journals.ByKey(ctx, key)
}

// Delete implements [runs.Backend].
func (l *Runs) Delete(ctx context.Context, runID string) error {
	defer l.keys.Lock("resume " + runID)()
	l.recorder.settle()
	if r := l.recent.run(runID); r != nil && !r.Over() {
		return store.ErrRunRunning
	}
	if err := l.journals.Delete(ctx, runID); err != nil {
		return err
	}
	l.recent.forget(runID)
	return nil
}

// Stats implements [runs.Backend].
func (l *Runs) Stats() runs.Stats {
	l.recorder.mu.Lock()
	defer l.recorder.mu.Unlock()
	return runs.Stats{Async: l.admission.Taken(&l.asyncSlots), Unrecorded: len(l.recent.withUnwrittenEnd()), Dropped: l.recorder.dropped}
}

// Ready implements [runs.Backend]: the runs that an earlier process left unfinished have ended as
// failed, with the code interrupted. Those that could not be brought to their end stay as
// they are.
func (l *Runs) Ready(ctx context.Context) error {
	select {
	case <-l.recovered:
		return l.recoverErr
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Drain implements [runs.Backend]: runs that are unfinished when ctx ends fail with the code
// interrupted, and can be resumed.
func (l *Runs) Drain(ctx context.Context) {
	l.admission.Close()
	l.recent.endWaitingFeeds()
	if l.admission.Wait(ctx) != nil {
		l.interrupt(runs.ErrInterrupted)
		l.admission.WaitAll()
	}
	l.interrupt(nil)
}

// Close implements [runs.Backend].
func (l *Runs) Close() error {
	l.recorder.settle()
	l.recorder.ended.Wait()
	return errors.Join(l.writeOwedEnds(), l.journals.Close())
}

// bound returns a context that ends with ctx, or when the runs are interrupted.
func (l *Runs) bound(ctx context.Context) (context.Context, context.CancelCauseFunc) {
	return runs.JoinContexts(ctx, l.life)
}

var _ runs.Backend = (*Runs)(nil)
