package enginetest

import (
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/node"
)

// Interrupted returns a runner that simulates up to three crashes in each run, after events that
// the seed chooses. Another process resumes the run from the events, which are encoded and decoded
// as a store would do. The observer sees one sequence of events.
//
// Half of the runs are also parked when they only wait, and resumed in time.
//
// After a crash the contexts of running calls end, and the runner does not wait for them, as after
// the loss of a machine.
func Interrupted(seed uint64) engine.Runner { return &interrupted{seed: seed} }

// HandedOver returns a runner like that of [Interrupted] whose processes do not crash but hand the
// run off when running calls have ended.
func HandedOver(seed uint64) engine.Runner { return &interrupted{seed: seed, handsOff: true} }

type interrupted struct {
	seed     uint64
	handsOff bool
}

// Dies implements [Dying].
func (r *interrupted) Dies() {}

// Run implements [engine.Runner].
func (r *interrupted) Run(ctx context.Context, p *engine.Plan, o engine.Options) (*engine.Run, error) {
	draws := rand.New(rand.NewPCG(r.seed, uint64(len(p.WorkflowID())))) //nolint:gosec // it is to be repeatable
	events := &journal{observe: o.Observe}
	if draws.IntN(2) == 0 {
		o.Park = 5 * time.Second
	}
	for deaths := draws.IntN(4); ; deaths-- {
		l := &life{journal: events, left: 1 + draws.IntN(6), dead: make(chan struct{})}
		if r.handsOff {
			l.leave = make(chan struct{})
		}
		if deaths <= 0 {
			l.left = -1
		}
		run, err := l.run(ctx, p, o)
		if parked, ok := errors.AsType[*engine.Parked](err); ok {
			_ = node.Sleep(ctx, time.Until(parked.Until)) // a cancelled run resumes at once
		} else if !errors.Is(err, errDied) && !errors.Is(err, engine.ErrHandedOff) {
			return run, err
		}
	}
}

var errDied = errors.New("the process has died")

// journal stores the events of a run.
type journal struct {
	mu      sync.Mutex
	observe func(engine.Event)
	events  []engine.Event // as they are stored
}

// recall returns what the stored events record of the run.
func (t *journal) recall() (*engine.Recall, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	recall := &engine.Recall{}
	for i := range t.events {
		stored := engine.Event{Name: t.events[i].Name}
		text, err := json.Marshal(t.events[i])
		if err == nil {
			err = json.Unmarshal(text, &stored)
		}
		if err != nil {
			return nil, err
		}
		recall.Apply(&stored)
	}
	return recall, nil
}

// life is the part of a run between two crashes.
type life struct {
	*journal

	left   int // events until it dies; negative if it does not
	died   bool
	dead   chan struct{}
	leave  chan struct{} // closed to hand the run off; nil for a crash
	cancel context.CancelCauseFunc
}

// run begins or resumes the run, until it ends or the process crashes.
func (l *life) run(ctx context.Context, p *engine.Plan, o engine.Options) (*engine.Run, error) {
	recall, err := l.recall()
	if err != nil {
		return nil, err
	}
	o.Began, o.Told, o.Recorded, o.Observe, o.Leave = recall.Began, recall.Told, recall.Recorded, l.tell, l.leave
	ctx, l.cancel = context.WithCancelCause(ctx)
	type outcome struct {
		run *engine.Run
		err error
	}
	done := make(chan outcome, 1)
	go func() {
		run, err := new(engine.Local).Run(ctx, p, o)
		done <- outcome{run, err}
	}()
	select {
	case <-l.dead:
		return nil, errDied
	case out := <-done:
		l.cancel(nil)
		select {
		case <-l.dead: // both at once
			return nil, errDied
		default:
			return out.run, out.err
		}
	}
}

// tell numbers, stores and forwards an event, and crashes if it is time.
func (l *life) tell(e engine.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.died {
		return
	}
	e.Seq = len(l.events) + 1
	l.events = append(l.events, e)
	if l.observe != nil {
		l.observe(e)
	}
	switch l.left--; {
	case l.left != 0 || e.Name.Terminal():
	case l.leave != nil:
		close(l.leave)
	default:
		l.died = true
		close(l.dead)
		l.cancel(engine.ErrHandedOff)
	}
}
