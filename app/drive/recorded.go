package drive

import (
	"context"
	"fmt"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/fold"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/workflow"
)

// RecordedResult returns the result of a run as far as it is recorded, and sets the run to its
// last frame. Nodes without a recorded end are cancelled. Outputs are not read: the terminal
// frame refers to the frames that have them.
func (r *Run) RecordedResult(ctx context.Context) (*engine.Result, error) {
	start := &r.Start
	t := resultReader{encoder: &r.encoder}
	t.state = fold.State{RunID: start.RunID, WorkflowID: start.Definition.ID, Started: start.StartedAt, Told: start.StartedAt}
	err := eachFrame(ctx, r.from, start.RunID, func(frame run.Frame) error {
		r.seq = max(r.seq, frame.Seq)
		return t.add(&frame)
	})
	return t.result(start.Definition), err
}

// ResultAt returns the result of a run at its last frame without reading the other frames, and
// sets the run to that frame. The terminal frame omits the nodes; readers derive them from the
// journal.
func (r *Run) ResultAt(workflowID string, last *run.Frame) *engine.Result {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.seq, r.omitNodes = last.Seq, true
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
	t := resultReader{encoder: &run.Encoder{}}
	err = eachFrame(s.ctx, s.from, s.runID, func(frame run.Frame) error {
		if frame.Seq > seq {
			return nil
		}
		return t.add(&frame)
	})
	if err != nil {
		return run.Frame{}, err
	}
	return t.encoder.Nodes(seq, t.result(def)), nil
}

// outline returns the workflow of the run, with at least its id and those of its nodes.
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

// resultReader derives a result from frames.
type resultReader struct {
	state   fold.State
	encoder *run.Encoder // records which frames have outputs
}

// add applies a frame.
func (t *resultReader) add(f *run.Frame) error {
	if fold.Path(f.Node).Inside() {
		t.state.Told = f.Time // results omit bodies
		return nil
	}
	e, err := resultEvent(f)
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

func (t *resultReader) result(def *workflow.Definition) *engine.Result {
	nodes := make([]string, len(def.Nodes))
	for i := range nodes {
		nodes[i] = def.Nodes[i].ID
	}
	return t.state.Result(nodes)
}

// resultEvent returns the event of a frame as far as results need it. For a start, the head of
// the frame is enough; half of all frames are starts.
func resultEvent(f *run.Frame) (engine.Event, error) {
	if f.Name == engine.EventStarted {
		return engine.Event{Name: f.Name, Seq: f.Seq, Time: f.Time, NodeID: f.Node}, nil
	}
	return f.EventWithoutOutputs()
}
