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

// SharedHost is a [Host] for several processes that share a queue.
type SharedHost interface {
	Host
	// Arrived returns the queued runs that any process enqueued since a time, oldest first.
	Arrived(ctx context.Context, since time.Time) ([]Waiting, error)
	// Inbox returns the size of the queue.
	Inbox(ctx context.Context) (store.Inbox, error)
}

// Shared fires triggers for several processes. One of them, the leader, fires; if it dies or
// loses contact to the store, another takes over. All processes accept calls of hooks and change
// activations. Make one with [NewShared], and close it. It is safe for concurrent use.
type Shared struct {
	host    SharedHost
	store   store.SharedActivations
	config  Config
	passive *Service // never runs; reads memories, compiles and counts

	life       context.Context
	end        context.CancelFunc
	goroutines sync.WaitGroup

	hookCache hookCache

	mu     sync.Mutex
	leader *Service // nil while another process leads

	admitMu   sync.Mutex // guards inbox and inboxRead
	inbox     store.Inbox
	inboxRead time.Time // last read of inbox
}

// readInboxEvery is how long the size of the queue is reused.
const readInboxEvery = time.Second

// NewShared starts to compete for leadership. host takes the place of c.Host, and kept that of
// c.Store.
func NewShared(c Config, host SharedHost, kept store.SharedActivations) *Shared {
	c.Host, c.Store = host, kept
	view := newService(c)
	s := &Shared{host: host, store: kept, config: view.Config, passive: view, hookCache: newHookCache()}
	s.life, s.end = context.WithCancel(context.Background())
	s.goroutines.Go(s.work)
	return s
}

// Close stops firing and gives up leadership. Runs in progress continue, and queued runs stay
// queued.
func (c *Shared) Close() {
	c.end()
	c.goroutines.Wait()
	c.passive.end()
}

// work leads whenever no other process does.
func (c *Shared) work() {
	if c.config.Ready != nil {
		c.config.Ready(c.life)
	}
	for c.life.Err() == nil {
		arming, err := c.store.Arm(c.life)
		if err == nil {
			c.runAsLeader(arming)
		} else if !errors.Is(err, store.ErrArmedElsewhere) && c.life.Err() == nil {
			c.config.Log.Warn("cannot find out which process fires triggers; retrying", "error", err)
		}
		if !pause(c.life, retryAfter) {
			return
		}
	}
}

// runAsLeader fires triggers until this process loses leadership or closes.
func (c *Shared) runAsLeader(arming store.Arming) {
	defer arming.Release()
	s := newService(c.config)
	s.peers = &peers{host: c.host, store: c.store, arming: arming}
	s.goroutines.Go(s.runAsLeader)
	c.setLeader(s)
	select {
	case <-arming.Lost:
		c.config.Log.Warn("lost leadership; another process may fire triggers by now")
	case <-c.life.Done():
	}
	c.setLeader(nil)
	s.Close()
}

func (c *Shared) setLeader(s *Service) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.leader = s
}

func (c *Shared) currentLeader() *Service {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.leader
}

// readyLeader returns the leading service of this process after it has loaded activations and
// applied changes of other processes; nil if another process leads.
func (c *Shared) readyLeader(ctx context.Context) *Service {
	s := c.currentLeader()
	if s == nil || s.waitReady(ctx) != nil || s.reconcileNow() != nil { //nolint:contextcheck // changes are applied for all callers
		return nil
	}
	return s
}

// Hooks returns the hooks at an escaped path, each with the values of its path variables.
func (c *Shared) Hooks(ctx context.Context, escaped string) (found []*Hook, params []map[string]string) {
	table, _, err := c.hooks(ctx, false)
	if found, params = table.find(escaped); len(found) == 0 {
		if table, _, err = c.hooks(ctx, true); err == nil {
			found, params = table.find(escaped)
		}
	}
	if err != nil && ctx.Err() == nil {
		c.config.Log.Warn("cannot read the hooks; using those known before", "error", err)
	}
	return found, params
}

// Fire enqueues a run for a call of a hook. runID is the id for the run; it must be unused. If
// the key of f has started a run, Fire returns the id of that.
func (c *Shared) Fire(h *Hook, f node.Firing, runID string) (string, error) {
	firings, err := describe(c.life, c.host, h.armed, []node.Firing{f})
	if err == nil {
		firings[0].RunID = runID
		err = c.admit(value.Size(f.Outputs, limit.WaitingBytes))
	}
	var made []Waiting
	if err == nil {
		made, err = c.host.Wait(c.life, firings)
	}
	if err != nil {
		c.config.Log.Warn("a firing is refused", "workflow", h.WorkflowID(), "node", h.NodeID(), "error", err)
		c.passive.Refused(h)
		return "", err
	}
	if !made[0].Known {
		c.passive.fired(h)
	}
	if s := c.currentLeader(); s != nil {
		s.addEnqueued(made)
	}
	return made[0].RunID, nil
}

// fired counts an accepted call of a hook.
func (s *Service) fired(h *Hook) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count(h.armed.typ).Fired++
}

// admit reserves room in the queue for a firing of about that many bytes. Runs that other
// processes enqueued within the last second do not count yet.
func (c *Shared) admit(bytes int) error {
	c.admitMu.Lock()
	defer c.admitMu.Unlock()
	if now := time.Now(); c.inboxRead.IsZero() || now.Sub(c.inboxRead) > readInboxEvery {
		waits, err := c.host.Inbox(c.life)
		if err != nil {
			return err
		}
		c.inbox, c.inboxRead = waits, now
	}
	b := inbox{firings: c.inbox.Runs, bytes: int(c.inbox.Bytes)}
	err := b.reserve(1, bytes)
	if err == nil {
		c.inbox = store.Inbox{Runs: b.firings, Bytes: int64(b.bytes)}
	}
	return err
}

// RunByKey returns the id of the run that a firing of a hook with a key has started, or "".
func (c *Shared) RunByKey(ctx context.Context, h *Hook, key string) (string, error) {
	return c.host.RunByKey(ctx, h.armed.key("%s", key))
}

// Refused counts a refused call of a hook.
func (c *Shared) Refused(h *Hook) { c.passive.Refused(h) }

// Activate arms the triggers of a workflow and replaces those of its former revision. plan is
// compiled from a's definition. The leader notices the change by itself. If another hook has the
// path, the error is a [*PathInUseError].
func (c *Shared) Activate(ctx context.Context, a store.Activation, plan *engine.Plan) (run.Activation, error) {
	for {
		table, last, err := c.hooks(ctx, true)
		if err == nil {
			err = table.checkFree(a.Definition.ID, plan.Triggers())
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
			continue // another hook may have taken the path meanwhile
		}
		if err != nil {
			return run.Activation{}, err
		}
		return c.Activation(ctx, a.Definition.ID)
	}
}

// Deactivate disarms the triggers of a workflow and cancels its queued runs.
func (c *Shared) Deactivate(ctx context.Context, workflowID string) error {
	if err := c.store.Deactivate(ctx, workflowID); err != nil {
		return err
	}
	if s := c.readyLeader(ctx); s == nil { // the leader notices it within a moment
		if waiting, err := c.waiting(ctx); err == nil {
			c.passive.cancelQueued(waiting[workflowID]) //nolint:contextcheck // they end even if the caller has left
		}
	}
	return nil
}

// Counts returns the counts of this process by trigger type.
func (c *Shared) Counts() map[string]Counts {
	all := c.passive.Counts()
	if s := c.currentLeader(); s != nil {
		for typ, n := range s.Counts() {
			m := all[typ]
			all[typ] = Counts{m.Fired + n.Fired, m.Missed + n.Missed, m.Refused + n.Refused, m.Waiting + n.Waiting}
		}
	}
	return all
}

// Forget removes a run from the queue after it was cancelled.
func (c *Shared) Forget(runID string) {
	if s := c.currentLeader(); s != nil {
		s.Forget(runID)
	}
}
