package cluster

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/svcflow/svc/app/drive"
	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/store"
)

// Answers makes attempts at nodes of runs that others drive. Make one with [NewAnswers], and
// close it.
type Answers struct {
	env   drive.Env
	runs  store.SharedRuns
	name  string // tells this process from all others
	watch *watch[store.CallState]
	came  together[store.CallAnswer] // has outcomes kept
	full  atomic.Bool                // nothing more is begun
	life  context.Context            //nolint:containedctx // ends when calls are left whatever they do
	leave context.CancelCauseFunc

	mu   sync.Mutex
	dirs map[string]*workingOn // by run

	made tally
}

// workingOn is a run of which nodes are called here: they share the place of its files, and what
// it was started with.
type workingOn struct {
	calls int
	ctx   context.Context //nolint:containedctx // has the place of files
	leave func()

	mu    sync.Mutex
	start *run.Start // nil until somebody has read it
	plan  *engine.Plan
}

// tellEvery is how often what a placed node tells of its progress is passed on.
const tellEvery = 2 * time.Second

// NewAnswers returns what answers placed calls, with what an App has for that.
func NewAnswers(env drive.Env, runs store.SharedRuns, name string) *Answers {
	life, leave := context.WithCancelCause(context.Background())
	return &Answers{
		env: env, runs: runs, name: name, dirs: map[string]*workingOn{}, life: life, leave: leave,
		watch: newWatch(runs.CallStates, func(s store.CallState) string { return s.ID }, env.Log),
		came:  together[store.CallAnswer]{do: runs.AnswerCalls, bytes: func(c store.CallAnswer) int { return len(c.Outcome) }},
	}
}

// Leave begins no call any more: it is left to somebody else.
func (a *Answers) Leave() { a.full.Store(true) }

// Close leaves what is still under way, and is for when nothing more is asked.
func (a *Answers) Close() {
	a.leave(engine.ErrHandedOff)
	a.watch.close()
}

// errLost is the failure of a node that must not be called twice, and whose worker has died.
var errLost = &node.Error{
	Code: node.CodeOutcomeUnknown, Permanent: true,
	Message: "the worker that called it has died, and nobody knows whether it was done; see whether it was, and resume the run to have it called once more",
}

// Answer makes the attempt that a call asks for, and keeps what came of it. An error says that
// somebody has to try again. When ctx ends, the call is left to somebody else.
func (a *Answers) Answer(ctx context.Context, id string) error {
	if a.full.Load() {
		return engine.ErrHandedOff
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(a.life, func() { cancel(engine.ErrHandedOff) })() //nolint:contextcheck // the process's own, which outlives calls
	c, before, err := a.runs.BeginAnswer(ctx, id, a.name)
	switch {
	case errors.Is(err, store.ErrNoCall):
		return nil
	case err != nil:
		return err
	case before.Answered || before.Cancelled:
		return nil
	case before.Worker != "" && c.Once:
		return a.keep(ctx, id, engine.Answered{Err: errLost})
	}
	a.made.add(c.Queue, 1)
	answered, err := a.attempt(ctx, &c)
	switch {
	case errors.Is(err, store.ErrUnavailable), context.Cause(ctx) != nil:
		return errors.Join(err, context.Cause(ctx))
	case errors.Is(err, errUnwanted):
		return nil
	case err != nil:
		answered = engine.Answered{Err: &node.Error{Code: node.CodeOf(err), Message: err.Error(), Permanent: true}}
	}
	return a.keep(ctx, id, answered)
}

// keep writes the outcome down, as long as that takes.
func (a *Answers) keep(ctx context.Context, id string, answered engine.Answered) error {
	text, err := outcomeOf(answered)
	if err != nil {
		return err
	}
	ctx = context.WithoutCancel(ctx)
	return held(ctx, func() error { return a.came.join(ctx, store.CallAnswer{ID: id, Outcome: text}) })
}

// errUnwanted is the cause with which a call ends for which nobody waits any more.
var errUnwanted = errors.New("nobody waits for the call any more")

// attempt calls the node, unless and until nobody waits for that. What a panic says stays here.
func (a *Answers) attempt(ctx context.Context, c *store.PlacedCall) (answered engine.Answered, err error) {
	defer func() {
		if p := recover(); p != nil {
			a.env.Log.ErrorContext(ctx, "answering a call panicked", "run", c.RunID, "stack", string(debug.Stack()))
			err = node.Errorf(node.CodePanic, "the worker panicked: %v", p)
		}
	}()
	on, working, leave := a.working(ctx, c.RunID)
	defer leave()
	start, plan, err := on.open(ctx, a, c.RunID)
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
	defer a.watch.look(c.ID, func(s store.CallState) {
		if s.Cancelled || s.Answered {
			cancel(errUnwanted)
		}
	})()
	progress, stop := a.telling(working, c.ID)
	defer stop()
	working = node.WithResponder(working, func(reply node.Reply) error { return answer(working, a.runs, c.RunID, reply) })
	answered, err = answerer.Answer(working, plan, engine.Asked{
		RunID: c.RunID, Path: c.Path, Inputs: inputs, Progress: progress, Secrets: a.env.SecretsOf(working, plan), State: drive.NewState(&a.env, start, nil),
	})
	if cause := context.Cause(working); cause != nil {
		return answered, fmt.Errorf("the call has ended: %w", cause)
	}
	return answered, err
}

// open returns what a run was started with, and its plan, which calls share that are made at the
// same time.
func (w *workingOn) open(ctx context.Context, a *Answers, runID string) (*run.Start, *engine.Plan, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.plan != nil {
		return w.start, w.plan, nil
	}
	start, err := a.runs.Start(ctx, runID)
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

// working returns ctx with the place of the files of a run, which the calls of it share that are
// made here.
func (a *Answers) working(ctx context.Context, runID string) (on *workingOn, working context.Context, leave func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	w := a.dirs[runID]
	if w == nil {
		w = &workingOn{}
		w.ctx, w.leave = a.env.Working(context.WithoutCancel(ctx), runID)
		a.dirs[runID] = w
	}
	w.calls++
	return w, inPlace{ctx, w.ctx}, func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		if w.calls--; w.calls == 0 {
			delete(a.dirs, runID)
			w.leave()
		}
	}
}

// inPlace is a context with what another one has besides.
type inPlace struct {
	context.Context
	place context.Context //nolint:containedctx // for its values
}

// Value implements [context.Context].
func (c inPlace) Value(key any) any {
	if v := c.Context.Value(key); v != nil {
		return v
	}
	return c.place.Value(key)
}

// telling returns what takes the progress of a node, and passes on the last of it now and then,
// until stop.
func (a *Answers) telling(ctx context.Context, id string) (progress func(step, total int, message string), stop func()) {
	var mu sync.Mutex
	var last, passed string
	ctx, cancel := context.WithCancel(ctx)
	var passing sync.WaitGroup
	passing.Go(func() {
		tick := time.NewTicker(tellEvery)
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
			if text == passed {
				continue
			}
			if err := a.runs.TellProgress(ctx, id, text); err == nil {
				passed = text
			}
		}
	})
	progress = func(step, total int, message string) {
		mu.Lock()
		defer mu.Unlock()
		last = told{step, total, message}.text()
	}
	return progress, func() { cancel(); passing.Wait() }
}
