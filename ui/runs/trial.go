package runs

import (
	"context"
	"errors"
	"iter"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/fold"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/ui/editor/board"
	"github.com/svcflow/svc/ui/job"
	"github.com/svcflow/svc/ui/runview/record"
)

// Trier runs a workflow without recording the run. It returns when the run has ended, or
// before it starts if the workflow is invalid.
type Trier func(ctx context.Context, def *workflow.Definition, o run.Request, observe func(engine.Event)) error

// Within runs a body by itself, as if it were an iteration of its container at a step: its
// events have the paths of that iteration.
func (try Trier) Within(step fold.Path) Trier {
	return func(ctx context.Context, def *workflow.Definition, o run.Request, observe func(engine.Event)) error {
		err := try(ctx, def, o, func(e engine.Event) {
			if e.NodeID != "" {
				e.NodeID = string(step.Beside(e.NodeID))
			}
			if e.Name.Terminal() {
				e.Error = failedWithin(step, e.Error)
				if e.Result != nil { // its node ids are relative to the body, so leave them out
					bare := *e.Result
					bare.Nodes, bare.Order, bare.Error = nil, nil, failedWithin(step, bare.Error)
					e.Result = &bare
				}
			}
			observe(e)
		})
		if problems, ok := errors.AsType[engine.ValidationErrors](err); ok {
			return problemsWithin(step, problems)
		}
		return err
	}
}

func failedWithin(step fold.Path, f *engine.Failure) *engine.Failure {
	if f == nil || f.NodeID == "" {
		return f
	}
	within := *f
	within.NodeID = nodeWithin(step, f.NodeID)
	return &within
}

func problemsWithin(step fold.Path, problems engine.ValidationErrors) (within engine.ValidationErrors) {
	for _, p := range problems {
		at := *p
		at.NodeID, at.Connection = nodeWithin(step, p.NodeID), nil
		within = append(within, &at)
	}
	return within
}

// nodeWithin returns the path of a node of the body at a step.
func nodeWithin(step fold.Path, id string) string {
	containers, _ := fold.Split(step.Node())
	return fold.Join(containers, id)
}

// Try is Start for a run that is not recorded: it cannot be found again, and ends when it is
// no longer shown. It waits at stops, which may be nil.
func (r *Runs) Try(at Host, on *board.Board, def *workflow.Definition, o run.Request, stops *Stops, try Trier) {
	r.Forget()
	t := newTrial(r.config.Jobs.Child(), at.Backend)
	if stops != nil {
		stops.follow(t.jobs)
		o.Before = stops.before
	}
	t.begin(def, o, try, stops)
	shown := &Run{Host: Host{URL: at.URL, Backend: t}, Record: record.New(), Board: on, Stops: stops, trial: t}
	r.follow(shown, t.started)
	r.show(shown)
}

// trial is a run that is not recorded. It takes the role of the host.
type trial struct {
	Backend

	jobs   *job.Runner // its own
	stop   context.CancelFunc
	events chan engine.Event
	first  engine.Event
	ended  chan struct{} // closed after the last event
	err    error         // why the workflow was not run; set before ended is closed
}

func newTrial(jobs *job.Runner, at Backend) *trial {
	return &trial{Backend: at, jobs: jobs, events: make(chan engine.Event), ended: make(chan struct{})}
}

// begin runs the workflow.
func (t *trial) begin(def *workflow.Definition, o run.Request, try Trier, stops *Stops) {
	gone := t.jobs.Context()
	ctx, stop := context.WithCancel(gone)
	t.stop = stop
	t.jobs.Go(func(context.Context) func() {
		defer stop()
		defer close(t.ended)
		t.err = try(ctx, def, o, func(e engine.Event) {
			if stops != nil {
				stops.after(&e)
			}
			select {
			case t.events <- e:
			case <-gone.Done(): // the run is no longer shown
			}
		})
		return nil
	})
}

// started returns the id of the run once it has started.
func (t *trial) started(ctx context.Context) (runID string, err error) {
	select {
	case t.first = <-t.events:
		return t.first.RunID, nil
	case <-t.ended:
		if t.err == nil {
			return "", errors.New("the run has not begun")
		}
		return "", t.err
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// Events returns the events of the run from the first one.
func (t *trial) Events(ctx context.Context, _ string, _ int) iter.Seq2[engine.Event, error] {
	return func(yield func(engine.Event, error) bool) {
		for e := t.first; yield(e, nil); {
			select {
			case e = <-t.events:
			case <-t.ended:
				return
			case <-ctx.Done():
				yield(engine.Event{}, ctx.Err())
				return
			}
		}
	}
}

// Cancel cancels the run.
func (t *trial) Cancel(context.Context, string) error {
	t.stop()
	return nil
}
