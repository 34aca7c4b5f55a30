package trigger

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/svcflow/svc/store"
)

// Intervals at which the leader reads the queue and the activations that other processes have
// changed. arrivalOverlap is how far back it reads, because their clocks differ and commits take
// time; fullScanEvery is for what is missed even so.
const (
	peersEvery     = 50 * time.Millisecond
	reconcileEvery = 250 * time.Millisecond
	arrivalOverlap = 30 * time.Second
	fullScanEvery  = 10 * time.Second
)

// peers is what the leader knows of the other processes, which enqueue runs and change
// activations. stepMu guards it. It is nil in a service that shares nothing.
type peers struct {
	host     SharedHost
	store    store.SharedActivations
	arming   store.Arming
	known    map[string]int64 // last change of each known activation
	numbers  map[string]int64 // last change of each activation; only during load
	last     int64            // number of the last applied change; -1 means unknown
	changes  time.Time        // last read of changes
	fullScan time.Time        // last full scan of the queue
	away     bool
}

// epoch returns the epoch of this leader; 0 if it shares nothing.
func (o *peers) epoch() int64 {
	if o == nil {
		return 0
	}
	return o.arming.Epoch
}

// beginLoading notes the changes that the following load includes.
func (o *peers) beginLoading(ctx context.Context) {
	if o == nil {
		return
	}
	var err error
	o.known = map[string]int64{}
	if o.numbers, o.last, err = o.store.Actives(ctx); err != nil {
		o.last = -1
	}
}

// invalidate makes the next reconcile read all activations that are not known.
func (o *peers) invalidate() {
	if o != nil {
		o.last = -1
	}
}

// loaded notes that an activation is loaded.
func (o *peers) loaded(a store.Activation) {
	if o != nil && o.numbers[a.Definition.ID] != 0 {
		o.known[a.Definition.ID] = o.numbers[a.Definition.ID]
	}
}

// pollPeers applies what other processes have enqueued and changed. The caller holds stepMu.
func (s *Service) pollPeers(now time.Time) {
	o := s.peers
	if o == nil {
		return
	}
	err := s.readPeers(now)
	if failed := err != nil && s.life.Err() == nil; failed != o.away {
		if o.away = failed; failed {
			s.Log.Warn("cannot read what other processes have enqueued; retrying", "error", err)
		}
	}
}

func (s *Service) readPeers(now time.Time) error {
	o := s.peers
	since, whole := now.Add(-arrivalOverlap), o.fullScan.IsZero() || now.Sub(o.fullScan) >= fullScanEvery
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
	if len(arrived) > 0 || now.Sub(o.changes) >= reconcileEvery || now.Before(o.changes) {
		if err := s.reconcile(); err != nil { // an arrived run may belong to a new activation
			return err
		}
		o.changes = now
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if whole {
		o.fullScan = now
		s.removeStarted(before, arrived)
	}
	for _, w := range arrived {
		s.addArrived(w)
	}
	return nil
}

// removeStarted removes runs that were queued before and do not wait any more. The caller holds
// mu.
func (s *Service) removeStarted(before map[string]bool, waiting []Waiting) {
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

// addArrived queues a run that another process enqueued. The caller holds mu.
func (s *Service) addArrived(w Waiting) {
	if s.inbox.of[w.RunID] != nil {
		return
	}
	if a := s.loaded(w.WorkflowID); a != nil {
		if t := a.trigger(w.Node); t != nil && !w.At.Before(t.memory.FiredAt) {
			m := t.memory.clone()
			m.FiredAt, m.RunID, m.Error = w.At, w.RunID, ""
			s.rememberLazily(t, m)
		}
	}
	s.enqueue(w)
}

// addEnqueued queues runs that this process enqueued for a hook. Runs of workflows that are not
// loaded yet are found later by a scan.
func (s *Service) addEnqueued(all []Waiting) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, w := range all {
		if !w.Known && s.leader && (s.active[w.WorkflowID] != nil || s.unloaded[w.WorkflowID] != nil) {
			s.addArrived(w)
		}
	}
	s.wakeUp()
}

// reconcile applies the activations that other processes have changed. The caller holds stepMu.
func (s *Service) reconcile() error {
	o := s.peers
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
			s.disarmAndCancel(id)
			delete(o.known, id)
		}
	}
	for id, change := range of {
		if o.known[id] == change {
			continue
		}
		k, err := o.store.Activation(s.life, id)
		if err == nil {
			err = s.replace(k)
		}
		switch {
		case errors.Is(err, store.ErrNotActive):
			continue // deactivated meanwhile; the next change says so
		case errors.Is(err, store.ErrUnavailable), errors.Is(err, store.ErrArmedElsewhere), errors.Is(err, errNotSaved), s.life.Err() != nil:
			return err
		case err != nil:
			s.Log.Error("an activation cannot be read", "workflow", id, "error", err)
		}
		o.known[id] = change
	}
	o.last = last
	return nil
}

// replace arms an activation in place of the former one of its workflow.
func (s *Service) replace(k store.Activation) error {
	id := k.Definition.ID
	triggers, problem := s.triggersOf(k)
	s.mu.Lock()
	before := s.loaded(id)
	s.mu.Unlock()
	var removed []store.TriggerMemory
	if before != nil && before.Since.Equal(k.Since) {
		var err error
		if removed, err = s.finishRevision(before, triggers); err != nil {
			return err
		}
	}
	s.flushMu.Lock() // otherwise a running flush would save memories that are removed here
	defer s.flushMu.Unlock()
	if before != nil && !before.Since.Equal(k.Since) { // it was inactive in between
		s.disarmAndCancel(id)
		for _, t := range before.triggers {
			removed = append(removed, store.TriggerMemory{WorkflowID: id, NodeID: t.node})
		}
		if err := s.Store.Remember(s.life, removed...); err != nil {
			return err
		}
		removed = nil
	}
	s.mu.Lock()
	put := s.arm(k, triggers, problem)
	s.mu.Unlock()
	s.flushAll()
	s.removeMemories(removed)
	s.mu.Lock()
	s.unloadIfIdle(put)
	s.mu.Unlock()
	s.wakeUp()
	return nil
}

// reconcileNow applies changes of other processes at once.
func (s *Service) reconcileNow() error {
	s.stepMu.Lock()
	defer s.stepMu.Unlock()
	return s.reconcile()
}
