package trigger

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/svcflow/svc/store"
)

// How often the one who lets triggers fire looks what other processes have put down, and
// changed; how far back it looks, as their clocks and commits may be late; and how often it
// looks at all that waits.
const (
	lookAtOthers  = 50 * time.Millisecond
	lookAtChanges = 250 * time.Millisecond
	recently      = 30 * time.Second
	lookAtAll     = 10 * time.Second
)

// others is what the one who lets triggers fire knows of other processes, which change what is
// active, and put runs down. The service's turning guards it. Of a service that is alone it is
// nil.
type others struct {
	host    SharedHost
	store   store.SharedActivations
	arming  store.Arming
	known   map[string]int64 // number of the change of each active workflow that is loaded
	numbers map[string]int64 // while they are loaded, of all
	last    int64            // number of the last change that is known
	changes time.Time        // when changes were last looked for
	whole   time.Time        // when all that waits was last looked at
	away    bool
}

// armed returns the epoch of who lets triggers fire here.
func (o *others) armed() int64 {
	if o == nil {
		return 0
	}
	return o.arming.Epoch
}

// begin notes which changes are known of what is loaded from now on.
func (o *others) begin(ctx context.Context) {
	if o == nil {
		return
	}
	var err error
	o.known = map[string]int64{}
	if o.numbers, o.last, err = o.store.Actives(ctx); err != nil {
		o.last = -1
	}
}

// doubt has all that is not loaded be looked at again.
func (o *others) doubt() {
	if o != nil {
		o.last = -1
	}
}

// loaded notes that an activation is known.
func (o *others) loaded(a store.Activation) {
	if o != nil && o.numbers[a.Definition.ID] != 0 {
		o.known[a.Definition.ID] = o.numbers[a.Definition.ID]
	}
}

// keepUp notices what other processes have put down, and changed. The caller holds turning.
func (s *Service) keepUp(now time.Time) {
	o := s.others
	if o == nil {
		return
	}
	err := s.lookAround(now)
	if failed := err != nil && s.life.Err() == nil; failed != o.away {
		if o.away = failed; failed {
			s.Log.Warn("nobody can tell what other processes have put down; it is asked again", "error", err)
		}
	}
}

func (s *Service) lookAround(now time.Time) error {
	o := s.others
	since, whole := now.Add(-recently), o.whole.IsZero() || now.Sub(o.whole) >= lookAtAll
	if whole {
		since = time.Time{}
	}
	s.mu.Lock()
	before := make(map[string]bool, len(s.inbox.of))
	for id := range s.inbox.of {
		before[id] = true
	}
	s.mu.Unlock()
	arrived, err := o.host.Arrived(s.life, since)
	if err != nil {
		return err
	}
	arrived = slices.DeleteFunc(arrived, func(w Waiting) bool { return !whole && before[w.RunID] })
	if len(arrived) > 0 || now.Sub(o.changes) >= lookAtChanges || now.Before(o.changes) {
		if err := s.reconcile(); err != nil { // what has come may be for what has just become active
			return err
		}
		o.changes = now
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if whole {
		o.whole = now
		s.forgetAll(before, arrived)
	}
	for _, w := range arrived {
		s.arrive(w)
	}
	return nil
}

// forgetAll takes those runs out of the inbox that were there and wait no more. The caller holds
// the lock.
func (s *Service) forgetAll(before map[string]bool, waiting []Waiting) {
	waits := make(map[string]bool, len(waiting))
	for _, w := range waiting {
		waits[w.RunID] = true
	}
	for id := range before {
		if !waits[id] {
			s.dequeue(id)
		}
	}
}

// arrive lets a run wait that another process has put down. The caller holds the lock.
func (s *Service) arrive(w Waiting) {
	if s.inbox.of[w.RunID] != nil {
		return
	}
	if a := s.awake(w.WorkflowID); a != nil {
		if t := a.trigger(w.Node); t != nil && !w.At.Before(t.memory.FiredAt) {
			m := t.memory.clone()
			m.FiredAt, m.RunID, m.Error = w.At, w.RunID, ""
			s.rememberSoon(t, m)
		}
	}
	s.enqueue(w)
}

// arrived lets runs wait which this process has put down beside the service. Those of workflows of
// which it has not heard yet, it finds by itself.
func (s *Service) arrived(all []Waiting) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, w := range all {
		if !w.Known && s.mine && (s.active[w.WorkflowID] != nil || s.asleep[w.WorkflowID] != nil) {
			s.arrive(w)
		}
	}
	s.nudge()
}

// reconcile arms and takes away what others have changed. The caller holds turning.
func (s *Service) reconcile() error {
	o := s.others
	last, err := o.store.Changed(s.life)
	if err != nil || last == o.last {
		return err
	}
	of, last, err := o.store.Actives(s.life)
	if err != nil {
		return err
	}
	for id := range o.known {
		if _, active := of[id]; !active {
			s.discard(id)
			delete(o.known, id)
		}
	}
	for id, change := range of {
		if o.known[id] == change {
			continue
		}
		k, err := o.store.Activation(s.life, id)
		if err == nil {
			err = s.move(k)
		}
		switch {
		case errors.Is(err, store.ErrNotActive):
			continue // of which the next change tells
		case errors.Is(err, store.ErrUnavailable), errors.Is(err, store.ErrArmedElsewhere), errors.Is(err, errNotKept), s.life.Err() != nil:
			return err
		case err != nil:
			s.Log.Error("an activation cannot be read", "workflow", id, "error", err)
		}
		o.known[id] = change
	}
	o.last = last
	return nil
}

// move arms an activation in the place of the one that is known of its workflow.
func (s *Service) move(k store.Activation) error {
	id := k.Definition.ID
	triggers, problem := s.triggersOf(k)
	s.mu.Lock()
	before := s.awake(id)
	s.mu.Unlock()
	var removed []store.TriggerMemory
	if before != nil && before.Since.Equal(k.Since) {
		var err error
		if removed, err = s.handOver(before, triggers); err != nil {
			return err
		}
	}
	s.flushing.Lock() // else a flush that has begun would write what is removed here
	defer s.flushing.Unlock()
	if before != nil && !before.Since.Equal(k.Since) { // in between it was not active
		s.discard(id)
		for _, t := range before.triggers {
			removed = append(removed, store.TriggerMemory{WorkflowID: id, NodeID: t.node})
		}
		if err := s.Store.Remember(s.life, removed...); err != nil {
			return err
		}
		removed = nil
	}
	s.mu.Lock()
	put := s.put(k, triggers, problem)
	s.mu.Unlock()
	s.flushAll()
	s.forget(removed)
	s.mu.Lock()
	s.rest(put)
	s.mu.Unlock()
	s.nudge()
	return nil
}

// catchUp notices at once what has changed.
func (s *Service) catchUp() error {
	s.turning.Lock()
	defer s.turning.Unlock()
	return s.reconcile()
}
