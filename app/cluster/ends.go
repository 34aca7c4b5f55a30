package cluster

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/svcflow/svc/store"
)

// How those are told that runs have ended who want to know of all of them.
const (
	endsEvery = 500 * time.Millisecond
	// endsLate is how late the end of a run may be seen after the time at which it was recorded,
	// which was before its transaction ended.
	endsLate = 20 * time.Second
	// mostEnds is how many are at hand. Who comes later asks the store.
	mostEnds = 4096
)

// ends are the runs that have ended last, in the order in which this process has seen it.
type ends struct {
	mu    sync.Mutex
	epoch string // tells this process from others
	seen  map[string]time.Time
	last  []string
	count int       // of all that were ever seen here
	until time.Time // the last time at which one was recorded that was seen
	asked time.Time
}

// Ended implements [runs.Backend]. A place is a time and a number among those that a process has
// seen; who comes with that of another process hears of some ends again.
func (r *Runs) Ended(ctx context.Context, since time.Time, place string) (runIDs []string, next string, err error) {
	e := &r.ends
	if place == "" {
		if err = e.look(ctx, r.shared); err != nil {
			return nil, "", err
		}
		at := e.place()
		runIDs, err = endedSince(ctx, r.shared, since)
		return runIDs, at, err
	}
	for {
		if err := e.look(ctx, r.shared); err != nil {
			return nil, place, err
		}
		at := e.place()
		runIDs, known, when := e.behind(place)
		if !known {
			if runIDs, err = endedSince(ctx, r.shared, when.Add(-endsLate)); err != nil {
				return nil, place, err
			}
		}
		if place = at; len(runIDs) > 0 {
			return runIDs, at, nil
		}
		select {
		case <-time.After(endsEvery):
		case <-ctx.Done():
			return nil, place, ctx.Err()
		}
	}
}

func endedSince(ctx context.Context, shared store.SharedRuns, since time.Time) (runIDs []string, err error) {
	all, err := shared.EndedSince(ctx, since)
	for _, e := range all {
		runIDs = append(runIDs, e.RunID)
	}
	return runIDs, err
}

// look sees what has ended, unless that was done a moment ago.
func (e *ends) look(ctx context.Context, shared store.SharedRuns) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	now := time.Now()
	if e.seen == nil {
		e.epoch, e.seen, e.until = uuid.NewString(), map[string]time.Time{}, now
	}
	if !e.asked.IsZero() && now.Sub(e.asked) < endsEvery/2 {
		return nil
	}
	all, err := shared.EndedSince(ctx, e.until.Add(-endsLate))
	if err != nil {
		return err
	}
	e.asked = now
	for _, end := range all {
		if _, known := e.seen[end.RunID]; known {
			continue
		}
		e.seen[end.RunID] = end.At
		e.last = append(e.last, end.RunID)
		e.count++
		if end.At.After(e.until) {
			e.until = end.At
		}
	}
	for id, at := range e.seen { // of which nobody asks any more
		if at.Before(e.until.Add(-endsLate)) {
			delete(e.seen, id)
		}
	}
	if len(e.last) >= 2*mostEnds {
		e.last = slices.Clone(e.last[len(e.last)-mostEnds:])
	}
	return nil
}

// place words where one is who has heard of all that was seen.
func (e *ends) place() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return fmt.Sprintf("%s %d %s", e.until.UTC().Format(time.RFC3339Nano), e.count, e.epoch)
}

// behind returns those that were seen behind a place; known is false if they are not at hand, but
// for a time from which on to ask.
func (e *ends) behind(place string) (runIDs []string, known bool, since time.Time) {
	e.mu.Lock()
	defer e.mu.Unlock()
	when, rest, _ := strings.Cut(place, " ")
	number, epoch, _ := strings.Cut(rest, " ")
	n, err := strconv.Atoi(number)
	first := e.count - len(e.last)
	if err == nil && epoch == e.epoch && n >= first && n <= e.count {
		return slices.Clone(e.last[n-first:]), true, since
	}
	if since, err = time.Parse(time.RFC3339Nano, when); err != nil {
		since = e.until
	}
	return nil, false, since
}
