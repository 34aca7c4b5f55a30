package cluster

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/svcflow/svc/store"
)

// askEvery is how often a process asks how far the runs are that somebody follows or drives
// here. It asks about all of them at once.
const askEvery = 100 * time.Millisecond

// changes is what can be asked.
type changes interface {
	Changes(ctx context.Context, runIDs []string) ([]store.Change, error)
}

// watch tells those who want to know how far runs are. As long as there is nobody, it asks
// nothing. Make one with newWatch, and close it.
type watch struct {
	runs    changes
	log     *slog.Logger
	end     context.CancelFunc
	asking  sync.WaitGroup
	wanted  chan struct{} // there may be somebody
	mu      sync.Mutex
	lookers map[string][]*looker // by run
}

// looker is somebody who wants to know of a run.
type looker struct {
	tell func(store.Change)
	last store.Change
}

func newWatch(runs changes, log *slog.Logger) *watch {
	ctx, end := context.WithCancel(context.Background())
	w := &watch{runs: runs, log: log, end: end, wanted: make(chan struct{}, 1), lookers: map[string][]*looker{}}
	w.asking.Go(func() { w.ask(ctx) })
	return w
}

// look has tell called with how far a run is, now and whenever that has changed, until stop.
// It must not wait for anything, and may be called once more after stop.
func (w *watch) look(runID string, tell func(store.Change)) (stop func()) {
	l := &looker{tell: tell}
	w.mu.Lock()
	w.lookers[runID] = append(w.lookers[runID], l)
	w.mu.Unlock()
	select {
	case w.wanted <- struct{}{}:
	default:
	}
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		left := slices.DeleteFunc(slices.Clone(w.lookers[runID]), func(other *looker) bool { return other == l })
		if w.lookers[runID] = left; len(left) == 0 {
			delete(w.lookers, runID)
		}
	}
}

// close tells nobody anything any more.
func (w *watch) close() {
	w.end()
	w.asking.Wait()
}

// ask asks as long as somebody wants to know.
func (w *watch) ask(ctx context.Context) {
	tick := time.NewTicker(askEvery)
	defer tick.Stop()
	away := false
	for {
		ids := w.ids()
		if len(ids) == 0 {
			select {
			case <-ctx.Done():
				return
			case <-w.wanted:
			}
			continue
		}
		told, err := w.runs.Changes(ctx, ids)
		if failed := err != nil && ctx.Err() == nil; failed != away {
			if away = failed; away {
				w.log.WarnContext(ctx, "nobody can tell how far runs are; it is asked again", "error", err)
			}
		}
		for i := range told {
			w.tell(&told[i])
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

func (w *watch) ids() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	ids := make([]string, 0, len(w.lookers))
	for id := range w.lookers {
		ids = append(ids, id)
	}
	return ids
}

// tell tells those of a run to whom it is new.
func (w *watch) tell(c *store.Change) {
	w.mu.Lock()
	all := w.lookers[c.RunID]
	var news []*looker
	for _, l := range all {
		if l.last != *c {
			l.last = *c
			news = append(news, l)
		}
	}
	w.mu.Unlock()
	for _, l := range news {
		l.tell(*c)
	}
}
