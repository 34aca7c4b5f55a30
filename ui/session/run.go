package session

import (
	"context"
	"iter"
	"sync"
	"time"

	"github.com/svcflow/svc/engine"
)

// Runner is what a run needs of the place it runs at.
type Runner interface {
	Events(ctx context.Context, runID string, after int) iter.Seq2[engine.Event, error]
	Cancel(ctx context.Context, runID string) error
}

// Feed is who is told of a run, always on the view's goroutine.
type Feed struct {
	Post Post
	// Started is told the id of the run.
	Started func(runID string)
	// Events gets what has happened since the last call, in order: at most
	// [Rate] times a second, however fast the run is.
	Events func([]engine.Event)
	// Ended is the last call: the run has ended, or, with an error, it could not be
	// started or followed any longer.
	Ended func(error)
}

// Rate is how many times a second a feed is told of events, at most.
const Rate = 15

// maxWaiting bounds the events that wait for the view; then the run's stream waits
// too. The run itself does not.
const maxWaiting = 10_000

// Run is a run that is followed. Make one with [Follow]. Its methods belong to the
// view's goroutine.
type Run struct {
	at      Runner
	feed    Feed
	cancel  context.CancelFunc
	running sync.WaitGroup

	mu       sync.Mutex
	id       string // empty until it has started
	unwanted bool   // cancelled before that
	events   []engine.Event
	room     *sync.Cond
}

// Follow starts a run by start, which returns its id, or takes up one that goes on,
// and tells feed of it.
func Follow(at Runner, feed Feed, start func(context.Context) (runID string, err error)) *Run {
	ctx, cancel := context.WithCancel(context.Background())
	r := &Run{at: at, feed: feed, cancel: cancel}
	r.room = sync.NewCond(&r.mu)
	r.running.Go(func() {
		err := r.follow(ctx, start)
		cancel() // ends the ticker
		feed.Post(func() {
			r.deliver()
			feed.Ended(err)
		})
	})
	return r
}

// Cancel asks for the run to be cancelled, and says whether that could be asked. The
// feed is told when it has ended.
func (r *Run) Cancel(ctx context.Context) error {
	r.mu.Lock()
	id := r.id
	r.unwanted = true
	r.mu.Unlock()
	if id == "" {
		return nil // once it has started
	}
	return r.at.Cancel(ctx, id)
}

// Close stops following. The run goes on.
func (r *Run) Close() {
	r.cancel()
	r.mu.Lock()
	r.room.Broadcast()
	r.mu.Unlock()
}

// Wait returns when no goroutine of r is left. It must not be called by what the feed
// calls.
func (r *Run) Wait() { r.running.Wait() }

func (r *Run) follow(ctx context.Context, start func(context.Context) (string, error)) error {
	id, err := start(ctx)
	if err != nil {
		return err
	}
	r.mu.Lock()
	r.id = id
	unwanted := r.unwanted
	r.mu.Unlock()
	if unwanted {
		if err := r.at.Cancel(ctx, id); err != nil {
			return err
		}
	}
	r.feed.Post(func() { r.feed.Started(id) })
	r.running.Go(func() { r.tick(ctx) })
	for e, err := range r.at.Events(ctx, id, 0) {
		if err != nil {
			return err
		}
		r.put(ctx, e)
	}
	return ctx.Err()
}

// put lets an event wait for the view.
func (r *Run) put(ctx context.Context, e engine.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for len(r.events) >= maxWaiting && ctx.Err() == nil {
		r.room.Wait()
	}
	r.events = append(r.events, e)
}

// tick hands on what waits.
func (r *Run) tick(ctx context.Context) {
	ticker := time.NewTicker(time.Second / Rate)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		r.mu.Lock()
		waiting := len(r.events) > 0
		r.mu.Unlock()
		if waiting {
			r.feed.Post(r.deliver)
		}
	}
}

func (r *Run) deliver() {
	r.mu.Lock()
	events := r.events
	r.events = nil
	r.room.Broadcast()
	r.mu.Unlock()
	if len(events) > 0 {
		r.feed.Events(events)
	}
}
