package cluster

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"
)

// pollEvery is how often the state of watched runs or calls is read, in one query for all.
const pollEvery = 100 * time.Millisecond

// After pollSoon, the pause starts at firstPoll and grows by one part in growthPart, so that
// nobody waits much longer than a fraction of the run's duration. Each pause is at least
// pauseFactor times the last query, so that queries take a bounded part of the time.
const (
	firstPoll   = 5 * time.Millisecond
	growthPart  = 4
	pauseFactor = 5
)

// watch reports changes of the state of runs or calls to subscribers. Without subscribers it
// sends no queries. Make one with newWatch, and close it. It is safe for concurrent use.
type watch[T comparable] struct {
	poll        func(ctx context.Context, ids []string) ([]T, error)
	id          func(T) string
	log         *slog.Logger
	end         context.CancelFunc
	polling     sync.WaitGroup
	wanted      chan struct{} // signals the first subscriber
	hurry       chan struct{} // signals pollSoon
	deliverMu   sync.Mutex    // held while subscribers are called
	mu          sync.Mutex
	subscribers map[string][]*subscriber[T] // by run or call id
}

// subscriber wants the states of one id.
type subscriber[T comparable] struct {
	deliver func(T)
	last    T
}

func newWatch[T comparable](asks func(ctx context.Context, ids []string) ([]T, error), id func(T) string, log *slog.Logger) *watch[T] {
	ctx, end := context.WithCancel(context.Background())
	w := &watch[T]{poll: asks, id: id, log: log, end: end, wanted: make(chan struct{}, 1), hurry: make(chan struct{}, 1), subscribers: map[string][]*subscriber[T]{}}
	w.polling.Go(func() { w.work(ctx) })
	return w
}

// subscribe calls deliver with the state of an id, now and after each change, until stop. deliver
// must not block or publish. It may be called once more after stop; calls are not concurrent.
func (w *watch[T]) subscribe(id string, deliver func(T)) (stop func()) {
	l := &subscriber[T]{deliver: deliver}
	w.mu.Lock()
	w.subscribers[id] = append(w.subscribers[id], l)
	w.mu.Unlock()
	select {
	case w.wanted <- struct{}{}:
	default:
	}
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		left := slices.DeleteFunc(slices.Clone(w.subscribers[id]), func(other *subscriber[T]) bool { return other == l })
		if w.subscribers[id] = left; len(left) == 0 {
			delete(w.subscribers, id)
		}
	}
}

// pollSoon makes the next queries come faster, for a new subscriber: short runs should not spend
// most of their time waiting for a poll.
func (w *watch[T]) pollSoon() {
	select {
	case w.hurry <- struct{}{}:
	default:
	}
}

// close stops the watch.
func (w *watch[T]) close() {
	w.end()
	w.polling.Wait()
}

// work polls while there are subscribers.
func (w *watch[T]) work(ctx context.Context) {
	away, pause := false, pollEvery
	for ctx.Err() == nil {
		ids := w.ids()
		if len(ids) == 0 {
			select {
			case <-ctx.Done():
			case <-w.wanted:
			}
			continue
		}
		began := time.Now()
		states, err := w.poll(ctx, ids)
		if failed := err != nil && ctx.Err() == nil; failed != away {
			if away = failed; away {
				w.log.WarnContext(ctx, "cannot read the state of runs or calls; retrying", "error", err)
			}
		}
		for i := range states {
			w.publish(states[i])
		}
		pause = w.pause(ctx, pause, pauseFactor*time.Since(began))
	}
}

// pause waits until the next poll and returns how long that was without the minimum least:
// somewhat longer than last, from firstPoll after pollSoon up to pollEvery.
func (w *watch[T]) pause(ctx context.Context, last, least time.Duration) time.Duration {
	began, pause := time.Now(), min(max(last+last/growthPart, firstPoll), pollEvery)
	for {
		left := max(pause, min(least, pollEvery)) - time.Since(began)
		timer := time.NewTimer(left)
		select {
		case <-w.hurry:
			pause = firstPoll
			timer.Stop()
			continue
		case <-ctx.Done():
		case <-timer.C:
		}
		timer.Stop()
		return pause
	}
}

func (w *watch[T]) ids() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	ids := make([]string, 0, len(w.subscribers))
	for id := range w.subscribers {
		ids = append(ids, id)
	}
	return ids
}

// publish passes a state to the subscribers for which it is new. A process that changes a state
// itself publishes it without a poll.
func (w *watch[T]) publish(c T) {
	w.deliverMu.Lock()
	defer w.deliverMu.Unlock()
	w.mu.Lock()
	all := w.subscribers[w.id(c)]
	var news []*subscriber[T]
	for _, l := range all {
		if l.last != c {
			l.last = c
			news = append(news, l)
		}
	}
	w.mu.Unlock()
	for _, l := range news {
		l.deliver(c)
	}
}
