package app

import (
	"context"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/fold"
	"github.com/svcflow/svc/engine/limit"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/run"
)

// recovering is how many runs of an earlier process are brought to their end at once, so
// that they wait for the disk together. What is in memory of them is bounded: a run whose
// journal is read counts recoverWork, and then what its journal has told, as long as that
// is less and more than recoverLeast. A journal is read by recoverRead.
const (
	recovering   = 1024
	recoverAll   = 16 << 20
	recoverWork  = 4 << 20
	recoverLeast = 16 << 10
	recoverRead  = 1 << 20
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
	var runs []*asyncRun
	for _, id := range ids {
		record, _ := l.journals.Record(l.life, id) // one that is damaged is found to be so
		r := &asyncRun{runs: l, start: run.Start{RunID: id}, feed: &feed{}, cancel: func(error) {}, release: func() {}}
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
func (l *LocalRuns) reviveThese(runs []*asyncRun) error {
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
	runs    []*asyncRun
	records []run.Record
	once    sync.Once
}

// revive brings the run of an earlier process to its end.
func (r *asyncRun) revive(ctx context.Context, room *semaphore.Weighted) error {
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
		r.runs.env.Log.ErrorContext(ctx, "an unfinished run cannot be brought to its end", "run", r.start.RunID, "error", err)
		r.runs.recent.remove(r)
		r.feed.end()
		return err
	}
	r.finish(result, errInterrupted) //nolint:contextcheck // the end is written whoever waits
	r.retire(ctx)
	return nil
}

// reopen finds out how far the run of an earlier process has come, and about how many bytes
// its journal has told.
func (r *asyncRun) reopen(ctx context.Context) (result *engine.Result, told int64, err error) {
	start, err := r.runs.journals.Start(ctx, r.start.RunID)
	if err != nil {
		return nil, 0, err
	}
	if result, r.seq, told, err = r.soFar(ctx, &start); err != nil {
		return nil, 0, err
	}
	r.journal, err = r.runs.journals.Reopen(ctx, r.start.RunID)
	return result, told, err
}

// conclude brings a run to its end whose own end has not come.
func (r *asyncRun) conclude(ctx context.Context, cause *node.Error) {
	if r.over() {
		return
	}
	result, _, _, err := r.soFar(ctx, &r.start)
	if err != nil {
		r.runs.env.Log.ErrorContext(ctx, "the journal of a run cannot be read", "run", r.start.RunID, "error", err)
	}
	r.finish(result, cause) //nolint:contextcheck // the end is written whoever waits
}

// finish ends a run as failed, with what came of it until then.
func (r *asyncRun) finish(result *engine.Result, cause *node.Error) {
	r.retold = true
	failure := &engine.Failure{Code: cause.Code, Message: cause.Message}
	result.Status, result.Error = engine.StatusFailed, failure
	r.observe(engine.Event{
		Name: engine.EventFailed, RunID: result.RunID, Time: time.Now().UTC(), Error: failure, Result: result,
	})
}

// soFar returns what the journal of a run tells about its outcome, the number of the last
// frame in it, and how many bytes of it may be shown. The run ends with the last thing it tells of; nodes of
// which it tells no end are cancelled. What nodes have put out is not read: the last frame
// is going to say which frames have it.
func (r *asyncRun) soFar(ctx context.Context, start *run.Start) (result *engine.Result, last int, told int64, err error) {
	state := fold.State{RunID: start.RunID, WorkflowID: start.Definition.ID, Started: start.StartedAt, Told: start.StartedAt}
	err = r.runs.frames(ctx, start.RunID, func(frame run.Frame) error {
		last = frame.Seq
		if fold.Path(frame.Node).Inside() {
			state.Told = frame.Time // a result tells nothing of bodies
			return nil
		}
		told += shownBytes(&frame)
		e, err := frame.Bare()
		if err != nil {
			return fmt.Errorf("frame %d: %w", frame.Seq, err)
		}
		if frame.Outputs != (run.Span{}) {
			r.encoder.Recall(&frame)
			e.Outputs = run.ToldBefore()
		}
		state.Apply(e)
		return nil
	})
	nodes := make([]string, len(start.Definition.Nodes))
	for i := range nodes {
		nodes[i] = start.Definition.Nodes[i].ID
	}
	return state.Result(nodes), last, told, err
}

// shownBytes returns how long a frame is as it is shown.
func shownBytes(f *run.Frame) int64 {
	n := int64(len(f.Data))
	for i := range f.Holes {
		if h := &f.Holes[i]; h.OfRun || h.Size <= limit.Shown {
			n += int64(h.Size)
		}
	}
	return n
}

// frames calls visit with every frame in the journal of a run.
func (l *LocalRuns) frames(ctx context.Context, runID string, visit func(run.Frame) error) error {
	for after := 0; ; {
		frames, err := l.journals.Frames(ctx, runID, after, recoverRead)
		if err != nil || len(frames) == 0 {
			return err
		}
		for _, frame := range frames {
			if err := visit(frame); err != nil {
				return err
			}
		}
		after = frames[len(frames)-1].Seq
	}
}
