package localruns

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/svcflow/svc/engine/run"
)

// endedRuns are the runs that have ended last, for sources of triggers to hear of.
type endedRuns struct {
	mu    sync.Mutex
	epoch string    // tells this process from others
	began time.Time // when the first could have ended here
	last  []endedRun
	count int // of all that ever ended here
	more  chan struct{}
}

// endedRun is a run that has ended, and when that was told.
type endedRun struct {
	id   string
	told time.Time
}

// mostEnded is how many are at hand. Who comes later looks through the records.
const mostEnded = 4096

func newEndedRuns() *endedRuns {
	return &endedRuns{epoch: uuid.NewString(), began: time.Now(), more: make(chan struct{})}
}

// add tells that runs have ended and are recorded.
func (e *endedRuns) add(runIDs ...string) {
	if len(runIDs) == 0 {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	now := time.Now()
	for _, id := range runIDs {
		e.last = append(e.last, endedRun{id, now})
	}
	if len(e.last) >= 2*mostEnded {
		e.last = slices.Clone(e.last[len(e.last)-mostEnded:])
	}
	e.count += len(runIDs)
	close(e.more)
	e.more = make(chan struct{})
}

// behind returns the runs that ended behind a number, in order; ok is false if not all of
// them are at hand. more is closed when there is another.
func (e *endedRuns) behind(n int) (ids []string, count int, ok bool, more <-chan struct{}) {
	e.mu.Lock()
	defer e.mu.Unlock()
	first := e.count - len(e.last)
	if ok = n >= first && n <= e.count; ok {
		ids = idsOf(e.last[n-first:])
	}
	return ids, e.count, ok, e.more
}

// since returns the runs that ended since a time, in order; ok is false if not all of them
// are at hand.
func (e *endedRuns) since(at time.Time) (ids []string, count int, ok bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	first, _ := slices.BinarySearchFunc(e.last, at, func(r endedRun, at time.Time) int { return r.told.Compare(at) })
	whole := e.count == len(e.last) && e.began.Before(at)
	return idsOf(e.last[first:]), e.count, whole || first > 0
}

func idsOf(runs []endedRun) []string {
	ids := make([]string, len(runs))
	for i := range runs {
		ids[i] = runs[i].id
	}
	return ids
}

// place words a number and a time.
func (e *endedRuns) place(n int, at time.Time) string {
	return fmt.Sprintf("%s %d %s", at.UTC().Format(time.RFC3339Nano), n, e.epoch)
}

// parse reads a place; one of another process has no number.
func (e *endedRuns) parse(place string) (n int, at time.Time) {
	when, rest, _ := strings.Cut(place, " ")
	number, epoch, _ := strings.Cut(rest, " ")
	n, err := strconv.Atoi(number)
	if err != nil || epoch != e.epoch {
		n = -1
	}
	at, err = time.Parse(time.RFC3339Nano, when)
	if err != nil {
		at = time.Now()
	}
	return n, at
}

// recordedLate is how long after its end a run may be recorded.
const recordedLate = time.Minute

// Ended implements [runs.Backend].
func (l *Runs) Ended(ctx context.Context, since time.Time, place string) ([]string, string, error) {
	if place == "" {
		return l.endedFirst(ctx, since)
	}
	e := l.ended
	n, since := e.parse(place)
	for {
		now := time.Now()
		ids, count, ok, more := e.behind(n)
		if !ok {
			var err error
			if ids, err = l.endedSince(ctx, since.Add(-recordedLate)); err != nil {
				return nil, place, err
			}
		}
		if len(ids) > 0 {
			return ids, e.place(count, now), nil
		}
		n, since = count, now
		select {
		case <-more:
		case <-ctx.Done():
			return nil, place, ctx.Err()
		}
	}
}

// endedFirst returns the runs that have ended since a time, and the place behind them.
func (l *Runs) endedFirst(ctx context.Context, since time.Time) (ids []string, place string, err error) {
	now := time.Now()
	ids, count, ok := l.ended.since(since)
	if !ok {
		if ids, err = l.endedSince(ctx, since); err != nil {
			return nil, "", err
		}
	}
	return ids, l.ended.place(count, now), nil
}

// endedSince returns the recorded runs that ended since a time, in the order of their ends.
func (l *Runs) endedSince(ctx context.Context, since time.Time) (ids []string, err error) {
	var found []run.Record
	for q := (run.Query{Limit: run.MaxLimit}); ; {
		page, err := l.Records(ctx, q)
		if err != nil {
			return nil, err
		}
		for i := range page.Items {
			if !page.Items[i].FinishedAt.Before(since) {
				found = append(found, page.Items[i])
			}
		}
		if q.Cursor = page.NextCursor; q.Cursor == "" {
			break
		}
	}
	slices.SortStableFunc(found, func(x, y run.Record) int { return x.FinishedAt.Compare(y.FinishedAt) })
	for i := range found {
		ids = append(ids, found[i].RunID)
	}
	return ids, nil
}
