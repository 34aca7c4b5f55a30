package localruns

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/svcflow/svc/app/drive"
	"github.com/svcflow/svc/app/runs"
	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/store"
)

// recovering is how many runs of an earlier process are brought to their end at once, so
// that they wait for the disk once.
const recovering = 256

// reviveAll begins to bring what an earlier process left unfinished to its end. Who
// follows such a run waits for that.
func (l *Runs) reviveAll() error {
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
		r := l.newLocalRun(run.Start{RunID: id, StartedAt: record.StartedAt, ResumedFrom: record.ResumedFrom})
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
	l.admission.Go(func() {
		defer close(l.recovered)
		l.recoverErr = l.reviveThese(runs)
	})
	return nil
}

// reviveThese brings runs to their end. Some are read while others wait for the disk.
func (l *Runs) reviveThese(runs []*localRun) error {
	var group errgroup.Group
	group.SetLimit(2)
	for some := range slices.Chunk(runs, recovering) {
		group.Go(func() error { return l.reviveTogether(l.life, some) })
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

// revival is some runs whose last frames are going to be written together.
type revival struct {
	of   *Runs
	runs []revived
	err  error // the first one
}

type revived struct {
	run    *localRun
	result *engine.Result
	last   *drive.Last
}

// reviveTogether brings runs to their end, of which it empties the list: what is known of a
// run goes once it has ended.
func (l *Runs) reviveTogether(ctx context.Context, runs []*localRun) error {
	v := revival{of: l}
	for i, r := range runs {
		runs[i] = nil
		v.add(ctx, r)
	}
	v.end(ctx)
	return v.err
}

// add reads how far a run has come.
func (v *revival) add(ctx context.Context, r *localRun) {
	result, err := v.reached(ctx, r)
	if err != nil {
		v.giveUp(ctx, r, err)
		return
	}
	v.runs = append(v.runs, revived{r, result, r.FailTogether(result, runs.ErrInterrupted)})
}

// reached returns how far a run has come. Of its frames only the last one is read, however many
// there are: the others are when somebody wants to know what its nodes have come to.
func (v *revival) reached(ctx context.Context, r *localRun) (*engine.Result, error) {
	journals, id := v.of.journals, r.Start.RunID
	record, err := journals.Record(ctx, id)
	if err != nil {
		return nil, err
	}
	last, err := journals.Frames(ctx, id, record.Frames-1, 1)
	if err != nil {
		return nil, err
	}
	if len(last) > 0 {
		return r.Unread(record.WorkflowID, &last[0]), nil
	}
	if r.Start.Definition, err = journals.Outline(ctx, id); err != nil {
		return nil, err
	}
	return r.SoFar(ctx)
}

// end ends the runs that were added.
func (v *revival) end(ctx context.Context) {
	lasts := make([]store.Last, len(v.runs))
	for i := range v.runs {
		lasts[i] = store.Last{RunID: v.runs[i].run.Start.RunID, Frame: v.runs[i].last.Frame}
	}
	errs := v.of.journals.Finish(ctx, lasts)
	for i, ended := range v.runs {
		var err error
		if errs == nil || errs[i] == nil {
			ended.last.Written() //nolint:contextcheck // who follows the run sees its end whoever waits
		} else {
			err = ended.alone(ctx)
		}
		if err != nil {
			v.giveUp(ctx, ended.run, err)
			continue
		}
		ended.run.retire(ctx)
	}
	clear(v.runs)
	v.runs = v.runs[:0]
}

// alone ends a run whose last frame could not be written with those of others. If it cannot be
// written at all, the run owes it from now on.
func (e *revived) alone(ctx context.Context) (err error) {
	e.last.Lost()
	r := e.run
	if r.journal, err = r.runs.journals.Reopen(ctx, r.Start.RunID); err != nil {
		return err
	}
	r.Fail(e.result, runs.ErrInterrupted) //nolint:contextcheck // the end is written whoever waits
	return nil
}

// giveUp leaves a run as it is, which cannot be brought to its end.
func (v *revival) giveUp(ctx context.Context, r *localRun, err error) {
	v.of.env.Log.ErrorContext(ctx, "an unfinished run cannot be brought to its end", "run", r.Start.RunID, "error", err)
	v.of.recent.remove(r)
	r.feed.end()
	v.err = cmp.Or(v.err, err)
}
