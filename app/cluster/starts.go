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

// Backlog finds runs without a driver.
type Backlog interface {
	// Unfinished returns the ids of up to limit runs that have not ended, have no driver and are
	// not parked until later, oldest first.
	Unfinished(ctx context.Context, limit int) ([]string, error)
	// Abandon ends a run whose workflow has ended before it: no worker will drive it.
	Abandon(ctx context.Context, runID string) error
}

// Bounds of [Starts].
const (
	maxStarting  = 16              // workflows started concurrently
	offeredQueue = 1024            // runs that wait for that; further ones are found in the backlog
	startWithin  = 5 * time.Second // per workflow
	checkEvery   = 2 * time.Second
	checkAtOnce  = 1000
	// confirmedFor is how long a workflow is assumed to exist after a check.
	confirmedFor = 30 * time.Second
)

// Starts makes sure that each run has a Temporal workflow, and that no run outlives it. While
// Temporal is unavailable, runs are recorded as usual; the first process that reaches it again
// starts their workflows. Make one with [NewStarts], and close it. It is safe for concurrent use.
type Starts struct {
	temporal  client.Client
	backlog   Backlog
	log       *slog.Logger
	offered   chan Begun
	end       context.CancelFunc
	working   sync.WaitGroup
	confirmed map[string]time.Time // run → last check that it has a workflow; used by watch only
}

// NewStarts starts to check the runs of a backlog.
func NewStarts(temporal client.Client, backlog Backlog, log *slog.Logger) *Starts {
	ctx, end := context.WithCancel(context.Background())
	s := &Starts{
		temporal: temporal, backlog: backlog, log: log, end: end,
		offered: make(chan Begun, offeredQueue), confirmed: map[string]time.Time{},
	}
	for range maxStarting {
		s.working.Go(func() { s.startOffered(ctx) })
	}
	s.working.Go(func() { s.watch(ctx) })
	return s
}

// Offer starts the workflow of a new run in the background. It does not block.
func (s *Starts) Offer(b Begun) {
	select {
	case s.offered <- b:
	default:
	}
}

// Wake ends the sleep of a run that only waits, if it has a workflow.
func (s *Starts) Wake(ctx context.Context, runID string) error {
	ctx, cancel := context.WithTimeout(ctx, startWithin)
	defer cancel()
	return wake(ctx, s.temporal, runID)
}

// Close stops the checks.
func (s *Starts) Close() {
	s.end()
	s.working.Wait()
}

// startOffered starts the workflows of offered runs.
func (s *Starts) startOffered(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case b := <-s.offered:
			if err := s.begin(ctx, b); err != nil && ctx.Err() == nil {
				s.log.DebugContext(ctx, "the workflow of a run cannot be started yet", "run", b.RunID, "error", err)
			}
		}
	}
}

func (s *Starts) begin(ctx context.Context, b Begun) error {
	ctx, cancel := context.WithTimeout(ctx, startWithin)
	defer cancel()
	return begin(ctx, s.temporal, b)
}

// watch checks the backlog until ctx ends.
func (s *Starts) watch(ctx context.Context) {
	tick := time.NewTicker(checkEvery)
	defer tick.Stop()
	away := false
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		err := s.ensureTasks(ctx)
		if failed := err != nil && ctx.Err() == nil; failed != away {
			away = failed
			if away {
				s.log.WarnContext(ctx, "cannot reach Temporal; runs stay recorded and start when it is back", "error", err)
			} else {
				s.log.InfoContext(ctx, "Temporal is back; runs start again")
			}
		}
	}
}

// ensureTasks starts missing workflows.
func (s *Starts) ensureTasks(ctx context.Context) error {
	ids, err := s.backlog.Unfinished(ctx, checkAtOnce)
	if err != nil {
		return err
	}
	now, known := time.Now(), s.confirmed
	s.confirmed = make(map[string]time.Time, len(known)) // drops runs that have a driver by now
	var asking errgroup.Group
	asking.SetLimit(maxStarting)
	var mu sync.Mutex
	for _, id := range ids {
		if since, ok := known[id]; ok && now.Sub(since) < confirmedFor {
			mu.Lock()
			s.confirmed[id] = since
			mu.Unlock()
			continue
		}
		asking.Go(func() error {
			if err := s.ensureTask(ctx, id); err != nil {
				return err
			}
			mu.Lock()
			defer mu.Unlock()
			s.confirmed[id] = now
			return nil
		})
	}
	return asking.Wait()
}

// ensureTask starts the workflow of a run if it has none. If the workflow has ended, an operator
// has terminated it, and the run ends too.
func (s *Starts) ensureTask(ctx context.Context, runID string) error {
	err := s.begin(ctx, Begun{RunID: runID, WorkflowID: runID})
	if !errors.Is(err, errTaskEnded) {
		return err
	}
	s.log.WarnContext(ctx, "the workflow of a run has ended before the run", "run", runID)
	return s.backlog.Abandon(ctx, runID)
}
