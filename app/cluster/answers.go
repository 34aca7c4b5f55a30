package cluster

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"

	"github.com/svcflow/svc/app/drive"
	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/store"
)

// Answers calls nodes for runs that other processes drive. Make one with [NewAnswers], and close
// it. It is safe for concurrent use.
type Answers struct {
	env      drive.Env
	store    store.SharedRuns
	name     string // unique name of this process
	watch    *watch[store.CallState]
	results  batcher[store.CallAnswer] // saves outcomes
	draining atomic.Bool               // set by Drain
	life     context.Context           //nolint:containedctx // ends when running calls are abandoned
	leave    context.CancelCauseFunc

	mu   sync.Mutex
	runs map[string]*calledRun // by run id

	made queueCounter
}

// calledRun is a run with calls in this process. They share its files, its start and its plan.
type calledRun struct {
	calls int
	ctx   context.Context //nolint:containedctx // has the directory for files
	leave func()

	mu    sync.Mutex
	start *run.Start // nil until it is loaded
	plan  *engine.Plan
}

// progressEvery is how often the progress of a placed node is written to the database.
const progressEvery = 2 * time.Second

// NewAnswers returns an Answers. name must be unique among all processes, also earlier ones.
func NewAnswers(env drive.Env, runs store.SharedRuns, name string) *Answers {
	life, leave := context.WithCancelCause(context.Background())
	return &Answers{
		env: env, store: runs, name: name, runs: map[string]*calledRun{}, life: life, leave: leave,
		watch:   newWatch(runs.CallStates, func(s store.CallState) string { return s.ID }, env.Log),
		results: batcher[store.CallAnswer]{run: runs.AnswerCalls, bytes: func(c store.CallAnswer) int { return len(c.Outcome) }},
	}
}

// Drain refuses further calls, which other workers will take.
func (a *Answers) Drain() { a.draining.Store(true) }

// Close abandons running calls. Call it when there will be no more calls of Answer.
func (a *Answers) Close() {
	a.leave(engine.ErrHandedOff)
	a.watch.close()
}

// errLost is the failure of a node that must not be called twice and whose worker has died.
var errLost = &node.Error{
	Code: node.CodeOutcomeUnknown, Permanent: true,
	Message: "the worker that called it has died, so whether it succeeded is unknown; check that, then resume the run to call it again",
}

// Answer makes the attempt of a placed call and saves its outcome. After an error, some worker
// has to try again; if ctx ends, another worker takes over.
func (a *Answers) Answer(ctx context.Context, id string) error {
	if a.draining.Load() {
		return engine.ErrHandedOff
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(a.life, func() { cancel(engine.ErrHandedOff) })() //nolint:contextcheck // the context of the process outlives calls
	c, before, err := a.store.BeginAnswer(ctx, id, a.name)
	switch {
	case errors.Is(err, store.ErrNoCall):
		return nil
	case err != nil:
		return err
	case before.Answered || before.Cancelled:
		return nil
	case before.Worker != "" && c.Once:
		return a.saveOutcome(ctx, id, engine.Answered{Err: errLost})
	}
	a.made.add(c.Queue, 1)
	answered, err := a.attempt(ctx, &c)
	switch {
	case errors.Is(err, store.ErrUnavailable), context.Cause(ctx) != nil:
		return errors.Join(err, context.Cause(ctx))
	case errors.Is(err, errAbandoned):
		return nil
	case err != nil:
		answered = engine.Answered{Err: &node.Error{Code: node.CodeOf(err), Message: err.Error(), Permanent: true}}
	}
	return a.saveOutcome(ctx, id, answered)
}

// saveOutcome writes the outcome, and retries while the database is unavailable.
func (a *Answers) saveOutcome(ctx context.Context, id string, answered engine.Answered) error {
	text, err := outcomeOf(answered)
	if err != nil {
		return err
	}
	ctx = context.WithoutCancel(ctx)
	return retryUnavailable(ctx, func() error { return a.results.do(ctx, store.CallAnswer{ID: id, Outcome: text}) })
}

// errAbandoned is the cause with which a call ends when its driver does not wait for it any more.
var errAbandoned = errors.New("the call was cancelled by its driver")

// attempt calls the node until the driver cancels the call. The text of a panic is not passed on.
func (a *Answers) attempt(ctx context.Context, c *store.PlacedCall) (answered engine.Answered, err error) {
	defer func() {
		if p := recover(); p != nil {
			a.env.Log.ErrorContext(ctx, "answering a call panicked", "run", c.RunID, "stack", string(debug.Stack()))
			err = node.Errorf(node.CodePanic, "the worker panicked: %v", p)
		}
	}()
	on, working, leave := a.enterRun(ctx, c.RunID)
	defer leave()
	start, plan, err := on.load(ctx, a, c.RunID)
	if err != nil {
		return answered, err
	}
	read, err := value.Decode(c.Inputs)
	inputs, ok := read.(map[string]any)
	answerer, can := a.env.Runner.(engine.Answerer)
	if err != nil || !ok || !can {
		return answered, node.Errorf(node.CodeInvalidInput, "the call cannot be answered here")
	}
	working, cancel := context.WithCancelCause(working)
	defer cancel(nil)
	defer a.watch.subscribe(c.ID, func(s store.CallState) {
		if s.Cancelled || s.Answered {
			cancel(errAbandoned)
		}
	})()
	progress, stop := a.reportProgress(working, c.ID)
	defer stop()
	working = node.WithResponder(working, func(reply node.Reply) error { return sendReply(working, a.store, c.RunID, reply) })
	answered, err = answerer.Answer(working, plan, engine.Asked{
		RunID: c.RunID, Path: c.Path, Inputs: inputs, Progress: progress, Secrets: a.env.SecretsOf(working, plan), State: drive.NewState(&a.env, start, nil),
	})
	if cause := context.Cause(working); cause != nil {
		return answered, fmt.Errorf("the call has ended: %w", cause)
	}
	return answered, err
}

// load returns the start of the run and its plan; concurrent calls share them.
func (w *calledRun) load(ctx context.Context, a *Answers, runID string) (*run.Start, *engine.Plan, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.plan != nil {
		return w.start, w.plan, nil
	}
	start, err := a.store.Start(ctx, runID)
	if err != nil {
		return nil, nil, err
	}
	plan, err := a.env.Compile(ctx, &start)
	if err != nil {
		return nil, nil, err
	}
	w.start, w.plan = &start, plan
	return w.start, w.plan, nil
}

// enterRun returns ctx with the directory for the files of the run. Calls of a run share it.
func (a *Answers) enterRun(ctx context.Context, runID string) (on *calledRun, working context.Context, leave func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	w := a.runs[runID]
	if w == nil {
		w = &calledRun{}
		w.ctx, w.leave = a.env.WithFiles(context.WithoutCancel(ctx), runID)
		a.runs[runID] = w
	}
	w.calls++
	return w, mergedValues{ctx, w.ctx}, func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		if w.calls--; w.calls == 0 {
			delete(a.runs, runID)
			w.leave()
		}
	}
}

// mergedValues is a context that also has the values of another.
type mergedValues struct {
	context.Context
	values context.Context //nolint:containedctx // used for its values
}

// Value implements [context.Context].
func (c mergedValues) Value(key any) any {
	if v := c.Context.Value(key); v != nil {
		return v
	}
	return c.values.Value(key)
}

// reportProgress returns a function that takes the progress of a node. The latest progress is
// written every progressEvery until stop.
func (a *Answers) reportProgress(ctx context.Context, id string) (progress func(step, total int, message string), stop func()) {
	var mu sync.Mutex
	var last, written string
	ctx, cancel := context.WithCancel(ctx)
	var reporting sync.WaitGroup
	reporting.Go(func() {
		tick := time.NewTicker(progressEvery)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			mu.Lock()
			text := last
			mu.Unlock()
			if text == written {
				continue
			}
			if err := a.store.TellProgress(ctx, id, text); err == nil {
				written = text
			}
		}
	})
	progress = func(step, total int, message string) {
		mu.Lock()
		defer mu.Unlock()
		last = progressText{step, total, message}.encode()
	}
	return progress, func() { cancel(); reporting.Wait() }
}

// Queue configures a queue of placed calls that a process answers.
type Queue struct {
	Name string
	// PerSecond bounds the calls that all workers of the queue together begin per second;
	// Temporal enforces it. 0 means no bound.
	PerSecond float64
	// AtOnce bounds the concurrent calls of this process; 0 means [DefaultRuns].
	AtOnce int
}

// answerWorkers has a Temporal worker for each queue.
type answerWorkers struct {
	answers *Answers
	workers []worker.Worker
	grace   time.Duration
	once    sync.Once
}

// startAnswers starts workers for queues. When a worker is stopped, its calls have until the end
// of grace.
func startAnswers(temporal client.Client, answers *Answers, queues []Queue, grace time.Duration) (*answerWorkers, error) {
	all := &answerWorkers{answers: answers, grace: grace}
	for _, q := range queues {
		answers.made.add(q.Name, 0)
		if q.AtOnce == 0 {
			q.AtOnce = DefaultRuns
		}
		w := worker.New(temporal, callQueue(q.Name), worker.Options{
			DisableWorkflowWorker: true, MaxConcurrentActivityExecutionSize: q.AtOnce, TaskQueueActivitiesPerSecond: q.PerSecond,
			WorkerStopTimeout: grace + stopMargin,
		})
		registerAnswer(w, answers)
		if err := w.Start(); err != nil {
			all.close(context.Background())
			return nil, fmt.Errorf("answer the queue %s for Temporal: %w", q.Name, err)
		}
		all.workers = append(all.workers, w)
	}
	return all, nil
}

func registerAnswer(r interface {
	RegisterActivityWithOptions(a any, options activity.RegisterOptions)
}, a *Answers,
) {
	r.RegisterActivityWithOptions(a.answer, activity.RegisterOptions{Name: answerName})
}

// answer is the activity of a placed call. Temporal ends its context also when Temporal is
// unreachable, so that is ignored; only the mark in the database ends a call.
func (a *Answers) answer(ctx context.Context, id string) error {
	defer heartbeat(ctx)()
	err := a.Answer(context.WithoutCancel(ctx), id)
	if err == nil {
		return nil
	}
	if errors.Is(err, engine.ErrHandedOff) {
		return errHandedOff()
	}
	a.env.Log.WarnContext(ctx, "a placed call cannot be answered; retrying", "call", id, "error", err)
	return temporal.NewApplicationError(notDriven, notDriven)
}

// close stops the workers and waits for running calls until ctx or the grace period ends. Other
// workers take over the rest.
func (a *answerWorkers) close(ctx context.Context) {
	if a == nil {
		return
	}
	a.once.Do(func() {
		ctx, cancel := context.WithTimeout(ctx, a.grace)
		defer cancel()
		defer context.AfterFunc(ctx, func() { a.answers.leave(engine.ErrHandedOff) })()
		a.answers.Drain()
		var stopping sync.WaitGroup
		for _, w := range a.workers {
			stopping.Go(w.Stop)
		}
		stopping.Wait()
		a.answers.Close()
	})
}
