package drive

import (
	"context"
	"fmt"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/fold"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/workflow"
)

// SoFar returns what the journal of a run tells about its outcome; the run is at the last frame
// in it from then on. It ends with the last thing it tells of; nodes of which it tells no end
// are cancelled. What nodes have put out is not read: the last frame is going to say which
// frames have it.
func (r *Run) SoFar(ctx context.Context) (*engine.Result, error) {
	start := &r.Start
	t := telling{encoder: &r.encoder}
	t.state = fold.State{RunID: start.RunID, WorkflowID: start.Definition.ID, Started: start.StartedAt, Told: start.StartedAt}
	err := eachFrame(ctx, r.from, start.RunID, func(frame run.Frame) error {
		r.seq = max(r.seq, frame.Seq)
		return t.take(&frame)
	})
	return t.result(start.Definition), err
}

// Unread returns how a run of a workflow stands at the last frame of its journal, in which the
// run is from then on. Nobody reads the others until somebody reads how the run has ended: what
// its nodes have come to is found out then.
func (r *Run) Unread(workflowID string, last *run.Frame) *engine.Result {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.seq, r.unread = last.Seq, true
	result := &engine.Result{
		RunID: r.Start.RunID, WorkflowID: workflowID, StartedAt: r.Start.StartedAt, FinishedAt: r.Start.StartedAt, Outputs: map[string]any{},
	}
	if last.Time.After(result.StartedAt) {
		result.FinishedAt = last.Time
	}
	result.Duration = result.FinishedAt.Sub(result.StartedAt)
	return result
}

// Nodes implements [run.Source].
func (s source) Nodes(seq int) (run.Frame, error) {
	def, err := s.outline()
	if err != nil {
		return run.Frame{}, err
	}
	t := telling{encoder: &run.Encoder{}}
	err = eachFrame(s.ctx, s.from, s.runID, func(frame run.Frame) error {
		if frame.Seq > seq {
			return nil
		}
		return t.take(&frame)
	})
	if err != nil {
		return run.Frame{}, err
	}
	return t.encoder.Nodes(seq, t.result(def)), nil
}

// outline returns the workflow of the run, at least its id and those of its nodes.
func (s source) outline() (*workflow.Definition, error) {
	type outlined interface {
		Outline(ctx context.Context, runID string) (*workflow.Definition, error)
	}
	if from, ok := s.from.(outlined); ok {
		return from.Outline(s.ctx, s.runID)
	}
	start, err := s.from.Start(s.ctx, s.runID)
	return start.Definition, err
}

// telling makes an outcome of the frames of a run.
type telling struct {
	state   fold.State
	encoder *run.Encoder // is told which frames have what nodes have put out
}

// take takes over a frame.
func (t *telling) take(f *run.Frame) error {
	if fold.Path(f.Node).Inside() {
		t.state.Told = f.Time // a result tells nothing of bodies
		return nil
	}
	e, err := tellingOf(f)
	if err != nil {
		return fmt.Errorf("frame %d: %w", f.Seq, err)
	}
	if f.Outputs != (run.Span{}) {
		t.encoder.Recall(f)
		e.Outputs = run.ToldBefore()
	}
	t.state.Apply(e)
	return nil
}

func (t *telling) result(def *workflow.Definition) *engine.Result {
	nodes := make([]string, len(def.Nodes))
	for i := range nodes {
		nodes[i] = def.Nodes[i].ID
	}
	return t.state.Result(nodes)
}

// tellingOf returns of the event of a frame what an outcome tells. The head of a frame says all
// there is to know of a start, and half of all frames are starts.
func tellingOf(f *run.Frame) (engine.Event, error) {
	if f.Name == engine.EventStarted {
		return engine.Event{Name: f.Name, Seq: f.Seq, Time: f.Time, NodeID: f.Node}, nil
	}
	return f.EventWithoutOutputs()
}
