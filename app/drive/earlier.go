package drive

import (
	"context"
	"crypto/sha256"
	"errors"
	"slices"
	"sync"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/fold"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/store"
)

// maxRecalled bounds the bytes of earlier outputs that are kept in memory. Outputs beyond it are
// read again when their node is called.
const maxRecalled = 64 << 20

// EarlierRuns holds the node outputs of the runs that a run resumes, and their interrupted nodes.
type EarlierRuns struct {
	env   *Env
	from  Records
	shape Shape           // of the current workflow
	again map[string]bool // nodes that are called in any case; see shape.behind
	runs  []*earlierRun   // newest first
	stale []map[string]bool
	lost  map[string]bool // paths of nodes that were called without a recorded end
	bytes int             // of the frames in memory

	mu     sync.Mutex
	now    map[string]string // digests of node ends in this run, by path; see digestOf
	values Values
}

// earlierRun is one of the runs.
type earlierRun struct {
	id    string
	shape Shape
	nodes map[string]outcomeFrame // ends of nodes, by path
	stale []map[string]bool       // nodes that a later run was to call again; see shape.behind
}

// outcomeFrame locates the recorded end of a node.
type outcomeFrame struct {
	seq       int
	frame     *run.Frame // nil if it is not in memory
	succeeded bool
}

// LoadEarlierRuns loads the run that now resumes, and the runs which that one resumed: it may
// have ended before it got as far as they did.
func LoadEarlierRuns(ctx context.Context, env *Env, from Records, now *run.Start) (*EarlierRuns, error) {
	p := &EarlierRuns{env: env, from: from, shape: ShapeOf(now.Definition, now.Workflows), lost: map[string]bool{}, now: map[string]string{}}
	if now.From != "" {
		p.again = p.shape.behind(now.From)
	}
	start, err := from.Start(ctx, now.ResumedFrom)
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
		start, err = from.Start(ctx, start.ResumedFrom)
		if errors.Is(err, store.ErrRunNotFound) || errors.Is(err, store.ErrRunDamaged) {
			return p, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// IDs returns the ids of the runs, newest first.
func (p *EarlierRuns) IDs() (ids []string) {
	for _, r := range p.runs {
		ids = append(ids, r.id)
	}
	return ids
}

// add loads a run, which is older than those loaded before.
func (p *EarlierRuns) add(ctx context.Context, start *run.Start) error {
	r := &earlierRun{id: start.RunID, shape: ShapeOf(start.Definition, start.Workflows), nodes: map[string]outcomeFrame{}, stale: p.stale}
	if start.From != "" {
		p.stale = append(slices.Clip(p.stale), r.shape.behind(start.From))
	}
	under := map[string]bool{}
	err := eachFrame(ctx, p.from, r.id, func(frame run.Frame) error {
		switch {
		case frame.Node == "":
		case frame.Name == engine.EventStarted:
			under[frame.Node] = true
		case frame.Name == engine.EventNode:
			delete(under, frame.Node)
			at := outcomeFrame{seq: frame.Seq, succeeded: frame.Status == engine.StatusSucceeded}
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

// ended reports whether a run that is already loaded recorded the end of a node.
func (p *EarlierRuns) ended(path string) bool {
	return slices.ContainsFunc(p.runs, func(r *earlierRun) bool {
		_, ok := r.nodes[path]
		return ok
	})
}

// observe records how a node of the current run ended, before the nodes behind it start.
func (p *EarlierRuns) observe(f *run.Frame, e *engine.Event) {
	if e.Name == engine.EventNode {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.now[e.NodeID] = digestOf(f, e)
	}
}

// digestOf returns a digest that is equal for equal ends of a node. Redacted ends are never
// equal. Large values count by their own digests and are not read.
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

// underWay implements engine.Options.Lost. Once the failure has been reported, the user may have
// the node called again by resuming from it.
func (p *EarlierRuns) underWay(path string) bool {
	return p.lost[path] && !isAgain(p.again, fold.Path(path).Node())
}

// outputs implements engine.Options.Reuse.
func (p *EarlierRuns) outputs(path string) (map[string]any, bool) {
	name := fold.Path(path).Node()
	if isAgain(p.again, name) {
		return nil, false
	}
	for _, r := range p.runs {
		at, ok := r.nodes[path]
		if !ok || !at.succeeded || r.isStale(name) || r.shape[name].signature != p.shape[name].signature || !p.sameInputs(r, fold.Path(path)) {
			continue
		}
		e, err := p.open(r, at)
		if err != nil {
			p.env.Log.Warn("an outcome of an earlier run cannot be read; its node is called again", "run", r.id, "node", path, "error", err)
			return nil, false
		}
		return e.Outputs, !e.Redacted
	}
	return nil, false
}

// isStale reports whether a later run was to call a node again, so that its end in r does not
// count.
func (r *earlierRun) isStale(name string) bool {
	return slices.ContainsFunc(r.stale, func(again map[string]bool) bool { return isAgain(again, name) })
}

// sameInputs reports whether all nodes wired to a node have ended as they did in an earlier run.
func (p *EarlierRuns) sameInputs(r *earlierRun, path fold.Path) bool {
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

func (p *EarlierRuns) read(r *earlierRun, at outcomeFrame) (*run.Frame, error) {
	if at.frame != nil {
		return at.frame, nil
	}
	f, err := NewSource(context.Background(), p.from, r.id).Frame(at.seq)
	return &f, err
}

// open reads an outcome with its large values.
func (p *EarlierRuns) open(r *earlierRun, at outcomeFrame) (engine.Event, error) {
	f, err := p.read(r, at)
	if err != nil {
		return engine.Event{}, err
	}
	from := NewSource(context.Background(), p.from, r.id)
	return f.Opened(from, func(h *run.Reference) (any, error) { return p.values.Get(from, h) })
}
