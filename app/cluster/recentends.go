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

// How [Runs.Ended] polls the database.
const (
	pollEndsEvery = 500 * time.Millisecond
	// endsOverlap is how far back each poll reads: an end becomes visible with the commit of
	// its transaction, after the time that it records.
	endsOverlap = 20 * time.Second
	// maxEnds is how many ends are cached. Older ones are read from the database.
	maxEnds = 4096
)

// recentEnds caches the runs that ended last, in the order in which this process saw them.
type recentEnds struct {
	mu     sync.Mutex
	epoch  string // identifies this process in cursors
	seen   map[string]time.Time
	last   []string
	count  int       // number of ends seen so far
	latest time.Time // latest recorded end seen
	read   time.Time
}

// Ended implements [runs.Backend]. A cursor has a time and a number in the order of one process.
// With a cursor of another process, some ends are returned again.
func (r *Runs) Ended(ctx context.Context, since time.Time, place string) (runIDs []string, next string, err error) {
	e := &r.ends
	if place == "" {
		if err = e.refresh(ctx, r.shared); err != nil {
			return nil, "", err
		}
		at := e.cursor()
		runIDs, err = endedSince(ctx, r.shared, since)
		return runIDs, at, err
	}
	for {
		if err := e.refresh(ctx, r.shared); err != nil {
			return nil, place, err
		}
		at := e.cursor()
		runIDs, known, when := e.after(place)
		if !known {
			if runIDs, err = endedSince(ctx, r.shared, when.Add(-endsOverlap)); err != nil {
				return nil, place, err
			}
		}
		if place = at; len(runIDs) > 0 {
			return runIDs, at, nil
		}
		select {
		case <-time.After(pollEndsEvery):
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

// refresh reads new ends, unless it did so a moment ago.
func (e *recentEnds) refresh(ctx context.Context, shared store.SharedRuns) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	now := time.Now()
	if e.seen == nil {
		e.epoch, e.seen, e.latest = uuid.NewString(), map[string]time.Time{}, now
	}
	if !e.read.IsZero() && now.Sub(e.read) < pollEndsEvery/2 {
		return nil
	}
	all, err := shared.EndedSince(ctx, e.latest.Add(-endsOverlap))
	if err != nil {
		return err
	}
	e.read = now
	for _, end := range all {
		if _, known := e.seen[end.RunID]; known {
			continue
		}
		e.seen[end.RunID] = end.At
		e.last = append(e.last, end.RunID)
		e.count++
		if end.At.After(e.latest) {
			e.latest = end.At
		}
	}
	for id, at := range e.seen { // older than any overlap
		if at.Before(e.latest.Add(-endsOverlap)) {
			delete(e.seen, id)
		}
	}
	if len(e.last) >= 2*maxEnds {
		e.last = slices.Clone(e.last[len(e.last)-maxEnds:])
	}
	return nil
}

// cursor returns the cursor behind all ends seen so far.
func (e *recentEnds) cursor() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return fmt.Sprintf("%s %d %s", e.latest.UTC().Format(time.RFC3339Nano), e.count, e.epoch)
}

// after returns the cached ends behind a cursor. If they are not cached, known is false, and
// since is the time from which to read them.
func (e *recentEnds) after(place string) (runIDs []string, known bool, since time.Time) {
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
		since = e.latest
	}
	return nil, false, since
}
