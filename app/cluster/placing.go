package cluster

import (
	"context"
	"errors"
	"sync"

	"github.com/google/uuid"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/store"
)

// placing is what a run that is driven here has called elsewhere. Calls that come up while others
// are being put down are put down together, and have one task for each queue.
type placing struct {
	*calls

	run    *played
	orders together[*store.PlacedCall]
	known  map[string]store.PlacedCall // calls from before the run was gone on with, by the path of their node
	life   context.Context             //nolint:containedctx // ends when the run is driven here no more
	end    context.CancelFunc
	asking sync.WaitGroup

	mu   sync.Mutex
	open map[string]*placedTask // by id
}

// placedTask is the task of calls. What changes is guarded by the mu of its placing.
type placedTask struct {
	CallTask

	asked   bool
	open    int  // calls of which nobody has heard the end
	dropped bool // one of them was given up
	stop    context.CancelFunc
}

// placing returns what leads calls of a run elsewhere; nil if none are to be led. Of one that is
// gone on with it finds the calls that have been placed before.
func (l *calls) placing(ctx context.Context, r *played, goesOn bool) (*placing, error) {
	if l == nil {
		return nil, nil //nolint:nilnil // there is nothing to lead
	}
	var before []store.PlacedCall
	if goesOn {
		var err error
		if before, err = l.runs.PlacedCalls(ctx, r.Start.RunID); err != nil {
			return nil, err
		}
	}
	if len(l.place.rules) == 0 && len(before) == 0 {
		return nil, nil //nolint:nilnil // as above
	}
	p := &placing{calls: l, run: r, known: map[string]store.PlacedCall{}, open: map[string]*placedTask{}}
	p.orders.do, p.orders.bytes = p.putAll, func(c *store.PlacedCall) int { return len(c.Inputs) }
	p.life, p.end = context.WithCancel(context.WithoutCancel(ctx))
	for _, c := range before {
		p.known[c.Path] = c // the last one counts
		p.note(&c)
	}
	return p, nil
}

// close is for when the run is driven here no more.
func (p *placing) close() {
	if p != nil {
		p.end()
		p.asking.Wait()
	}
}

// putAll puts calls down, and has them answered.
func (p *placing) putAll(ctx context.Context, orders []*store.PlacedCall) error {
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
	if err := p.run.kept(ctx, func(ctx context.Context) error { return p.runs.PlaceCalls(ctx, rows) }); err != nil {
		return err
	}
	p.mu.Lock()
	for _, c := range orders {
		p.note(c)
		p.led.add(c.Queue, 1)
	}
	p.mu.Unlock()
	for _, id := range tasks {
		p.ask(id) //nolint:contextcheck // a task is not only that of who asks first
	}
	return nil
}

// note adds a call to its task. The caller holds mu.
func (p *placing) note(c *store.PlacedCall) {
	t := p.open[c.Task]
	if t == nil {
		t = &placedTask{CallTask: CallTask{ID: c.Task, Queue: c.Queue}, stop: func() {}}
		p.open[c.Task] = t
	}
	t.Calls, t.open = append(t.Calls, c.ID), t.open+1
}

// ask has the calls of a task answered, once.
func (p *placing) ask(id string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	t := p.open[id]
	if t.asked {
		return
	}
	t.asked = true
	var ctx context.Context
	ctx, t.stop = context.WithCancel(p.life)
	p.asking.Go(func() { p.asks(ctx, t.CallTask) })
}

// leave notes that nobody waits any more for a call of a task, and reports whether nobody does
// for any, and some were given up.
func (p *placing) leave(id string, dropped bool) (t *placedTask, all bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	t = p.open[id]
	t.open--
	t.dropped = t.dropped || dropped
	return t, t.open == 0 && t.dropped
}

// drop gives a call up for which nobody waits any more. One whose run goes on elsewhere goes on.
func (p *placing) drop(ctx context.Context, c *store.PlacedCall) {
	cause := context.Cause(ctx)
	if _, parked := errors.AsType[*engine.Parked](cause); parked || errors.Is(cause, engine.ErrHandedOff) {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), droppedWithin)
	defer cancel()
	err := p.runs.CancelCall(ctx, c.ID)
	if t, all := p.leave(c.Task, true); all {
		t.stop()
		err = errors.Join(err, p.tasks.Drop(ctx, t.CallTask))
	}
	if err != nil {
		p.log.DebugContext(ctx, "a placed call could not be given up; it ends with its task", "queue", c.Queue, "error", err)
	}
}
