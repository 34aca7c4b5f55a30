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

// ErrFull says that a run cannot be started for now, as there is no place for it.
var ErrFull = errors.New("there is no place for another run")

// ErrGone says that a run does not wait any more.
var ErrGone = errors.New("the run does not wait for a place any more")

// Host keeps and starts the runs of triggers.
type Host interface {
	// Compile makes the plan of a workflow.
	Compile(ctx context.Context, def *workflow.Definition) (*engine.Plan, error)
	// Wait puts runs down that begin with firings, and wait. Once it returns they are on the
	// disk, in one go. With a key that has made a run already, that is the one. With an error
	// it returns those that it could put down.
	Wait(ctx context.Context, firings []Firing) ([]Waiting, error)
	// Made returns the run that a key has made; "" if there is none.
	Made(ctx context.Context, key string) (runID string, err error)
	// Waiting returns the runs that wait, in the order in which they came, and Interrupted
	// those that a crash of an earlier process interrupted. These end once it is remembered
	// that they are to go on, which Remembered tells.
	Waiting(ctx context.Context) ([]Waiting, error)
	Interrupted() []Interrupted
	Remembered()
	// Begin lets a run begin that waits, in the epoch of who lets triggers fire (see
	// [store.Arming]). An error that is [ErrFull] passes by itself; one that does not wait any
	// more is [ErrGone]. A run that cannot begin ends as failed.
	Begin(ctx context.Context, runID string, armed int64) error
	// Drop ends a run that waits as cancelled.
	Drop(ctx context.Context, runID string) error
	// Await waits for the end of a run, and reports whether a crash or a stop of the service
	// has interrupted it.
	Await(ctx context.Context, runID string) (interrupted bool, err error)
	// Resume starts a run that goes on with another, and returns its id; if there is one
	// already, the id of that.
	Resume(ctx context.Context, runID string) (newRunID string, err error)
	// Chain returns how many runs led to one, each by the end of the one before.
	Chain(ctx context.Context, runID string) int
}

// Interrupted is a run that a crash has interrupted.
type Interrupted struct {
	RunID, WorkflowID, Node string
	Resumed                 int // how often it was resumed before
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
	// Awake is how many active workflows are at hand whatever they do; of more, those with a
	// schedule alone take little memory until they fire. 0 means 2,048.
	Awake int
	// Around, if set, makes the context of sources, with what they may ask for.
	Around func(ctx context.Context) context.Context
	// Ready, if set, returns when runs can be started, or ctx ends.
	Ready func(ctx context.Context)
}

// Service lets the triggers of active workflows fire. Make one with [New], and close it.
type Service struct {
	Config

	others *others // nil if no other process changes what is active, or puts runs down

	life    context.Context
	end     context.CancelFunc
	inside  sync.WaitGroup
	wake    chan struct{}
	settled chan struct{} // closed when it is known who lets triggers fire

	looking *semaphore.Weighted // places for sources that look

	turning  sync.Mutex // held by a step, and while what is active changes
	flushing sync.Mutex // held while memories go to the disk; before mu

	hooks atomic.Pointer[hookTable] // nil if it has to be made anew

	mu       sync.Mutex
	mine     bool // this process lets triggers fire
	active   map[string]*active
	waits    map[string]*active // those of them at which runs wait
	inbox    inbox
	due      dues[*armed]
	asleep   map[string]*sleeper        // the other active workflows, by their id
	dozing   dues[*sleeper]             // those of them that ever fire again
	kinds    map[kind]*kind             // of their triggers
	attended map[attended]chan struct{} // closed when nobody waits for the source of a trigger any more
	unbegun  map[string]bool            // runs that wait, while those that are active are loaded
	changed  map[*armed]bool            // triggers whose memory is not on the disk yet
	urgent   bool                       // that must be there soon
	flushed  time.Time                  // when it was there last
	counts   map[string]*Counts         // by type of trigger
	running  int                        // runs that triggers have started
	blocked  bool                       // a firing found no place
	turn     int                        // of dispatching among workflows
	seen     time.Time                  // when the clock was last looked at
}

// How often the clock and the lock of another process are looked at, how soon a place is
// asked for again, and how often that is put on the disk which can be found out again.
const (
	lookAtClock = 30 * time.Second
	lookAtLock  = 2 * time.Second
	askAgain    = time.Second
	flushEvery  = time.Second
)

// looksAtOnce is how many sources look at once.
const looksAtOnce = 16

// New starts a service. What it does begins when c.Ready has returned and no other process
// lets the triggers of the store fire.
func New(c Config) *Service {
	s := newService(c)
	s.inside.Go(s.work)
	return s
}

// newService returns a service that does nothing yet.
func newService(c Config) *Service {
	if c.Now == nil {
		c.Now = func() time.Time { return time.Now().Round(0) } // as the wall has it, not the time since the start
	}
	if c.Random == nil {
		c.Random = func(most time.Duration) time.Duration { return rand.N(most + 1) }
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	s := &Service{
		Config: c, wake: make(chan struct{}, 1), settled: make(chan struct{}), active: map[string]*active{},
		waits: map[string]*active{}, changed: map[*armed]bool{}, counts: map[string]*Counts{},
	}
	s.attended, s.looking = map[attended]chan struct{}{}, semaphore.NewWeighted(looksAtOnce)
	s.inbox.of = map[string]*active{}
	s.asleep, s.kinds, s.Awake = map[string]*sleeper{}, map[kind]*kind{}, cmp.Or(s.Awake, mostAwake)
	s.life, s.end = context.WithCancel(context.Background())
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
		s.Ready(s.life)
	}
	arming, armed := s.arm()
	if !armed {
		return
	}
	defer arming.Release()
	s.rule()
}

// rule lets triggers fire until the end.
func (s *Service) rule() {
	s.load()
	if s.flush() {
		s.Host.Remembered()
	}
	s.settle()
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

// settle lets those go on who wait for it to be known who lets triggers fire.
func (s *Service) settle() {
	select {
	case <-s.settled:
	default:
		close(s.settled)
	}
}

// arm waits until no other process lets triggers fire; armed is false if the service ends
// before.
func (s *Service) arm() (arming store.Arming, armed bool) {
	told := false
	for {
		arming, err := s.Store.Arm(s.life)
		if err == nil {
			return arming, true
		}
		if s.life.Err() != nil {
			return store.Arming{}, false
		}
		if !told {
			s.Log.Warn("triggers do not fire here for now", "error", err)
			told = true
			s.Host.Remembered() // another process goes on with what is its own
			s.settle()
		}
		select {
		case <-time.After(lookAtLock):
		case <-s.life.Done():
			return store.Arming{}, false
		}
	}
}

// step deals with all that is due, and returns how long there is nothing to do.
func (s *Service) step() time.Duration {
	s.turning.Lock()
	defer s.turning.Unlock()
	now := s.Now()
	s.keepUp(now)
	s.mu.Lock()
	s.setBack(now)
	var due []*armed
	s.rouse(now)
	for len(s.due) > 0 && !s.due[0].due.After(now) {
		due = append(due, heap.Pop(&s.due).(*armed))
	}
	s.mu.Unlock()
	_ = s.comeDue(due, now) // it has said so
	s.dispatch()
	s.mu.Lock()
	flush := s.urgent || len(s.changed) > 0 && now.Sub(s.flushed) >= flushEvery
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
	wait := lookAtClock
	if s.others != nil {
		wait = lookAtOthers
	}
	if s.blocked || len(s.changed) > 0 {
		wait = min(wait, askAgain)
	}
	if len(s.due) > 0 {
		wait = min(wait, s.due[0].due.Sub(now))
	}
	if len(s.dozing) > 0 {
		wait = min(wait, s.dozing[0].when().Sub(now))
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
		s.rouseAfter(now)
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
