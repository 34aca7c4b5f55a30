package app

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"maps"
	"slices"
	"sync"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/fold"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/store"
)

// maxRecalled is how many bytes of what earlier runs have put out are kept in
// memory while a run goes on with them. What is beyond is read again when its node
// comes up.
const maxRecalled = 64 << 20

// ErrNoSuchNode says that a run cannot go on from a node that its workflow does not have.
var ErrNoSuchNode = errors.New("the workflow has no node of the name that the run should go on from; name it by its id, or in a body like loop/fmt")

// Resume starts a new run that goes on with one that has ended: with the workflow, inputs
// and overrides as they were then, or with what how says. Nodes that have succeeded are
// not called again, whatever body they are in, unless their type, their config, their
// body or the values of their inputs are others now. It takes a place like any run. Of a
// run that goes on or is being resumed already, or has completed while nothing is changed,
// the error is [ErrRunNotResumable].
func (a *App) Resume(ctx context.Context, runID string, how run.Resumption) (newRunID string, err error) {
	record, err := a.runs.Record(ctx, runID)
	if err != nil {
		return "", err
	}
	if goesOn(&record) {
		return "", ErrRunNotResumable
	}
	before, err := a.runs.Started(ctx, runID)
	if err != nil {
		return "", err
	}
	made, err := a.compileResumed(ctx, &before, how)
	if err != nil {
		return "", err
	}
	inputs := maps.Clone(orEmpty(before.Inputs))
	maps.Copy(inputs, how.Inputs)
	w, err := made.work(run.Start{
		ResumedFrom: runID, From: how.From, Inputs: inputs, Firing: before.Firing, StartedBy: before.StartedBy, Stored: before.Stored,
	})
	if err == nil {
		err = resumable(&record, &before, &w.Start)
	}
	if err != nil {
		return "", err
	}
	return a.runs.Resume(ctx, w)
}

// resumable says why a run cannot go on with one that has ended, and was started as before
// says.
func resumable(record *run.Record, before, start *run.Start) error {
	if record.Status != engine.StatusCompleted && start.From == "" {
		return nil
	}
	now := shapeOf(start.Definition, start.Workflows)
	if start.From != "" {
		if now.behind(start.From) == nil {
			return ErrNoSuchNode
		}
		return nil
	}
	changed := !bytes.Equal(value.Append(nil, start.Inputs), value.Append(nil, orEmpty(before.Inputs))) ||
		!maps.EqualFunc(now, shapeOf(before.Definition, before.Workflows), func(a, b shapedNode) bool { return a.signature == b.signature })
	if !changed {
		return ErrRunNotResumable
	}
	return nil
}

func orEmpty(m map[string]any) map[string]any {
	if m == nil {
		return map[string]any{}
	}
	return m
}

// compileResumed makes the plan that goes on with a run.
func (a *App) compileResumed(ctx context.Context, start *run.Start, how run.Resumption) (*compiled, error) {
	switch {
	case how.Workflow != nil:
		return a.compile(ctx, how.Workflow)
	case how.Current:
		return a.compileStored(ctx, start.Definition.ID, nil)
	}
	return a.compileFrom(ctx, start.Definition, func(_ context.Context, id string) (*workflow.Definition, error) {
		if def := start.Workflows[id]; def != nil {
			return def, nil
		}
		return nil, workflow.ErrNotFound
	})
}

// compileRecorded makes the plan of what a run was started with.
func (a *App) compileRecorded(ctx context.Context, start *run.Start) (*engine.Plan, error) {
	made, err := a.compileResumed(ctx, start, run.Resumption{})
	if err != nil {
		return nil, err
	}
	return made.plan, nil
}

// past is what the nodes of earlier runs have put out, and which were under way.
type past struct {
	local *LocalRuns
	shape shape           // of the workflow that is run now
	again map[string]bool // nodes that are called in any case; see shape.behind
	runs  []*pastRun      // the newest first
	lost  map[string]bool // paths of nodes that were called, and no run tells how that ended
	bytes int             // of the frames that are kept

	mu     sync.Mutex
	now    map[string]string // how nodes have ended in this run, by path; see digestOf
	values largeValues
}

// pastRun is an earlier run.
type pastRun struct {
	id    string
	shape shape
	nodes map[string]pastFrame // how nodes have ended, by path
}

// pastFrame is where an outcome of a node is recorded.
type pastFrame struct {
	seq       int
	frame     *run.Frame // nil if it has to be read again
	succeeded bool
}

// recall reads what the nodes of the run have put out with which one goes on, and of the runs
// that it went on with: it may have ended before it came as far as they did.
func (l *LocalRuns) recall(ctx context.Context, now *run.Start) (*past, error) {
	p := &past{local: l, shape: shapeOf(now.Definition, now.Workflows), lost: map[string]bool{}, now: map[string]string{}}
	if now.From != "" {
		p.again = p.shape.behind(now.From)
	}
	start, err := l.journals.Start(ctx, now.ResumedFrom)
	if err != nil {
		return nil, err
	}
	for {
		if err := p.add(ctx, &start); err != nil {
			return nil, err
		}
		if start.ResumedFrom == "" {
			return p, nil
		}
		start, err = l.journals.Start(ctx, start.ResumedFrom)
		if errors.Is(err, store.ErrRunNotFound) || errors.Is(err, store.ErrRunDamaged) {
			return p, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// ids returns the runs, the newest first.
func (p *past) ids() (ids []string) {
	for _, r := range p.runs {
		ids = append(ids, r.id)
	}
	return ids
}

// add adds what is recorded of a run, which is older than those that are there.
func (p *past) add(ctx context.Context, start *run.Start) error {
	r := &pastRun{id: start.RunID, shape: shapeOf(start.Definition, start.Workflows), nodes: map[string]pastFrame{}}
	under := map[string]bool{}
	err := p.local.frames(ctx, r.id, func(frame run.Frame) error {
		switch {
		case frame.Node == "":
		case frame.Name == engine.EventStarted:
			under[frame.Node] = true
		case frame.Name == engine.EventNode:
			delete(under, frame.Node)
			at := pastFrame{seq: frame.Seq, succeeded: frame.Status == engine.StatusSucceeded}
			if p.bytes += len(frame.Data); p.bytes <= maxRecalled {
				at.frame = &frame
			}
			r.nodes[frame.Node] = at
		}
		return nil
	})
	for path := range under {
		if !p.ended(path) {
			p.lost[path] = true
		}
	}
	p.runs = append(p.runs, r)
	return err
}

// ended reports whether a run that is known already tells the end of a node.
func (p *past) ended(path string) bool {
	return slices.ContainsFunc(p.runs, func(r *pastRun) bool {
		_, ok := r.nodes[path]
		return ok
	})
}

// observe hears of every event of the run that goes on, before what lies behind it begins.
func (p *past) observe(f *run.Frame, e *engine.Event) {
	if e.Name == engine.EventNode {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.now[e.NodeID] = digestOf(f, e)
	}
}

// digestOf tells outcomes of a node apart. Those that held secrets are like no other. It
// goes by the digests of large values, without reading them.
func digestOf(f *run.Frame, e *engine.Event) string {
	var text []byte
	at := f.Outputs.From
	for _, h := range f.Holes {
		text = append(append(text, f.Data[at:h.At]...), h.Digest[:]...)
		at = h.At
	}
	text = append(text, f.Data[at:max(at, f.Outputs.To)]...)
	if e.Error != nil {
		text = append(text, e.Error.Code+e.Error.Message...)
	}
	if e.Redacted {
		text = append(text, e.RunID...)
	}
	sum := sha256.Sum256(append(text, e.Status.String()...))
	return string(sum[:])
}

// underWay implements engine.Options.Lost. A failure that says so has told the user, who
// may then have the node called once more.
func (p *past) underWay(path string) bool {
	return p.lost[path] && !isAgain(p.again, fold.Path(path).Node())
}

// outputs implements engine.Options.Reuse.
func (p *past) outputs(path string) (map[string]any, bool) {
	name := fold.Path(path).Node()
	if isAgain(p.again, name) {
		return nil, false
	}
	for _, r := range p.runs {
		at, ok := r.nodes[path]
		if !ok || !at.succeeded || r.shape[name].signature != p.shape[name].signature || !p.sameInputs(r, fold.Path(path)) {
			continue
		}
		e, err := p.open(r, at)
		if err != nil {
			p.local.env.Log.Warn("an outcome of an earlier run cannot be read; its node is called again", "run", r.id, "node", path, "error", err)
			return nil, false
		}
		return e.Outputs, !e.Redacted
	}
	return nil, false
}

// sameInputs reports whether all from which wires lead to a node have ended now as they
// did in an earlier run.
func (p *past) sameInputs(r *pastRun, path fold.Path) bool {
	for _, id := range p.shape[path.Node()].sources {
		source := string(path.Beside(id))
		p.mu.Lock()
		now, ok := p.now[source]
		p.mu.Unlock()
		at, known := r.nodes[source]
		if !ok || !known {
			return false
		}
		f, err := p.read(r, at)
		if err != nil {
			return false
		}
		if e, err := f.Bare(); err != nil || digestOf(f, &e) != now {
			return false
		}
	}
	return true
}

func (p *past) read(r *pastRun, at pastFrame) (*run.Frame, error) {
	if at.frame != nil {
		return at.frame, nil
	}
	f, err := p.local.Source(context.Background(), r.id).Frame(at.seq)
	return &f, err
}

// open reads an outcome with its values.
func (p *past) open(r *pastRun, at pastFrame) (engine.Event, error) {
	f, err := p.read(r, at)
	if err != nil {
		return engine.Event{}, err
	}
	from := p.local.Source(context.Background(), r.id)
	return f.Opened(from, func(h *run.Hole) (any, error) { return p.values.get(from, h) })
}
