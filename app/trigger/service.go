package trigger

import (
	"cmp"
	"container/heap"
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/store"
)

// ErrNoSlot means that a run cannot start now because all run slots are taken. Retry later.
var ErrNoSlot = errors.New("all run slots for triggers are taken")

// ErrNotWaiting means that a run is not in the queue any more.
var ErrNotWaiting = errors.New("the run does not wait for a place any more")

// Host keeps and starts the runs of triggers. It is safe for concurrent use.
type Host interface {
	// Compile compiles a workflow.
	Compile(ctx context.Context, def *workflow.Definition) (*engine.Plan, error)
	// Wait enqueues a run for each firing. When it returns, the runs are on disk; they share
	// writes. A key that has started a run returns that run, as Known. Beside an error it returns
	// the runs that it could enqueue.
	Wait(ctx context.Context, firings []Firing) ([]Waiting, error)
	// RunByKey returns the id of the run that a key has started, or "".
	RunByKey(ctx context.Context, key string) (runID string, err error)
	// Waiting returns the queued runs, oldest first. Interrupted returns the runs that a crash of
	// an earlier process interrupted. The host keeps these unfinished until Remembered is called:
	// by then their resume is on disk.
	Waiting(ctx context.Context) ([]Waiting, error)
	Interrupted() []Interrupted
	Remembered()
	// Begin starts a queued run. armed is the epoch of the leader (see [store.Arming]). The error
	// wraps [ErrNoSlot] if a retry can succeed, and [ErrNotWaiting] if the run has left the
	// queue. A run that cannot begin ends as failed, without an error.
	Begin(ctx context.Context, runID string, armed int64) error
	// Drop cancels a queued run.
	Drop(ctx context.Context, runID string) error
	// Await waits for the end of a run, and reports whether a crash or a stop of the service
	// interrupted it.
	Await(ctx context.Context, runID string) (interrupted bool, err error)
	// Resume starts a run that resumes another, and returns its id. If such a run exists already,
	// Resume returns that.
	Resume(ctx context.Context, runID string) (newRunID string, err error)
	// Chain returns how many runs led to a run, each through the end of the one before.
	Chain(ctx context.Context, runID string) int
}

// Interrupted is a run that a crash interrupted.
type Interrupted struct {
	RunID, WorkflowID, Node string
	Resumed                 int // how often it was resumed before
}

// Config configures a [Service].
type Config struct {
	Host  Host
	Store store.ActivationStore
	// Slots is the number of run slots for triggers.
	Slots int
	// Now returns the wall clock time; nil means time.Now.
	Now func() time.Time
	// Random returns a jitter of up to most; nil means a random one.
	Random func(most time.Duration) time.Duration
	// Log receives messages for operators; nil discards them.
	Log *slog.Logger
	// MaxLoaded is how many active workflows stay in memory. Beyond it, idle workflows with a
	// single schedule are unloaded until they fire. 0 means 2,048.
	MaxLoaded int
	// Around, if set, adds to the context of sources what they may use, such as credentials.
	Around func(ctx context.Context) context.Context
	// Ready, if set, returns when runs can be started, or when ctx ends.
	Ready func(ctx context.Context)
}

// Service fires the triggers of active workflows in one process. Make one with [New], and close
// it. It is safe for concurrent use.
type Service struct {
	Config

	peers *peers // nil in a process that shares nothing with others

	life       context.Context
	end        context.CancelFunc
	goroutines sync.WaitGroup
	wake       chan struct{}
	ready      chan struct{} // closed once it is known whether this process leads

	pollSlots *semaphore.Weighted // limits concurrent polls

	stepMu  sync.Mutex // held during a step and during activations
	flushMu sync.Mutex // held while memories are written; lock before mu

	hooks atomic.Pointer[hookTable] // nil if it has to be rebuilt

	mu          sync.Mutex
	leader      bool // this process fires triggers
	active      map[string]*active
	withQueue   map[string]*active // those of them with queued runs
	inbox       inbox
	due         dueHeap[*armed]
	unloaded    map[string]*unloadedWorkflow // active workflows that are not in memory, by id
	unloadedDue dueHeap[*unloadedWorkflow]   // those of them that will fire again
	kinds       map[triggerKind]*triggerKind // shared by their triggers
	sources     map[sourceKey]chan struct{}  // closed when the goroutine of the source has ended
	stillQueued map[string]bool              // queued runs; only during load
	dirty       map[*armed]bool              // triggers with unsaved memory
	flushSoon   bool                         // some of it must be saved in this step
	flushed     time.Time                    // last save
	counts      map[string]*Counts           // by type of trigger
	running     int                          // runs of triggers in progress
	noSlot      bool                         // a run found no slot
	nextTurn    int                          // round robin over workflows in dispatch
	lastNow     time.Time                    // clock at the last step
}

// Intervals of the service: the longest pause between two steps, between attempts to become
// leader, before a retry, and between saves of what a crash may lose.
const (
	clockEvery      = 30 * time.Second
	retryLeadership = 2 * time.Second
	retryAfter      = time.Second
	flushEvery      = time.Second
)

// maxPolls is how many sources poll concurrently.
const maxPolls = 16

// New starts a service. It begins to fire triggers once c.Ready has returned and no other process
// fires those of the store.
func New(c Config) *Service {
	s := newService(c)
	s.goroutines.Go(s.work)
	return s
}

// newService returns a service without its goroutine.
func newService(c Config) *Service {
	if c.Now == nil {
		c.Now = func() time.Time { return time.Now().Round(0) } // drops the monotonic reading, so that a changed clock shows
	}
	if c.Random == nil {
		c.Random = func(most time.Duration) time.Duration { return rand.N(most + 1) }
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	s := &Service{
		Config: c, wake: make(chan struct{}, 1), ready: make(chan struct{}), active: map[string]*active{},
		withQueue: map[string]*active{}, dirty: map[*armed]bool{}, counts: map[string]*Counts{},
	}
	s.sources, s.pollSlots = map[sourceKey]chan struct{}{}, semaphore.NewWeighted(maxPolls)
	s.inbox.of = map[string]*active{}
	s.unloaded, s.kinds, s.MaxLoaded = map[string]*unloadedWorkflow{}, map[triggerKind]*triggerKind{}, cmp.Or(s.MaxLoaded, defaultMaxLoaded)
	s.life, s.end = context.WithCancel(context.Background())
	return s
}

// Close stops the service. Runs in progress continue, and queued runs stay queued.
func (s *Service) Close() {
	s.end()
	s.goroutines.Wait()
}

// work becomes leader and fires triggers until Close.
func (s *Service) work() {
	if s.Ready != nil {
		s.Ready(s.life)
	}
	arming, armed := s.becomeLeader()
	if !armed {
		return
	}
	defer arming.Release()
	s.runAsLeader()
}

// runAsLeader fires triggers until Close.
func (s *Service) runAsLeader() {
	s.load()
	if s.flush() {
		s.Host.Remembered()
	}
	s.markReady()
	defer s.flush()
	for {
		wait := s.step()
		select {
		case <-time.After(wait):
		case <-s.wake:
		case <-s.life.Done():
			return
		}
	}
}

// markReady unblocks waitReady.
func (s *Service) markReady() {
	select {
	case <-s.ready:
	default:
		close(s.ready)
	}
}

// becomeLeader waits until no other process fires the triggers of the store. armed is false if
// the service is closed first.
func (s *Service) becomeLeader() (arming store.Arming, armed bool) {
	logged := false
	for {
		arming, err := s.Store.Arm(s.life)
		if err == nil {
			return arming, true
		}
		if s.life.Err() != nil {
			return store.Arming{}, false
		}
		if !logged {
			s.Log.Warn("another process fires the triggers; this one waits", "error", err)
			logged = true
			s.Host.Remembered() // the leader resumes interrupted runs
			s.markReady()
		}
		select {
		case <-time.After(retryLeadership):
		case <-s.life.Done():
			return store.Arming{}, false
		}
	}
}

// step handles everything that is due, and returns how long to pause until the next step.
func (s *Service) step() time.Duration {
	s.stepMu.Lock()
	defer s.stepMu.Unlock()
	now := s.Now()
	s.pollPeers(now)
	s.mu.Lock()
	s.handleSetBack(now)
	var due []*armed
	s.reloadDue(now)
	for len(s.due) > 0 && !s.due[0].due.After(now) {
		due = append(due, heap.Pop(&s.due).(*armed))
	}
	s.mu.Unlock()
	_ = s.fireDue(due, now) // it has logged the error
	s.dispatch()
	s.mu.Lock()
	flush := s.flushSoon || len(s.dirty) > 0 && now.Sub(s.flushed) >= flushEvery
	s.mu.Unlock()
	if flush && s.flush() {
		s.Host.Remembered()
	}
	return s.idle(now)
}

// idle returns how long there is nothing to do.
func (s *Service) idle(now time.Time) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	wait := clockEvery
	if s.peers != nil {
		wait = peersEvery
	}
	if s.noSlot || len(s.dirty) > 0 {
		wait = min(wait, retryAfter)
	}
	if len(s.due) > 0 {
		wait = min(wait, s.due[0].due.Sub(now))
	}
	if len(s.unloadedDue) > 0 {
		wait = min(wait, s.unloadedDue[0].when().Sub(now))
	}
	return max(wait, 0)
}

// minSetBack is the smallest change that counts as a clock set back. Below it, times that were
// handled do not fire again.
const minSetBack = time.Minute

// handleSetBack plans triggers anew if the clock was set back, so that they do not pause until it
// has caught up.
func (s *Service) handleSetBack(now time.Time) {
	if now.Before(s.lastNow.Add(-minSetBack)) {
		s.Log.Warn("the clock was set back", "from", s.lastNow, "to", now)
		s.reloadAfter(now)
		for _, a := range s.active {
			for _, t := range a.triggers {
				if t.memory.Last.After(now) {
					m := t.memory.clone()
					m.Last, m.Turn = now, m.Turn+1
					s.remember(t, m)
				}
				s.plan(t)
			}
		}
	}
	s.lastNow = now
}

// wakeUp starts the next step now.
func (s *Service) wakeUp() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}
