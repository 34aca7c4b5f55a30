package app

import (
	"context"
	"fmt"
	"sync"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/run"
)

// recovering is how many runs of an earlier process are brought to their end at once, so
// that they wait for the disk together. What is in memory of them is bounded: a run whose
// journal is read counts recoverWork, and then what its journal has told, as long as that
// is less and more than recoverLeast.
const (
	recovering   = 1024
	recoverAll   = 16 << 20
	recoverWork  = 4 << 20
	recoverLeast = 16 << 10
)

// errInterrupted is the end of a run that its service did not live to see.
var errInterrupted = node.Errorf(node.CodeInterrupted, "the service stopped while the run was going on; resume it")

// reviveAll begins to bring what an earlier process left unfinished to its end. Who
// follows such a run waits for that.
func (l *LocalRuns) reviveAll() error {
	ids, err := l.journals.Unfinished(l.life)
	if err != nil {
		return fmt.Errorf("find unfinished runs: %w", err)
	}
	if len(ids) == 0 {
		close(l.recovered)
		return nil
	}
	var runs []*localRun
	for _, id := range ids {
		record, _ := l.journals.Record(l.life, id) // one that is damaged is found to be so
		r := l.newLocalRun(run.Start{RunID: id})
		l.recent.add(r)
		if record.Status == engine.StatusWaiting {
			r.waiting = true
			l.waited = append(l.waited, r)
			continue
		}
		if record.StartedBy != nil && l.resumes {
			l.crashed.runs, l.crashed.records = append(l.crashed.runs, r), append(l.crashed.records, record)
			continue
		}
		runs = append(runs, r)
	}
	l.door.inside.Go(func() {
		defer close(l.recovered)
		l.recoverErr = l.reviveThese(runs)
	})
	return nil
}

// reviveThese brings runs to their end.
func (l *LocalRuns) reviveThese(runs []*localRun) error {
	var group errgroup.Group
	group.SetLimit(recovering)
	room := semaphore.NewWeighted(recoverAll)
	for _, r := range runs {
		group.Go(func() error { return r.revive(l.life, room) })
	}
	return group.Wait()
}

// crashed are the runs of triggers that went on when an earlier process died. They are
// brought to their end once it is remembered that they are to go on: else another crash in
// between would leave runs that have ended, and nobody who resumes them.
type crashed struct {
	runs    []*localRun
	records []run.Record
	once    sync.Once
}

// revive brings the run of an earlier process to its end.
func (r *localRun) revive(ctx context.Context, room *semaphore.Weighted) error {
	var told int64
	err := room.Acquire(ctx, recoverWork)
	if err == nil {
		told = recoverWork
		defer func() { room.Release(told) }()
	}
	var result *engine.Result
	if err == nil {
		result, told, err = r.reopen(ctx)
		told = min(max(told, recoverLeast), recoverWork)
		room.Release(recoverWork - told)
	}
	if err != nil {
		r.runs.env.Log.ErrorContext(ctx, "an unfinished run cannot be brought to its end", "run", r.Start.RunID, "error", err)
		r.runs.recent.remove(r)
		r.feed.end()
		return err
	}
	r.Fail(result, errInterrupted) //nolint:contextcheck // the end is written whoever waits
	r.retire(ctx)
	return nil
}

// reopen finds out how far the run of an earlier process has come, and about how many bytes
// its journal has told.
func (r *localRun) reopen(ctx context.Context) (result *engine.Result, told int64, err error) {
	start, err := r.runs.journals.Start(ctx, r.Start.RunID)
	if err != nil {
		return nil, 0, err
	}
	r.Start = start
	if result, told, err = r.SoFar(ctx); err != nil {
		return nil, 0, err
	}
	r.journal, err = r.runs.journals.Reopen(ctx, r.Start.RunID)
	return result, told, err
}
