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

// endedRuns remembers the runs that ended last, for sources of triggers.
type endedRuns struct {
	mu    sync.Mutex
	epoch string    // identifies this process
	began time.Time // when the first could have ended here
	last  []endedRun
	count int // of all that ever ended here
	more  chan struct{}
}

// endedRun is a run that has ended, with the time when it was added here.
type endedRun struct {
	id string
	at time.Time
}

// maxEnded is the number of runs to remember. Older ones are read from the store.
const maxEnded = 4096

func newEndedRuns() *endedRuns {
	return &endedRuns{epoch: uuid.NewString(), began: time.Now(), more: make(chan struct{})}
}

// add adds runs that have ended and are recorded.
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
	if len(e.last) >= 2*maxEnded {
		e.last = slices.Clone(e.last[len(e.last)-maxEnded:])
	}
	e.count += len(runIDs)
	close(e.more)
	e.more = make(chan struct{})
}

// after returns the runs that ended behind a number, in order; ok is false if not all of
// them are at hand. more is closed when there is another.
func (e *endedRuns) after(n int) (ids []string, count int, ok bool, more <-chan struct{}) {
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
	first, _ := slices.BinarySearchFunc(e.last, at, func(r endedRun, at time.Time) int { return r.at.Compare(at) })
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

// cursor formats a position: a number of this process, and a time for other processes.
func (e *endedRuns) cursor(n int, at time.Time) string {
	return fmt.Sprintf("%s %d %s", at.UTC().Format(time.RFC3339Nano), n, e.epoch)
}

// parse reads a cursor; one of another process has no number.
func (e *endedRuns) parse(cursor string) (n int, at time.Time) {
	when, rest, _ := strings.Cut(cursor, " ")
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

// recordedLate is the longest time between the end of a run and its record.
const recordedLate = time.Minute

// Ended implements [runs.Backend].
func (l *Runs) Ended(ctx context.Context, since time.Time, cursor string) ([]string, string, error) {
	if cursor == "" {
		return l.endedFirst(ctx, since)
	}
	e := l.ended
	n, since := e.parse(cursor)
	for {
		now := time.Now()
		ids, count, ok, more := e.after(n)
		if !ok {
			var err error
			if ids, err = l.endedSince(ctx, since.Add(-recordedLate)); err != nil {
				return nil, cursor, err
			}
		}
		if len(ids) > 0 {
			return ids, e.cursor(count, now), nil
		}
		n, since = count, now
		select {
		case <-more:
		case <-ctx.Done():
			return nil, cursor, ctx.Err()
		}
	}
}

// endedFirst returns the runs that have ended since a time, and the cursor after them.
func (l *Runs) endedFirst(ctx context.Context, since time.Time) (ids []string, cursor string, err error) {
	now := time.Now()
	ids, count, ok := l.ended.since(since)
	if !ok {
		if ids, err = l.endedSince(ctx, since); err != nil {
			return nil, "", err
		}
	}
	return ids, l.ended.cursor(count, now), nil
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
