package runs

import (
	"context"
	"iter"
	"sync"
	"time"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/ui/job"
)

// Follower is what following a run needs of the host.
type Follower interface {
	Events(ctx context.Context, runID string, after int) iter.Seq2[engine.Event, error]
	Cancel(ctx context.Context, runID string) error
}

// feed has the callbacks for a run, always called on the window's goroutine.
type feed struct {
	// started is called with the id of the run.
	started func(runID string)
	// events is called with the events since the last call, in order: at most rate times a
	// second, however fast the run is.
	events func([]engine.Event)
	// ended is the last call: the run has ended or, with an error, could not be started or
	// followed any longer.
	ended func(error)
}

// rate is the maximum number of calls per second to a feed.
const rate = 15

// maxWaiting bounds the queue of events; when it is full, the stream of the run waits. The
// run itself does not.
const maxWaiting = 10_000

// following is a run that is being followed. See [follow]. Its methods belong to the window's
// goroutine.
type following struct {
	at   Follower
	feed feed
	last int         // the number of the last known event
	jobs *job.Runner // its own

	mu       sync.Mutex
	id       string // empty until the run has started
	unwanted bool   // cancelled before it started
	events   []engine.Event
	room     *sync.Cond
}

// follow starts a run by start, which returns its id, or follows a run in progress, and
// passes the events after number last to the feed.
func follow(jobs *job.Runner, at Follower, last int, f feed, start func(context.Context) (runID string, err error)) *following {
	r := &following{at: at, feed: f, last: last, jobs: jobs.Child()}
	r.room = sync.NewCond(&r.mu)
	r.jobs.Follow(func(ctx context.Context, tell func(func())) {
		ctx, cancel := context.WithCancel(ctx)
		stop := context.AfterFunc(ctx, func() { // so that nobody waits for room for ever
			r.mu.Lock()
			defer r.mu.Unlock()
			r.room.Broadcast()
		})
		defer stop()
		var ticking sync.WaitGroup
		ticking.Go(func() { r.tick(ctx, tell) })
		err := r.run(ctx, tell, start)
		cancel()
		ticking.Wait()
		tell(func() {
			r.deliver()
			f.ended(err)
		})
	})
	return r
}

// cancel requests that the run be cancelled, and returns whether the request could be made.
// The feed gets the end later.
func (r *following) cancel(ctx context.Context) error {
	r.mu.Lock()
	id := r.id
	r.unwanted = true
	r.mu.Unlock()
	if id == "" {
		return nil // once it has started
	}
	return r.at.Cancel(ctx, id)
}

// close stops following. The run itself continues.
func (r *following) close() { r.jobs.Close() }

func (r *following) run(ctx context.Context, tell func(func()), start func(context.Context) (string, error)) error {
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
	tell(func() { r.feed.started(id) })
	for e, err := range r.at.Events(ctx, id, r.last) {
		if err != nil {
			return err
		}
		r.put(ctx, e)
	}
	return ctx.Err()
}

// put queues an event for the window.
func (r *following) put(ctx context.Context, e engine.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for len(r.events) >= maxWaiting && ctx.Err() == nil {
		r.room.Wait()
	}
	r.events = append(r.events, e)
}

// tick passes on the queued events.
func (r *following) tick(ctx context.Context, tell func(func())) {
	ticker := time.NewTicker(time.Second / rate)
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
			tell(r.deliver)
		}
	}
}

func (r *following) deliver() {
	r.mu.Lock()
	events := r.events
	r.events = nil
	r.room.Broadcast()
	r.mu.Unlock()
	if len(events) > 0 {
		r.feed.events(events)
	}
}
