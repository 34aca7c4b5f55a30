package trigger

import (
	"container/heap"
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/store"
)

// ErrFull says that a run cannot be started for now, as there is no place for it.
var ErrFull = errors.New("there is no place for another run")

// Host starts the runs of triggers.
type Host interface {
	// Compile makes the plan of a workflow.
	Compile(ctx context.Context, def *workflow.Definition) (*engine.Plan, error)
	// Start starts a run that begins with a firing, and returns its id; with a key that
	// has started one already, the id of that. An error that is [ErrFull] passes by itself.
	Start(ctx context.Context, def *workflow.Definition, f *engine.Firing, key string) (runID string, err error)
	// Await waits for the end of a run, and reports whether a crash or a stop of the service
	// has interrupted it.
	Await(ctx context.Context, runID string) (interrupted bool, err error)
	// Resume starts a run that goes on with another, and returns its id; if there is one
	// already, the id of that.
	Resume(ctx context.Context, runID string) (newRunID string, err error)
}

// Config is what a [Service] is made of.
type Config struct {
	Host  Host
	Store store.ActivationStore
	// Places is how many runs of triggers may go on at once.
	Places int
	// Now tells the time of the clock on the wall; nil means that of the machine.
	Now func() time.Time
	// Random draws by how much firings are put off; nil means by chance.
	Random func(most time.Duration) time.Duration
	// Log takes what operators should know; nil discards it.
	Log *slog.Logger
	// Ready, if set, is closed when runs can be started.
	Ready <-chan struct{}
}

// Service lets the triggers of active workflows fire. Make one with [New], and close it.
type Service struct {
	Config

	life    context.Context
	end     context.CancelFunc
	inside  sync.WaitGroup
	wake    chan struct{}
	settled chan struct{} // closed when it is known who lets triggers fire

	mu      sync.Mutex
	mine    bool // this process lets triggers fire
	active  map[string]*active
	waits   map[string]*active // those of them at whose triggers firings wait
	due     dues
	changed map[*armed]bool // triggers whose memory is not on the disk yet
	running int             // runs that triggers have started
	blocked bool            // a firing found no place
	turn    int             // of dispatching among workflows
	seen    time.Time       // when the clock was last looked at
}

// How often the clock and the lock of another process are looked at, and how soon a place
// is asked for again.
const (
	lookAtClock = 30 * time.Second
	lookAtLock  = 2 * time.Second
	askAgain    = time.Second
)

// New starts a service. What it does begins when c.Ready is closed and no other process
// lets the triggers of the store fire.
func New(c Config) *Service {
	if c.Now == nil {
		c.Now = func() time.Time { return time.Now().Round(0) } // as the wall has it, not the time since the start
	}
	if c.Random == nil {
		c.Random = func(most time.Duration) time.Duration { return rand.N(most + 1) }
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	s := &Service{Config: c, wake: make(chan struct{}, 1), settled: make(chan struct{}), active: map[string]*active{}, waits: map[string]*active{}, changed: map[*armed]bool{}}
	s.life, s.end = context.WithCancel(context.Background())
	s.inside.Go(s.work)
	return s
}

// Close ends the service. Runs that go on are left alone, and what waits is kept.
func (s *Service) Close() {
	s.end()
	s.inside.Wait()
}

// work takes hold of the store and lets triggers fire until the end.
func (s *Service) work() {
	if s.Ready != nil {
		select {
		case <-s.Ready:
		case <-s.life.Done():
			return
		}
	}
	release := s.arm()
	if release == nil {
		return
	}
	defer release()
	s.load()
	s.settle()
	defer s.last()
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

// last puts on the disk what has changed since the last step.
func (s *Service) last() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.flush()
}

// settle lets those go on who wait for it to be known who lets triggers fire.
func (s *Service) settle() {
	select {
	case <-s.settled:
	default:
		close(s.settled)
	}
}

// arm waits until no other process lets triggers fire; nil if the service ends before.
func (s *Service) arm() (release func()) {
	told := false
	for {
		release, err := s.Store.Arm(s.life)
		if err == nil {
			return release
		}
		if s.life.Err() != nil {
			return nil
		}
		if !told {
			s.Log.Warn("triggers do not fire here for now", "error", err)
			told = true
			s.settle()
		}
		select {
		case <-time.After(lookAtLock):
		case <-s.life.Done():
			return nil
		}
	}
}

// step deals with all that is due, and returns how long there is nothing to do.
func (s *Service) step() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.Now()
	s.setBack(now)
	for len(s.due) > 0 && !s.due[0].due.After(now) {
		s.comesDue(s.due[0], now)
	}
	s.blocked = true // until what is due is on the disk
	if s.flush() {
		s.dispatch(now)
		s.flush()
	}
	wait := lookAtClock
	if s.blocked || len(s.changed) > 0 {
		wait = askAgain
	}
	if len(s.due) > 0 {
		wait = min(wait, s.due[0].due.Sub(now))
	}
	return max(wait, 0)
}

// backwards is from how much on a clock was set back; what is less is a correction, in which
// times that were dealt with do not come again.
const backwards = time.Minute

// setBack lets times come again to which the clock was set back: who waited for it to catch
// up would wait for hours.
func (s *Service) setBack(now time.Time) {
	if now.Before(s.seen.Add(-backwards)) {
		s.Log.Warn("the clock was set back", "from", s.seen, "to", now)
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
	s.seen = now
}

// nudge makes the service look at what there is to do.
func (s *Service) nudge() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// plan puts a trigger to the place of its next time among those that are due.
func (s *Service) plan(t *armed) {
	if t.place >= 0 {
		heap.Remove(&s.due, t.place)
	}
	t.next, t.due = time.Time{}, time.Time{}
	if t.times == nil {
		return
	}
	if t.next = t.times.Next(t.memory.Last); t.next.IsZero() {
		return
	}
	t.due = t.next
	if t.times.Jitter > 0 {
		t.due = t.next.Add(s.Random(t.times.Jitter))
	}
	heap.Push(&s.due, t)
}

// dues are triggers, the one that is due first at the top.
type dues []*armed

// Len implements heap.Interface.
func (d dues) Len() int { return len(d) }

// Less implements heap.Interface.
func (d dues) Less(i, j int) bool { return d[i].due.Before(d[j].due) }

// Swap implements heap.Interface.
func (d dues) Swap(i, j int) {
	d[i], d[j] = d[j], d[i]
	d[i].place, d[j].place = i, j
}

// Push implements heap.Interface.
func (d *dues) Push(x any) {
	t := x.(*armed)
	t.place = len(*d)
	*d = append(*d, t)
}

// Pop implements heap.Interface.
func (d *dues) Pop() any {
	last := len(*d) - 1
	t := (*d)[last]
	(*d)[last], *d = nil, (*d)[:last]
	t.place = -1
	return t
}
