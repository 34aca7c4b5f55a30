package cluster

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"
)

// askEvery is how often a process asks how far the runs are that somebody follows or drives
// here, or the calls that somebody waits for. It asks about all of them at once.
const askEvery = 100 * time.Millisecond

// askSoon is how long it waits at first when somebody is in a hurry; then a part of that longer
// each time, so that nobody waits for much more than that part of what his run takes. It never
// spends more than a part of its time with asking: the pause is restTimes as long as that.
const (
	askSoon    = 5 * time.Millisecond
	longerPart = 4
	restTimes  = 5
)

// watch tells those who want to know how far things are: runs, or calls. As long as there is
// nobody, it asks nothing. Make one with newWatch, and close it.
type watch[T comparable] struct {
	asks    func(ctx context.Context, ids []string) ([]T, error)
	id      func(T) string
	log     *slog.Logger
	end     context.CancelFunc
	asking  sync.WaitGroup
	wanted  chan struct{} // there may be somebody
	hasty   chan struct{} // somebody is in a hurry
	telling sync.Mutex    // held while somebody is told
	mu      sync.Mutex
	lookers map[string][]*looker[T] // by id
}

// looker is somebody who wants to know of one.
type looker[T comparable] struct {
	tell func(T)
	last T
}

func newWatch[T comparable](asks func(ctx context.Context, ids []string) ([]T, error), id func(T) string, log *slog.Logger) *watch[T] {
	ctx, end := context.WithCancel(context.Background())
	w := &watch[T]{asks: asks, id: id, log: log, end: end, wanted: make(chan struct{}, 1), hasty: make(chan struct{}, 1), lookers: map[string][]*looker[T]{}}
	w.asking.Go(func() { w.ask(ctx) })
	return w
}

// look has tell called with how far the one of an id is, now and whenever that has changed,
// until stop. It must neither wait for anything nor tell, and may be called once more after stop.
// It is not called twice at once.
func (w *watch[T]) look(id string, tell func(T)) (stop func()) {
	l := &looker[T]{tell: tell}
	w.mu.Lock()
	w.lookers[id] = append(w.lookers[id], l)
	w.mu.Unlock()
	select {
	case w.wanted <- struct{}{}:
	default:
	}
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		left := slices.DeleteFunc(slices.Clone(w.lookers[id]), func(other *looker[T]) bool { return other == l })
		if w.lookers[id] = left; len(left) == 0 {
			delete(w.lookers, id)
		}
	}
}

// hurry has it asked more often for a moment, for somebody who has just begun to look: of what is
// short, waiting would be the longest part.
func (w *watch[T]) hurry() {
	select {
	case w.hasty <- struct{}{}:
	default:
	}
}

// close tells nobody anything any more.
func (w *watch[T]) close() {
	w.end()
	w.asking.Wait()
}

// ask asks as long as somebody wants to know.
func (w *watch[T]) ask(ctx context.Context) {
	away, pause := false, askEvery
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
		told, err := w.asks(ctx, ids)
		if failed := err != nil && ctx.Err() == nil; failed != away {
			if away = failed; away {
				w.log.WarnContext(ctx, "nobody can tell how far runs or calls are; it is asked again", "error", err)
			}
		}
		for i := range told {
			w.tell(told[i])
		}
		pause = w.rest(ctx, pause, restTimes*time.Since(began))
	}
}

// rest waits until it is time to ask again: somewhat longer than the last time, from askSoon after
// somebody was in a hurry up to askEvery. It returns that time, which is longer still if asking
// takes long.
func (w *watch[T]) rest(ctx context.Context, last, least time.Duration) time.Duration {
	began, pause := time.Now(), min(max(last+last/longerPart, askSoon), askEvery)
	for {
		left := max(pause, min(least, askEvery)) - time.Since(began)
		timer := time.NewTimer(left)
		select {
		case <-w.hasty:
			pause = askSoon
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
	ids := make([]string, 0, len(w.lookers))
	for id := range w.lookers {
		ids = append(ids, id)
	}
	return ids
}

// tell tells those of an id to whom it is new. Who knows it first need not wait until it is asked.
func (w *watch[T]) tell(c T) {
	w.telling.Lock()
	defer w.telling.Unlock()
	w.mu.Lock()
	all := w.lookers[w.id(c)]
	var news []*looker[T]
	for _, l := range all {
		if l.last != c {
			l.last = c
			news = append(news, l)
		}
	}
	w.mu.Unlock()
	for _, l := range news {
		l.tell(c)
	}
}
