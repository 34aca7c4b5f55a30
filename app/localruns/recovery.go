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

// recoveredAtOnce is the number of unfinished runs that are ended with one sync of the disk.
const recoveredAtOnce = 256

// recoverAll begins to end the runs that an earlier process left unfinished. Their followers wait
// for the end.
func (l *Runs) recoverAll() error {
	ids, err := l.journals.Unfinished(l.life)
	if err != nil {
		return fmt.Errorf("find unfinished runs: %w", err)
	}
	if len(ids) == 0 {
		close(l.recovered)
		return nil
	}
	var runs []*activeRun
	for _, id := range ids {
		record, _ := l.journals.Record(l.life, id) // endBatch reports a damaged one
		r := l.newActiveRun(run.Start{RunID: id, StartedAt: record.StartedAt, ResumedFrom: record.ResumedFrom})
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
		l.recoverErr = l.endUnfinished(runs)
	})
	return nil
}

// endUnfinished ends runs in batches. One batch is read while another is written.
func (l *Runs) endUnfinished(runs []*activeRun) error {
	var group errgroup.Group
	group.SetLimit(2)
	for some := range slices.Chunk(runs, recoveredAtOnce) {
		group.Go(func() error { return l.endBatch(l.life, some) })
	}
	return group.Wait()
}

// crashed holds the unfinished runs of triggers. They are ended after the service of triggers has
// recorded that it will resume them. Ended sooner, a second crash could lose the resume.
type crashed struct {
	runs    []*activeRun
	records []run.Record
	once    sync.Once
}

// recoveryBatch is unfinished runs whose last frames are written together.
type recoveryBatch struct {
	of   *Runs
	runs []recoveredRun
	err  error // the first one
}

type recoveredRun struct {
	run    *activeRun
	result *engine.Result
	last   *drive.Last
}

// endBatch ends runs. It clears the list, so that each run can be freed as soon as it has ended.
func (l *Runs) endBatch(ctx context.Context, runs []*activeRun) error {
	v := recoveryBatch{of: l}
	for i, r := range runs {
		runs[i] = nil
		v.add(ctx, r)
	}
	v.end(ctx)
	return v.err
}

// add reads the state of a run.
func (v *recoveryBatch) add(ctx context.Context, r *activeRun) {
	result, err := v.reached(ctx, r)
	if err != nil {
		v.giveUp(ctx, r, err)
		return
	}
	v.runs = append(v.runs, recoveredRun{r, result, r.PrepareFail(result, runs.ErrInterrupted)})
}

// reached returns the state of an unfinished run. It reads only the last frame; the outcomes of the
// nodes are read on demand.
func (v *recoveryBatch) reached(ctx context.Context, r *activeRun) (*engine.Result, error) {
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
		return r.ResultAt(record.WorkflowID, &last[0]), nil
	}
	if r.Start.Definition, err = journals.Outline(ctx, id); err != nil {
		return nil, err
	}
	return r.RecordedResult(ctx)
}

// end ends the runs that were added.
func (v *recoveryBatch) end(ctx context.Context) {
	lasts := make([]store.Last, len(v.runs))
	for i := range v.runs {
		lasts[i] = store.Last{RunID: v.runs[i].run.Start.RunID, Frame: v.runs[i].last.Frame}
	}
	errs := v.of.journals.Finish(ctx, lasts)
	for i, ended := range v.runs {
		var err error
		if errs == nil || errs[i] == nil {
			ended.last.Written() //nolint:contextcheck // followers see the end regardless of ctx
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

// alone ends a run whose last frame could not be written in the batch. If it cannot be written at
// all, the run ends with an unwritten end.
func (e *recoveredRun) alone(ctx context.Context) (err error) {
	e.last.Failed()
	r := e.run
	if r.journal, err = r.runs.journals.Reopen(ctx, r.Start.RunID); err != nil {
		return err
	}
	r.Fail(e.result, runs.ErrInterrupted) //nolint:contextcheck // the end is written regardless of ctx
	return nil
}

// giveUp leaves a run unfinished that cannot be ended.
func (v *recoveryBatch) giveUp(ctx context.Context, r *activeRun, err error) {
	v.of.env.Log.ErrorContext(ctx, "an unfinished run cannot be brought to its end", "run", r.Start.RunID, "error", err)
	v.of.recent.remove(r)
	r.feed.end()
	v.err = cmp.Or(v.err, err)
}
