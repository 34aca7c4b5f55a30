package trigger

import (
	"container/heap"
	"math"
	"time"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/store"
)

const (
	// mostAwake is how many active workflows are at hand whatever they do.
	mostAwake = 2048
	// soon is how far away a time is for which it is not worth to fall asleep.
	soon = time.Minute
	// rousedAtOnce is how many fire in one step that were asleep.
	rousedAtOnce = 256
)

// sleeper is an active workflow that has nothing but a schedule and does nothing now: all else
// is in the store until its time comes. Times are in nanoseconds since 1970; 0 is none.
type sleeper struct {
	id                     string
	kind                   *kind
	due, next, last, since int64
	revision, concurrency  int32
	place                  int32
	leave                  bool // its runs alone that a crash has interrupted
}

// kind is what many schedules have in common.
type kind struct{ node, typ string }

func (z *sleeper) when() time.Time { return time.Unix(0, z.due) }

func (z *sleeper) put(place int) { z.place = int32(place) }

// nanos returns a time as sleepers keep it.
func nanos(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixNano()
}

// timeOf returns the time that a sleeper keeps.
func timeOf(nanos int64) (t time.Time) {
	if nanos != 0 {
		t = time.Unix(0, nanos).UTC()
	}
	return t
}

// rest lets a workflow fall asleep if many are awake, and it has nothing to do soon. The caller
// holds the lock.
func (s *Service) rest(a *active) {
	if len(s.active) <= s.Awake || s.active[a.Definition.ID] != a || !s.tired(a) {
		return
	}
	t := a.triggers[0]
	k := kind{t.node, t.typ}
	if s.kinds[k] == nil {
		s.kinds[k] = &k
	}
	z := &sleeper{
		id: a.Definition.ID, kind: s.kinds[k], due: nanos(t.due), next: nanos(t.next), last: nanos(t.memory.Last), since: nanos(a.Since),
		revision: int32(a.Revision), concurrency: int32(a.Concurrency), leave: a.OnInterrupted == run.Leave, place: -1,
	}
	s.drop(z.id)
	s.asleep[z.id] = z
	if z.due != 0 {
		heap.Push(&s.dozing, z)
	}
}

// tired reports whether all that is known of a workflow is in the store, and it has a schedule
// alone that does not fire soon.
func (s *Service) tired(a *active) bool {
	if len(a.triggers) != 1 || len(a.queue) > 0 || a.running > 0 || a.Revision > math.MaxInt32 || a.Concurrency > math.MaxInt32 {
		return false
	}
	t := a.triggers[0]
	waits := t.place >= 0 || t.next.IsZero() // else somebody deals with its time
	return t.times != nil && waits && !s.changed[t] && len(t.memory.Running) == 0 && between(a.Since) && between(t.memory.Last) &&
		(t.next.IsZero() || between(t.due) && t.due.Sub(s.seen) > soon)
}

// between reports whether a time can be told in nanoseconds.
func between(t time.Time) bool { return t.Year() > 1970 && t.Year() < 2262 }

// awake returns an active workflow, which it awakens if it is asleep; nil if it is not active.
// The caller holds the lock.
func (s *Service) awake(workflowID string) *active {
	if z := s.asleep[workflowID]; z != nil {
		s.awaken(z)
	}
	return s.active[workflowID]
}

// awaken brings back a workflow that is asleep, with the moment for which it was planned. If
// the store cannot tell of it, it sleeps on for a moment. The caller holds the lock.
func (s *Service) awaken(z *sleeper) {
	k, err := s.Store.Activation(s.life, z.id)
	if err != nil {
		if s.life.Err() == nil {
			s.Log.Error("an active workflow cannot be read; it is tried again", "workflow", z.id, "error", err)
		}
		if z.place >= 0 {
			z.due = s.Now().Add(askAgain).UnixNano()
			heap.Fix(&s.dozing, int(z.place))
		}
		return
	}
	due := timeOf(z.due)
	triggers, problem := s.triggersOf(k)
	a := s.put(k, triggers, problem)
	for _, t := range a.triggers {
		if t.place >= 0 && !due.IsZero() {
			t.due = due
			heap.Fix(&s.due, t.place)
		}
	}
}

// rouse awakens those whose time has come, some of them at once. The caller holds the lock,
// which others may have in between.
func (s *Service) rouse(now time.Time) {
	for n := 0; n < rousedAtOnce && len(s.dozing) > 0 && !s.dozing[0].when().After(now); n++ {
		s.awaken(s.dozing[0])
		s.mu.Unlock()
		s.mu.Lock()
	}
}

// rouseAfter awakens those that have dealt with times behind one. The caller holds the lock.
func (s *Service) rouseAfter(now time.Time) {
	for _, z := range s.asleep {
		if timeOf(z.last).After(now) {
			s.awaken(z)
		}
	}
}

// timesOf returns the schedule of a workflow that is asleep, and leaves it so; nil if that
// cannot be told.
func (s *Service) timesOf(workflowID string) *node.Times {
	k, err := s.Store.Activation(s.life, workflowID)
	if err != nil {
		return nil
	}
	triggers, _ := s.triggersOf(k)
	for _, t := range triggers {
		if times, ok := t.Source.(node.Times); ok {
			return &times
		}
	}
	return nil
}

// active returns what is known of the workflow without the store.
func (z *sleeper) active() *active {
	a := &active{Activation: store.Activation{
		Revision: int(z.revision), Since: timeOf(z.since), Concurrency: int(z.concurrency), OnInterrupted: run.Resume,
		Definition: &workflow.Definition{ID: z.id},
	}}
	if z.leave {
		a.OnInterrupted = run.Leave
	}
	a.triggers = []*armed{{of: a, node: z.kind.node, typ: z.kind.typ, next: timeOf(z.next), place: -1}}
	return a
}
