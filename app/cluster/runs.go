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

// DefaultMaxRuns is the default number of run slots of a cluster.
const DefaultMaxRuns = 1000

// RunsConfig configures [Runs].
type RunsConfig struct {
	// Shared stores the runs. Runs does not close it.
	Shared store.SharedRuns
	// Temporal assigns runs to workers.
	Temporal client.Client
	// Place says which nodes of runs driven here are placed on queues. It should be the same in
	// all processes.
	Place Placement
	// Answer has the queues whose calls this process answers.
	Answer []Queue
	// Grace is the time that running node calls have when this process stops, also those of
	// Answer; 0 means [DefaultGrace].
	Grace time.Duration
	// Name is unique among all processes, also earlier ones.
	Name string
	// MaxRuns is the number of run slots of the cluster; 0 means [DefaultMaxRuns].
	MaxRuns int
	// Drives is how many runs this process drives at once; 0 means that it drives none.
	Drives int
	// Keep is the retention that this process enforces; nil leaves that to others.
	Keep *store.Retention
	// Fatal, if set, is called with the error after which this process drives no runs any more.
	Fatal func(error)
}

// Runs is a [runs.Backend] for several processes. Each of them can start, show, cancel and resume
// all runs. Make one with [NewRuns], and pass it as app.Config.Shared. It is safe for concurrent
// use.
type Runs struct {
	shared     store.SharedRuns
	limits     store.SharedLimits
	holder     *Holder
	calls      *calls
	answer     *answerWorkers // nil if this process answers no queue
	tasks      tasks
	ends       recentEnds
	replies    replyWaiters
	tails      tails
	worker     *Worker // nil if this process drives no runs
	log        *slog.Logger
	keeping    sync.WaitGroup
	background sync.WaitGroup // goroutines until Close
	health     health
	closing    chan struct{} // closed by Close
	once       sync.Once
}

var _ runs.Backend = (*Runs)(nil)

// tasks starts the Temporal workflows of runs.
type tasks interface {
	Offer(b Begun)
	Wake(ctx context.Context, runID string) error
	Close()
}

// NewRuns returns the runs of a cluster and starts to drive and answer what c says. Callers must
// close it.
func NewRuns(env drive.Env, c RunsConfig) (*Runs, error) {
	if err := c.Place.Check(env.Types); err != nil {
		return nil, err
	}
	r := newRuns(env, &c)
	if err := r.answerQueues(env, &c); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	r.tasks = NewStarts(c.Temporal, r.holder, env.Log)
	r.background.Go(func() { r.checkHealth(c.Temporal) })
	if c.Keep != nil {
		r.background.Go(func() { r.deleteExpired(*c.Keep) })
	}
	if c.Drives == 0 {
		return r, nil
	}
	var err error
	if r.worker, err = StartWorker(c.Temporal, WorkerConfig{Driver: r.holder, Runs: c.Drives, Grace: c.Grace, Log: env.Log}); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	if c.Fatal != nil {
		r.background.Go(func() { r.reportFatal(c.Fatal) })
	}
	return r, nil
}

func newRuns(env drive.Env, c *RunsConfig) *Runs {
	if c.MaxRuns == 0 {
		c.MaxRuns = DefaultMaxRuns
	}
	led := newCalls(c.Place, c.Shared, callTasks{c.Temporal}, env.Log)
	return &Runs{
		replies: replyWaiters{shared: c.Shared, log: env.Log, watch: newWatch(c.Shared.Answers, func(a store.SealedAnswer) string { return a.RunID }, env.Log)},
		calls:   led, shared: c.Shared, limits: store.SharedLimits{Unfinished: c.MaxRuns}, log: env.Log, closing: make(chan struct{}),
		holder: NewHolder(HolderConfig{Runs: c.Shared, Player: &player{&env, c.Shared, led}, Name: c.Name, Log: env.Log}),
	}
}

// answerQueues starts to answer the configured queues.
func (r *Runs) answerQueues(env drive.Env, c *RunsConfig) (err error) {
	if len(c.Answer) > 0 {
		if _, can := env.Runner.(engine.Answerer); !can {
			return errors.New("cannot answer queues: the runner does not implement engine.Answerer")
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
	err = r.begin(context.WithoutCancel(ctx), start, r.limits) // without cancellation: the run may be recorded already
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

// begin records the start of a run. If it is unknown whether that succeeded, it tries once more.
func (r *Runs) begin(ctx context.Context, start run.Start, limits store.SharedLimits) error {
	err := r.shared.Begin(ctx, start, limits)
	if errors.Is(err, store.ErrUnavailable) {
		if err = r.shared.Begin(ctx, start, limits); errors.Is(err, fs.ErrExist) {
			err = nil // the first attempt succeeded: ids are unique
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
		r.log.WarnContext(ctx, "a cancelled run could not be woken; it ends when it is driven next", "run", runID, "error", err)
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
	r.keeping.Go(func() {
		for _, err := range r.shared.Keep(context.Background(), []run.Kept{ended}) {
			if err != nil {
				r.log.Warn("a synchronous run is not recorded", "run", ended.Start.RunID, "error", err)
			}
		}
	})
}

// Stats implements [runs.Backend].
func (r *Runs) Stats() runs.Stats { return runs.Stats{Async: r.holder.holding()} }

// Ready implements [runs.Backend].
func (r *Runs) Ready(ctx context.Context) error { return r.shared.Check(ctx) }

// Drain implements [runs.Backend]. Other processes continue the runs that are driven here.
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
		close(r.closing)
		now, cancel := context.WithCancel(context.Background())
		cancel()
		r.Drain(now)
		if r.tasks != nil {
			r.tasks.Close()
		}
		r.calls.close()
		r.replies.close()
		r.keeping.Wait()
		r.background.Wait()
		ctx, end := context.WithTimeout(context.Background(), startWithin)
		defer end()
		err = r.holder.Close(ctx)
	})
	return err
}

// deleteExpiredEvery is how often expired runs are deleted. If several processes do so, each
// finds less to do.
const deleteExpiredEvery = time.Minute

// deleteExpired deletes expired runs now and then every minute, until Close.
func (r *Runs) deleteExpired(keep store.Retention) {
	ctx, cancel := r.untilClose()
	defer cancel()
	tick := time.NewTicker(deleteExpiredEvery)
	defer tick.Stop()
	for {
		if err := r.shared.Tidy(ctx, keep); err != nil && ctx.Err() == nil {
			r.log.WarnContext(ctx, "expired runs cannot be deleted; retrying", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// reportFatal calls fatal if the worker fails before Close.
func (r *Runs) reportFatal(fatal func(error)) {
	select {
	case <-r.closing:
	case err := <-r.worker.Failed():
		fatal(err)
	}
}
