package cluster

import (
	"context"
	"errors"
	"sync"

	"github.com/google/uuid"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/store"
)

// placedCalls are the calls of one run that were placed on queues. Calls that come up while
// others are being written are written together and share a Temporal workflow for each queue.
type placedCalls struct {
	*calls

	run      *playedRun
	inserts  batcher[*store.PlacedCall]
	known    map[string]store.PlacedCall // calls of former drivers, by the path of their node
	ctx      context.Context             //nolint:containedctx // ends when the run is not driven here any more
	cancel   context.CancelFunc
	starting sync.WaitGroup

	mu        sync.Mutex
	tasksByID map[string]*placedTask // by task id
}

// placedTask is the workflow of calls. The mu of placedCalls guards its fields.
type placedTask struct {
	CallTask

	started bool
	open    int  // calls without outcome
	givenUp bool // some call was given up
	stop    context.CancelFunc
}

// newPlacedCalls returns the placed calls of a run; nil if there can be none. For a continued run
// it includes the calls of former drivers.
func (l *calls) newPlacedCalls(ctx context.Context, r *playedRun, goesOn bool) (*placedCalls, error) {
	if l == nil {
		return nil, nil //nolint:nilnil // nothing is placed
	}
	var before []store.PlacedCall
	if goesOn {
		var err error
		if before, err = l.runs.PlacedCalls(ctx, r.Start.RunID); err != nil {
			return nil, err
		}
	}
	if len(l.placement.rules) == 0 && len(before) == 0 {
		return nil, nil //nolint:nilnil // as above
	}
	p := &placedCalls{calls: l, run: r, known: map[string]store.PlacedCall{}, tasksByID: map[string]*placedTask{}}
	p.inserts.run, p.inserts.bytes = p.placeAll, func(c *store.PlacedCall) int { return len(c.Inputs) }
	p.ctx, p.cancel = context.WithCancel(context.WithoutCancel(ctx))
	for _, c := range before {
		p.known[c.Path] = c // the last attempt
		p.addToTask(&c)
	}
	return p, nil
}

// close stops the calls of a run that is not driven here any more.
func (p *placedCalls) close() {
	if p != nil {
		p.cancel()
		p.starting.Wait()
	}
}

// placeAll writes calls and starts their workflows.
func (p *placedCalls) placeAll(ctx context.Context, orders []*store.PlacedCall) error {
	tasks := map[string]string{} // by queue
	rows := make([]store.PlacedCall, len(orders))
	for i, c := range orders {
		if tasks[c.Queue] == "" {
			id, err := uuid.NewV7()
			if err != nil {
				return err
			}
			tasks[c.Queue] = id.String()
		}
		c.Task = tasks[c.Queue]
		rows[i] = *c
	}
	if err := p.run.retryOrLeave(ctx, func(ctx context.Context) error { return p.runs.PlaceCalls(ctx, rows) }); err != nil {
		return err
	}
	p.mu.Lock()
	for _, c := range orders {
		p.addToTask(c)
		p.placedCount.add(c.Queue, 1)
	}
	p.mu.Unlock()
	for _, id := range tasks {
		p.ensureTask(id) //nolint:contextcheck // calls share a task
	}
	return nil
}

// addToTask adds a call to its task. The caller holds mu.
func (p *placedCalls) addToTask(c *store.PlacedCall) {
	t := p.tasksByID[c.Task]
	if t == nil {
		t = &placedTask{CallTask: CallTask{ID: c.Task, Queue: c.Queue}, stop: func() {}}
		p.tasksByID[c.Task] = t
	}
	t.Calls, t.open = append(t.Calls, c.ID), t.open+1
}

// ensureTask starts the workflow of a task once.
func (p *placedCalls) ensureTask(id string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	t := p.tasksByID[id]
	if t.started {
		return
	}
	t.started = true
	var ctx context.Context
	ctx, t.stop = context.WithCancel(p.ctx)
	p.starting.Go(func() { p.startTask(ctx, t.CallTask) })
}

// finishCall counts a call as finished. all is true if its task has no open calls left, and some
// were given up.
func (p *placedCalls) finishCall(id string, dropped bool) (t *placedTask, all bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	t = p.tasksByID[id]
	t.open--
	t.givenUp = t.givenUp || dropped
	return t, t.open == 0 && t.givenUp
}

// giveUp cancels a call after its context has ended. If the run was handed off, the call
// continues for the next driver.
func (p *placedCalls) giveUp(ctx context.Context, c *store.PlacedCall) {
	cause := context.Cause(ctx)
	if _, parked := errors.AsType[*engine.Parked](cause); parked || errors.Is(cause, engine.ErrHandedOff) {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), giveUpWithin)
	defer cancel()
	err := p.runs.CancelCall(ctx, c.ID)
	if t, all := p.finishCall(c.Task, true); all {
		t.stop()
		err = errors.Join(err, p.tasks.Drop(ctx, t.CallTask))
	}
	if err != nil {
		p.log.DebugContext(ctx, "a placed call could not be cancelled; it ends with its task", "queue", c.Queue, "error", err)
	}
}
