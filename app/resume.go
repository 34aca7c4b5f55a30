package app

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/store"
)

// maxRecalled is how many bytes of what earlier runs have put out are kept in
// memory while a run goes on with them. What is beyond is read again when its node
// comes up.
const maxRecalled = 64 << 20

// Resume starts a new run that goes on with one that failed or was cancelled: the
// same workflow, inputs and overrides as they were then, where nodes that have
// succeeded are not called again, whatever body they are in. It takes a place
// like any run. Of a run that goes on, has completed or is being resumed already
// the error is [ErrRunNotResumable].
func (a *App) Resume(ctx context.Context, runID string) (newRunID string, err error) {
	defer a.keys.lock("resume " + runID)()
	record, err := a.Run(ctx, runID)
	if err != nil {
		return "", err
	}
	if record.Status == engine.StatusRunning || record.Status == engine.StatusCompleted || a.recent.resuming(runID) != nil {
		return "", ErrRunNotResumable
	}
	start, err := a.journals.Start(ctx, runID)
	if err != nil {
		return "", err
	}
	made, err := a.compileFrom(ctx, start.Definition, func(_ context.Context, id string) (*workflow.Definition, error) {
		if def := start.Workflows[id]; def != nil {
			return def, nil
		}
		return nil, workflow.ErrNotFound
	})
	if err != nil {
		return "", err
	}
	past, err := a.recall(ctx, start)
	if err != nil {
		return "", err
	}
	return a.launch(ctx, made, run.Start{ResumedFrom: runID, Inputs: start.Inputs}, past, &a.door.async)
}

// past is what the nodes of earlier runs have put out, and which were under way.
type past struct {
	app   *App
	mu    sync.Mutex
	nodes map[string]pastFrame // by path
	bytes int                  // of the frames that are kept
	ended map[string]bool      // paths of nodes that ended otherwise
	lost  map[string]bool      // paths of nodes that were called, and no run tells how that ended
}

// pastFrame is where an outcome of a node is recorded.
type pastFrame struct {
	runID string
	seq   int
	data  []byte // nil if it has to be read again
}

// recall reads what the nodes of a run have put out, and of the runs that it went
// on with: it may have ended before it came as far as they did.
func (a *App) recall(ctx context.Context, start run.Start) (*past, error) {
	p := &past{app: a, nodes: map[string]pastFrame{}, ended: map[string]bool{}, lost: map[string]bool{}}
	for {
		if err := p.add(ctx, start.RunID); err != nil {
			return nil, err
		}
		if start.ResumedFrom == "" {
			return p, nil
		}
		var err error
		start, err = a.journals.Start(ctx, start.ResumedFrom)
		if errors.Is(err, store.ErrRunNotFound) || errors.Is(err, store.ErrRunDamaged) {
			return p, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// add adds what is recorded of a run, where no later run is known already.
func (p *past) add(ctx context.Context, runID string) error {
	under := map[string]bool{}
	err := p.app.frames(ctx, runID, func(frame run.Frame) error {
		if frame.Name != engine.EventNode && frame.Name != engine.EventStarted {
			return nil
		}
		if frame.Name == engine.EventStarted {
			under[frame.Node] = true
			return nil
		}
		delete(under, frame.Node)
		if frame.Status != engine.StatusSucceeded {
			p.ended[frame.Node] = true
			return nil
		}
		if _, ok := p.nodes[frame.Node]; ok {
			return nil
		}
		at := pastFrame{runID: runID, seq: frame.Seq}
		if p.bytes += len(frame.Data); p.bytes <= maxRecalled {
			at.data = frame.Data
		}
		p.nodes[frame.Node] = at
		return nil
	})
	for path := range under {
		if _, known := p.nodes[path]; !known && !p.ended[path] {
			p.lost[path] = true
		}
	}
	return err
}

// underWay implements engine.Options.Lost. A failure that says so has told the user, who
// may then have the node called once more.
func (p *past) underWay(path string) bool { return p.lost[path] }

// outputs implements engine.Options.Reuse. Each outcome is asked for once.
func (p *past) outputs(path string) (map[string]any, bool) {
	p.mu.Lock()
	at, ok := p.nodes[path]
	delete(p.nodes, path)
	p.mu.Unlock()
	if !ok {
		return nil, false
	}
	e, err := p.read(at)
	if err != nil {
		p.app.log.Warn("an outcome of an earlier run cannot be read; its node is called again", "run", at.runID, "node", path, "error", err)
		return nil, false
	}
	return e.Outputs, !e.Redacted
}

func (p *past) read(at pastFrame) (engine.Event, error) {
	frame := run.Frame{Seq: at.seq, Name: engine.EventNode, Data: at.data}
	if at.data == nil {
		frames, err := p.app.journals.Frames(context.Background(), at.runID, at.seq-1, 1)
		if err != nil {
			return engine.Event{}, err
		}
		if len(frames) == 0 {
			return engine.Event{}, fmt.Errorf("frame %d has gone", at.seq)
		}
		frame = frames[0]
	}
	return eventOf(frame)
}
