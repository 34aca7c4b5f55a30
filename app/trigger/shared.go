package trigger

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/limit"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/store"
)

// SharedHost keeps the runs of triggers that many processes put down.
type SharedHost interface {
	Host
	// Arrived returns the runs that wait and were put down behind a time, by whichever process,
	// in the order in which they came.
	Arrived(ctx context.Context, since time.Time) ([]Waiting, error)
	// Inbox tells how many wait, by whomever they were put down.
	Inbox(ctx context.Context) (store.Inbox, error)
}

// Shared lets triggers fire for any number of processes, one of which does so at a time: when
// it dies, or is not heard of, another one goes on. Hooks are called at all of them, and each
// changes what is active. Make one with [NewShared], and close it.
type Shared struct {
	host   SharedHost
	store  store.SharedActivations
	config Config
	view   *Service // which does nothing but tell what is kept

	life   context.Context
	end    context.CancelFunc
	inside sync.WaitGroup

	mirror mirror

	mu    sync.Mutex
	ruler *Service // nil while another process lets triggers fire

	room   sync.Mutex // for those behind it
	inbox  store.Inbox
	looked time.Time // when the inbox was last looked at
}

// lookAtInbox is how often a process that puts runs down looks how many wait.
const lookAtInbox = time.Second

// NewShared begins to let triggers fire whenever no other process does. The host of c is for
// [SharedHost].
func NewShared(c Config, host SharedHost, kept store.SharedActivations) *Shared {
	c.Host, c.Store = host, kept
	view := newService(c)
	s := &Shared{host: host, store: kept, config: view.Config, view: view, mirror: newMirror()}
	s.life, s.end = context.WithCancel(context.Background())
	s.inside.Go(s.work)
	return s
}

// Close ends it. Runs that go on are left alone, and what waits is kept.
func (c *Shared) Close() {
	c.end()
	c.inside.Wait()
	c.view.end()
}

// work lets triggers fire whenever no other process does.
func (c *Shared) work() {
	if c.config.Ready != nil {
		c.config.Ready(c.life)
	}
	for c.life.Err() == nil {
		arming, err := c.store.Arm(c.life)
		if err == nil {
			c.rule(arming)
		} else if !errors.Is(err, store.ErrArmedElsewhere) && c.life.Err() == nil {
			c.config.Log.Warn("nobody can tell who lets triggers fire; it is asked again", "error", err)
		}
		if !pause(c.life, askAgain) {
			return
		}
	}
}

// rule lets triggers fire until that is another one's to do.
func (c *Shared) rule(arming store.Arming) {
	defer arming.Release()
	s := newService(c.config)
	s.others = &others{host: c.host, store: c.store, arming: arming}
	s.inside.Go(s.rule)
	c.crown(s)
	select {
	case <-arming.Lost:
		c.config.Log.Warn("another process may let triggers fire by now")
	case <-c.life.Done():
	}
	c.crown(nil)
	s.Close()
}

func (c *Shared) crown(s *Service) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ruler = s
}

func (c *Shared) crowned() *Service {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.ruler
}

// ruling returns what lets triggers fire here, once it knows what is kept, and has noticed what
// others have changed; nil if another process does.
func (c *Shared) ruling(ctx context.Context) *Service {
	s := c.crowned()
	if s == nil || s.settledFor(ctx) != nil || s.catchUp() != nil { //nolint:contextcheck // what it notices is not the caller's
		return nil
	}
	return s
}

// Hooks returns the hooks at a path, which is escaped, with what stands for the braces of
// each.
func (c *Shared) Hooks(ctx context.Context, escaped string) (found []*Hook, params []map[string]string) {
	table, _, err := c.hooks(ctx, false)
	if found, params = table.find(escaped); len(found) == 0 {
		if table, _, err = c.hooks(ctx, true); err == nil {
			found, params = table.find(escaped)
		}
	}
	if err != nil && ctx.Err() == nil {
		c.config.Log.Warn("nobody can tell which hooks there are; those are used that were known", "error", err)
	}
	return found, params
}

// Fire puts down what a call of a hook means, as a run with an id that nobody has; with a
// key that has made one already, it returns the id of that.
func (c *Shared) Fire(h *Hook, f node.Firing, runID string) (string, error) {
	firings, err := describe(c.life, c.host, h.armed, []node.Firing{f})
	if err == nil {
		firings[0].RunID = runID
		err = c.take(value.Size(f.Outputs, limit.WaitingBytes))
	}
	var made []Waiting
	if err == nil {
		made, err = c.host.Wait(c.life, firings)
	}
	if err != nil {
		c.config.Log.Warn("a firing is not taken", "workflow", h.WorkflowID(), "node", h.NodeID(), "error", err)
		c.view.Refused(h)
		return "", err
	}
	if !made[0].Known {
		c.view.fired(h)
	}
	if s := c.crowned(); s != nil {
		s.arrived(made)
	}
	return made[0].RunID, nil
}

// fired counts a call of a hook that was put down.
func (s *Service) fired(h *Hook) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count(h.armed.typ).Fired++
}

// take says whether there is room for a firing of so many bytes, about: what other processes
// have put down in the last moment is not known here.
func (c *Shared) take(bytes int) error {
	c.room.Lock()
	defer c.room.Unlock()
	if now := time.Now(); c.looked.IsZero() || now.Sub(c.looked) > lookAtInbox {
		waits, err := c.host.Inbox(c.life)
		if err != nil {
			return err
		}
		c.inbox, c.looked = waits, now
	}
	b := inbox{firings: c.inbox.Runs, bytes: int(c.inbox.Bytes)}
	err := b.take(1, bytes)
	if err == nil {
		c.inbox = store.Inbox{Runs: b.firings, Bytes: int64(b.bytes)}
	}
	return err
}

// Refused counts a call of a hook that was refused.
func (c *Shared) Refused(h *Hook) { c.view.Refused(h) }

// Activate arms the triggers of a workflow, in the place of those that it had. plan is
// made of a's definition. Whichever process lets triggers fire notices it.
func (c *Shared) Activate(ctx context.Context, a store.Activation, plan *engine.Plan) (run.Activation, error) {
	for {
		table, last, err := c.hooks(ctx, true)
		if err == nil {
			err = table.free(a.Definition.ID, plan.Triggers())
		}
		if err != nil {
			return run.Activation{}, err
		}
		a.Armed = c.config.Now().UTC()
		a.Since = a.Armed
		before, err := c.store.Activation(ctx, a.Definition.ID)
		if err == nil {
			a.Since = before.Since
		} else if errors.Is(err, store.ErrUnavailable) {
			return run.Activation{}, err
		}
		err = c.store.ActivateAt(ctx, a, last)
		if errors.Is(err, store.ErrActivationsChanged) {
			continue // at a path that was free, there may be another hook by now
		}
		if err != nil {
			return run.Activation{}, err
		}
		return c.Activation(ctx, a.Definition.ID)
	}
}

// Deactivate takes the triggers of a workflow away. What waits at them ends as cancelled.
func (c *Shared) Deactivate(ctx context.Context, workflowID string) error {
	if err := c.store.Deactivate(ctx, workflowID); err != nil {
		return err
	}
	if s := c.ruling(ctx); s == nil { // whoever lets triggers fire notices it, in a moment
		if waiting, err := c.waiting(ctx); err == nil {
			c.view.dropRuns(waiting[workflowID]) //nolint:contextcheck // they end whoever waits
		}
	}
	return nil
}

// Counts returns what became of firings here, by type of trigger.
func (c *Shared) Counts() map[string]Counts {
	all := c.view.Counts()
	if s := c.crowned(); s != nil {
		for typ, n := range s.Counts() {
			m := all[typ]
			all[typ] = Counts{m.Fired + n.Fired, m.Missed + n.Missed, m.Refused + n.Refused, m.Waiting + n.Waiting}
		}
	}
	return all
}

// Forget takes a run out of those that wait, because somebody has cancelled it.
func (c *Shared) Forget(runID string) {
	if s := c.crowned(); s != nil {
		s.Forget(runID)
	}
}
