package cluster

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"sync"
	"time"

	"github.com/google/uuid"
	"go.temporal.io/sdk/client"

	"github.com/svcflow/svc/app/drive"
	"github.com/svcflow/svc/app/runs"
	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/store"
)

// DefaultMaxRuns is how many runs of a cluster may go on at once unless it is told otherwise.
const DefaultMaxRuns = 1000

// RunsConfig is what [Runs] are made of.
type RunsConfig struct {
	// Shared keeps the runs. Runs does not close it.
	Shared store.SharedRuns
	// Temporal has them driven.
	Temporal client.Client
	// Place says which nodes of the runs that are driven here others call; all processes of a
	// cluster should have the same.
	Place Placement
	// Answer has the queues of placed nodes that this process calls for others.
	Answer []Queue
	// Grace is how long nodes may go on that are being called here when this process ends, those
	// that it calls for others, too; 0 means [DefaultGrace].
	Grace time.Duration
	// Name tells this process from all others, also from those before it.
	Name string
	// MaxRuns is how many runs of the cluster may go on at once; 0 means [DefaultMaxRuns].
	MaxRuns int
	// Drives is how many runs this process drives at once, besides starting and telling them.
	Drives int
	// Keep is what is kept of runs, which this process sees to; nil leaves that to others.
	Keep *store.Retention
	// Fatal, if set, is told why this process drives no runs any more although it should.
	Fatal func(error)
}

// Runs is [runs.Backend] of any number of processes, each of which starts, tells, cancels and
// resumes all runs. Make one with [NewRuns], as app.Config.Shared.
type Runs struct {
	shared store.SharedRuns
	limits store.SharedLimits
	holder *Holder
	calls  *calls
	answer *answerers // nil if no queue is answered here
	tasks  tasks
	ends   ends
	asked  answersAsked
	tails  tails
	worker *Worker // nil if runs are not driven here
	log    *slog.Logger
	keeps  sync.WaitGroup
	tended sync.WaitGroup // of what looks after all of it
	pulse  pulse
	ending chan struct{} // closed by Close
	once   sync.Once
}

var _ runs.Backend = (*Runs)(nil)

// tasks has runs driven.
type tasks interface {
	Offer(b Begun)
	Wake(ctx context.Context, runID string) error
	Close()
}

// NewRuns returns the runs of a cluster, and drives some of them if it is asked to, with what
// an App has for that.
func NewRuns(env drive.Env, c RunsConfig) (*Runs, error) {
	if err := c.Place.Check(env.Types); err != nil {
		return nil, err
	}
	r := newRuns(env, &c)
	if err := r.answerQueues(env, &c); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	r.tasks = NewStarts(c.Temporal, r.holder, env.Log)
	r.tended.Go(func() { r.feel(c.Temporal) })
	if c.Keep != nil {
		r.tended.Go(func() { r.tidy(*c.Keep) })
	}
	if c.Drives == 0 {
		return r, nil
	}
	var err error
	if r.worker, err = StartWorker(c.Temporal, WorkerConfig{Driver: r.holder, Runs: c.Drives, Grace: c.Grace, Log: env.Log}); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	if c.Fatal != nil {
		r.tended.Go(func() { r.heed(c.Fatal) })
	}
	return r, nil
}

func newRuns(env drive.Env, c *RunsConfig) *Runs {
	if c.MaxRuns == 0 {
		c.MaxRuns = DefaultMaxRuns
	}
	led := newCalls(c.Place, c.Shared, callTasks{c.Temporal}, env.Log)
	return &Runs{
		asked: answersAsked{shared: c.Shared, log: env.Log, heard: newWatch(c.Shared.Answers, func(a store.SealedAnswer) string { return a.RunID }, env.Log)},
		calls: led, shared: c.Shared, limits: store.SharedLimits{Unfinished: c.MaxRuns}, log: env.Log, ending: make(chan struct{}),
		holder: NewHolder(HolderConfig{Runs: c.Shared, Player: &player{&env, c.Shared, led}, Name: c.Name, Log: env.Log}),
	}
}

// answerQueues begins to call placed nodes for others, if it is asked to.
func (r *Runs) answerQueues(env drive.Env, c *RunsConfig) (err error) {
	if len(c.Answer) > 0 {
		if _, can := env.Runner.(engine.Answerer); !can {
			return errors.New("placed nodes cannot be called here: the runner does not answer calls")
		}
		r.answer, err = startAnswers(c.Temporal, NewAnswers(env, c.Shared, c.Name), c.Answer, cmp.Or(c.Grace, DefaultGrace))
	}
	return err
}

// Start implements [runs.Backend].
func (r *Runs) Start(ctx context.Context, w drive.Work) (string, error) {
	id, err := uuid.NewV7()
	if err != nil {
		return "", err
	}
	start := w.Start
	start.RunID, start.StartedAt = id.String(), time.Now().UTC().Truncate(time.Microsecond)
	err = r.begin(context.WithoutCancel(ctx), start, r.limits) // not cut short: a run that has begun goes on
	if held, ok := errors.AsType[*store.KeyHeldError](err); ok {
		if held.Start.RequestDigest != start.RequestDigest {
			return "", runs.ErrKeyReused
		}
		return held.Start.RunID, nil
	}
	if err != nil {
		return "", err
	}
	r.tasks.Offer(Begun{RunID: start.RunID, WorkflowID: start.Definition.ID, Pure: w.Plan != nil && w.Plan.Computes()})
	return start.RunID, nil
}

// begin records the start of a run. While nobody knows whether it is there, it is asked again,
// once.
func (r *Runs) begin(ctx context.Context, start run.Start, limits store.SharedLimits) error {
	err := r.shared.Begin(ctx, start, limits)
	if errors.Is(err, store.ErrUnavailable) {
		if err = r.shared.Begin(ctx, start, limits); errors.Is(err, fs.ErrExist) {
			err = nil // nobody else has this id
		}
	}
	switch {
	case errors.Is(err, store.ErrNoPlace):
		return runs.ErrRunLimit
	case errors.Is(err, store.ErrRunResumed):
		return runs.ErrRunNotResumable
	}
	return err
}

// Resume implements [runs.Backend].
func (r *Runs) Resume(ctx context.Context, w drive.Work) (string, error) {
	before, err := r.Record(ctx, w.Start.ResumedFrom)
	if err != nil {
		return "", err
	}
	if before.Status.GoesOn() {
		return "", runs.ErrRunNotResumable
	}
	return r.Start(ctx, w)
}

// Cancel implements [runs.Backend].
func (r *Runs) Cancel(ctx context.Context, runID string) error {
	err := r.shared.RequestCancel(ctx, runID)
	if errors.Is(err, store.ErrRunEnded) {
		return runs.ErrRunEnded
	}
	if err != nil {
		return err
	}
	if dropped, err := r.drop(ctx, runID); dropped || err != nil {
		return err
	}
	if err := r.tasks.Wake(ctx, runID); err != nil {
		r.log.WarnContext(ctx, "a run that is to be cancelled could not be woken; it ends when it is driven next", "run", runID, "error", err)
	}
	return nil
}

// Delete implements [runs.Backend].
func (r *Runs) Delete(ctx context.Context, runID string) error { return r.shared.Delete(ctx, runID) }

// Record implements [runs.Backend].
func (r *Runs) Record(ctx context.Context, runID string) (run.Record, error) {
	return r.shared.Record(ctx, runID)
}

// Records implements [runs.Backend].
func (r *Runs) Records(ctx context.Context, q run.Query) (run.Page, error) {
	return r.shared.Records(ctx, q)
}

// Started implements [runs.Backend].
func (r *Runs) Started(ctx context.Context, runID string) (run.Start, error) {
	return r.shared.Start(ctx, runID)
}

// ByKey implements [runs.Backend].
func (r *Runs) ByKey(ctx context.Context, key string) (run.Start, error) {
	return r.shared.ByKey(ctx, key)
}

// Source implements [runs.Backend].
func (r *Runs) Source(ctx context.Context, runID string) run.Source {
	return drive.NewSource(ctx, r.shared, runID)
}

// Keep implements [runs.Backend].
func (r *Runs) Keep(ended run.Kept) {
	r.keeps.Go(func() {
		for _, err := range r.shared.Keep(context.Background(), []run.Kept{ended}) {
			if err != nil {
				r.log.Warn("a run that somebody waited for is not recorded", "run", ended.Start.RunID, "error", err)
			}
		}
	})
}

// Stats implements [runs.Backend].
func (r *Runs) Stats() runs.Stats { return runs.Stats{Async: r.holder.holding()} }

// Ready implements [runs.Backend].
func (r *Runs) Ready(ctx context.Context) error { return r.shared.Check(ctx) }

// Drain implements [runs.Backend]: what is driven here goes on elsewhere.
func (r *Runs) Drain(ctx context.Context) {
	var leaving sync.WaitGroup
	if r.worker != nil {
		leaving.Go(func() { r.worker.Close(ctx) })
	}
	leaving.Go(func() { r.answer.close(ctx) })
	leaving.Wait()
}

// Close implements [runs.Backend].
func (r *Runs) Close() (err error) {
	r.once.Do(func() {
		close(r.ending)
		now, cancel := context.WithCancel(context.Background())
		cancel()
		r.Drain(now)
		if r.tasks != nil {
			r.tasks.Close()
		}
		r.calls.close()
		r.asked.close()
		r.keeps.Wait()
		r.tended.Wait()
		ctx, end := context.WithTimeout(context.Background(), startWithin)
		defer end()
		err = r.holder.Close(ctx)
	})
	return err
}
