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
	// defaultMaxLoaded is the default of Config.MaxLoaded.
	defaultMaxLoaded = 2048
	// minIdle is the shortest time until a firing for which unloading pays.
	minIdle = time.Minute
	// maxReloads bounds the workflows that one step reloads.
	maxReloads = 256
)

// unloadedWorkflow is an active workflow with a single idle schedule. Everything else is in the
// store until it fires. Times are in nanoseconds since 1970; 0 means none.
type unloadedWorkflow struct {
	id                     string
	kind                   *triggerKind
	due, next, last, since int64
	revision, concurrency  int32
	heapIndex              int32
	leaveInterrupted       bool // do not resume interrupted runs
}

// triggerKind is shared by schedules with the same node id and type.
type triggerKind struct{ node, typ string }

func (z *unloadedWorkflow) when() time.Time { return time.Unix(0, z.due) }

func (z *unloadedWorkflow) setHeapIndex(place int) { z.heapIndex = int32(place) }

// nanos converts a time for an unloadedWorkflow.
func nanos(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixNano()
}

// timeOf converts it back.
func timeOf(nanos int64) (t time.Time) {
	if nanos != 0 {
		t = time.Unix(0, nanos).UTC()
	}
	return t
}

// unloadIfIdle unloads a workflow if many are loaded and it is idle. The caller holds mu.
func (s *Service) unloadIfIdle(a *active) {
	if len(s.active) <= s.MaxLoaded || s.active[a.Definition.ID] != a || !s.isIdle(a) {
		return
	}
	t := a.triggers[0]
	k := triggerKind{t.node, t.typ}
	if s.kinds[k] == nil {
		s.kinds[k] = &k
	}
	z := &unloadedWorkflow{
		id: a.Definition.ID, kind: s.kinds[k], due: nanos(t.due), next: nanos(t.next), last: nanos(t.memory.Last), since: nanos(a.Since),
		revision: int32(a.Revision), concurrency: int32(a.Concurrency), leaveInterrupted: a.OnInterrupted == run.Leave, heapIndex: -1,
	}
	s.disarm(z.id)
	s.unloaded[z.id] = z
	if z.due != 0 {
		heap.Push(&s.unloadedDue, z)
	}
}

// isIdle reports whether the store has all state of a workflow, and the workflow has only a
// schedule that does not fire soon.
func (s *Service) isIdle(a *active) bool {
	if len(a.triggers) != 1 || len(a.queue) > 0 || a.running > 0 || a.Revision > math.MaxInt32 || a.Concurrency > math.MaxInt32 {
		return false
	}
	t := a.triggers[0]
	waits := t.heapIndex >= 0 || t.next.IsZero() // otherwise a step is handling its time
	return t.times != nil && waits && !s.dirty[t] && len(t.memory.Running) == 0 && fitsNanos(a.Since) && fitsNanos(t.memory.Last) &&
		(t.next.IsZero() || fitsNanos(t.due) && t.due.Sub(s.lastNow) > minIdle)
}

// fitsNanos reports whether int64 nanoseconds can hold a time.
func fitsNanos(t time.Time) bool { return t.Year() > 1970 && t.Year() < 2262 }

// loaded returns an active workflow and reloads it if needed; nil if it is not active. The caller
// holds mu.
func (s *Service) loaded(workflowID string) *active {
	if z := s.unloaded[workflowID]; z != nil {
		s.reload(z)
	}
	return s.active[workflowID]
}

// reload loads an unloaded workflow and keeps its planned time. If the store fails, the workflow
// stays unloaded, and reload is tried again later. The caller holds mu.
func (s *Service) reload(z *unloadedWorkflow) {
	k, err := s.Store.Activation(s.life, z.id)
	if err != nil {
		if s.life.Err() == nil {
			s.Log.Error("an active workflow cannot be read; retrying", "workflow", z.id, "error", err)
		}
		if z.heapIndex >= 0 {
			z.due = s.Now().Add(retryAfter).UnixNano()
			heap.Fix(&s.unloadedDue, int(z.heapIndex))
		}
		return
	}
	due := timeOf(z.due)
	triggers, problem := s.triggersOf(k)
	a := s.arm(k, triggers, problem)
	for _, t := range a.triggers {
		if t.heapIndex >= 0 && !due.IsZero() {
			t.due = due
			heap.Fix(&s.due, t.heapIndex)
		}
	}
}

// reloadDue reloads workflows whose time has come, a bounded number per call. The caller holds
// mu; it is unlocked in between, so that others are not blocked.
func (s *Service) reloadDue(now time.Time) {
	for n := 0; n < maxReloads && len(s.unloadedDue) > 0 && !s.unloadedDue[0].when().After(now); n++ {
		s.reload(s.unloadedDue[0])
		s.mu.Unlock()
		s.mu.Lock()
	}
}

// reloadAfter reloads workflows that have handled times after now. The caller holds mu.
func (s *Service) reloadAfter(now time.Time) {
	for _, z := range s.unloaded {
		if timeOf(z.last).After(now) {
			s.reload(z)
		}
	}
}

// timesOf returns the schedule of an unloaded workflow without reloading it; nil if the store
// fails.
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

// active returns the workflow as far as it is known without the store.
func (z *unloadedWorkflow) active() *active {
	a := &active{Activation: store.Activation{
		Revision: int(z.revision), Since: timeOf(z.since), Concurrency: int(z.concurrency), OnInterrupted: run.Resume,
		Definition: &workflow.Definition{ID: z.id},
	}}
	if z.leaveInterrupted {
		a.OnInterrupted = run.Leave
	}
	a.triggers = []*armed{{of: a, node: z.kind.node, typ: z.kind.typ, next: timeOf(z.next), heapIndex: -1}}
	return a
}
