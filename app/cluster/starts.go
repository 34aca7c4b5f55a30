package cluster

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"go.temporal.io/sdk/client"
	"golang.org/x/sync/errgroup"
)

// Backlog knows the runs that have no driver.
type Backlog interface {
	// Unfinished returns the ids of up to limit runs that have not ended, oldest first, that
	// nobody drives and that are not parked until some later time.
	Unfinished(ctx context.Context, limit int) ([]string, error)
	// Abandon ends a run that nobody will ever drive, because its task has ended before it.
	Abandon(ctx context.Context, runID string) error
}

// What [Starts] does at once, and how long it may take.
const (
	starting    = 16              // tasks that are being made
	startsAhead = 1024            // runs that wait for that; more are found in the backlog
	startWithin = 5 * time.Second // for one of them
	lookEvery   = 2 * time.Second
	lookAt      = 1000
	// sureFor is how long a run that has a task is not asked about again.
	sureFor = 30 * time.Second
)

// Starts sees to it that each run that has begun has a task, and that no run outlives its
// task: while Temporal is away runs begin as always, and whichever process notices its return
// first makes the tasks. Make one with [NewStarts], and close it.
type Starts struct {
	temporal client.Client
	backlog  Backlog
	log      *slog.Logger
	offered  chan Begun
	end      context.CancelFunc
	working  sync.WaitGroup
	sure     map[string]time.Time // run → when it was known to have a task; of the one who looks
}

// NewStarts begins to look after the runs of a backlog.
func NewStarts(temporal client.Client, backlog Backlog, log *slog.Logger) *Starts {
	ctx, end := context.WithCancel(context.Background())
	s := &Starts{
		temporal: temporal, backlog: backlog, log: log, end: end,
		offered: make(chan Begun, startsAhead), sure: map[string]time.Time{},
	}
	for range starting {
		s.working.Go(func() { s.make(ctx) })
	}
	s.working.Go(func() { s.watch(ctx) })
	return s
}

// Offer has the task of a run made that has just begun. It does not wait.
func (s *Starts) Offer(b Begun) {
	select {
	case s.offered <- b:
	default:
	}
}

// Wake has a run driven now that only waits, if it has a task.
func (s *Starts) Wake(ctx context.Context, runID string) error {
	ctx, cancel := context.WithTimeout(ctx, startWithin)
	defer cancel()
	return wake(ctx, s.temporal, runID)
}

// Close looks after runs no more.
func (s *Starts) Close() {
	s.end()
	s.working.Wait()
}

// make makes the tasks of what was offered.
func (s *Starts) make(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case b := <-s.offered:
			if err := s.begin(ctx, b); err != nil && ctx.Err() == nil {
				s.log.DebugContext(ctx, "a run has no task yet", "run", b.RunID, "error", err)
			}
		}
	}
}

func (s *Starts) begin(ctx context.Context, b Begun) error {
	ctx, cancel := context.WithTimeout(ctx, startWithin)
	defer cancel()
	return begin(ctx, s.temporal, b)
}

// watch looks for runs without a task, as long as there is anybody to do so.
func (s *Starts) watch(ctx context.Context) {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	away := false
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		err := s.look(ctx)
		if failed := err != nil && ctx.Err() == nil; failed != away {
			away = failed
			if away {
				s.log.WarnContext(ctx, "runs cannot be given to Temporal; they are kept and start when that is possible again", "error", err)
			} else {
				s.log.InfoContext(ctx, "runs are given to Temporal again")
			}
		}
	}
}

// look makes the tasks that are missing.
func (s *Starts) look(ctx context.Context) error {
	ids, err := s.backlog.Unfinished(ctx, lookAt)
	if err != nil {
		return err
	}
	now, known := time.Now(), s.sure
	s.sure = make(map[string]time.Time, len(known)) // without those that somebody drives by now
	var asking errgroup.Group
	asking.SetLimit(starting)
	var mu sync.Mutex
	for _, id := range ids {
		if since, ok := known[id]; ok && now.Sub(since) < sureFor {
			mu.Lock()
			s.sure[id] = since
			mu.Unlock()
			continue
		}
		asking.Go(func() error {
			if err := s.see(ctx, id); err != nil {
				return err
			}
			mu.Lock()
			defer mu.Unlock()
			s.sure[id] = now
			return nil
		})
	}
	return asking.Wait()
}

// see makes the task of a run if it has none. One whose task has ended has been terminated.
func (s *Starts) see(ctx context.Context, runID string) error {
	err := s.begin(ctx, Begun{RunID: runID, WorkflowID: runID})
	if !errors.Is(err, errTaskEnded) {
		return err
	}
	s.log.WarnContext(ctx, "the task of a run has ended before it", "run", runID)
	return s.backlog.Abandon(ctx, runID)
}
