package storetest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sync"
	"time"

	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/store"
)

// owner is a [store.RunStore] over shared runs, so that they can be tested with the suite of stores
// with one owner.
type owner struct {
	store.SharedRuns

	keep   store.Retention
	driver string

	mu       sync.Mutex
	journals map[string]*ownJournal // of unfinished runs
}

// ownJournal appends frames until its owner is closed.
type ownJournal struct {
	of    *owner
	runID string
	taken store.Taken
}

// Create implements [store.RunStore].
func (o *owner) Create(ctx context.Context, start run.Start) (store.Journal, error) {
	if err := o.Begin(ctx, start, store.SharedLimits{}); err != nil {
		return nil, err
	}
	j, err := o.Reopen(ctx, start.RunID)
	return j, errors.Join(err, o.Tidy(ctx, o.keep))
}

// Keep implements [store.RunStore].
func (o *owner) Keep(ctx context.Context, ended []run.Kept) []error {
	errs := o.SharedRuns.Keep(ctx, ended)
	if err := o.Tidy(ctx, o.keep); err != nil {
		return []error{err}
	}
	return errs
}

// Unfinished implements [store.RunStore].
func (o *owner) Unfinished(ctx context.Context) ([]string, error) {
	if err := o.Renew(ctx, o.driver); err != nil {
		return nil, err
	}
	ids, err := o.SharedRuns.Unfinished(ctx, 1000)
	if err != nil {
		return nil, err
	}
	waiting, err := o.Waiting(ctx, time.Time{})
	for i := range waiting {
		ids = append(ids, waiting[i].RunID)
	}
	slices.Sort(ids) // ids begin with the start time
	return ids, err
}

// Reopen implements [store.RunStore].
func (o *owner) Reopen(ctx context.Context, runID string) (store.Journal, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if o.journals[runID] != nil {
		return nil, fmt.Errorf("run %s: %w", runID, store.ErrRunDriven)
	}
	if err := o.Renew(ctx, o.driver); err != nil {
		return nil, err
	}
	taken, err := o.Take(ctx, runID, o.driver)
	if err != nil {
		return nil, err
	}
	j := &ownJournal{o, runID, taken}
	o.journals[runID] = j
	return j, nil
}

// Outline implements [store.RunStore].
func (o *owner) Outline(ctx context.Context, runID string) (*workflow.Definition, error) {
	start, err := o.Start(ctx, runID)
	if err != nil {
		return nil, err
	}
	outline := &workflow.Definition{ID: start.Definition.ID, Nodes: make([]workflow.Node, len(start.Definition.Nodes))}
	for i := range outline.Nodes {
		outline.Nodes[i].ID = start.Definition.Nodes[i].ID
	}
	return outline, nil
}

// Finish implements [store.RunStore].
func (o *owner) Finish(ctx context.Context, lasts []store.Last) []error {
	errs := make([]error, len(lasts))
	failed := false
	for i := range lasts {
		errs[i] = o.finish(ctx, &lasts[i])
		failed = failed || errs[i] != nil
	}
	if !failed {
		return nil
	}
	return errs
}

func (o *owner) finish(ctx context.Context, last *store.Last) error {
	if !last.Frame.Name.Terminal() {
		return fmt.Errorf("frame %d is not the last one", last.Frame.Seq)
	}
	j, err := o.Reopen(ctx, last.RunID)
	if err != nil {
		return err
	}
	if err = j.Append(last.Frame); err != nil {
		o.mu.Lock()
		defer o.mu.Unlock()
		err = errors.Join(err, o.journals[last.RunID].taken.Leave(ctx, time.Time{}))
		delete(o.journals, last.RunID)
	}
	return err
}

// Append implements [store.Journal].
func (j *ownJournal) Append(f run.Frame) error {
	o := j.of
	o.mu.Lock()
	closed := o.journals == nil
	o.mu.Unlock()
	if closed {
		return fs.ErrClosed
	}
	err := j.taken.Append(context.Background(), f)
	if err != nil || !f.Name.Terminal() {
		return err
	}
	o.mu.Lock()
	delete(o.journals, j.runID)
	o.mu.Unlock()
	return o.Tidy(context.Background(), o.keep)
}

// Close implements [store.RunStore].
func (o *owner) Close() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.journals = nil
	return errors.Join(o.Retire(context.Background(), o.driver), o.SharedRuns.Close())
}
