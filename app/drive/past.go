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

// maxRecalled is how many bytes of what earlier runs have put out are kept in
// memory while a run goes on with them. What is beyond is read again when its node
// comes up.
const maxRecalled = 64 << 20

// Past is what the nodes of earlier runs have put out, and which were under way.
type Past struct {
	env   *Env
	from  Records
	shape Shape           // of the workflow that is run now
	again map[string]bool // nodes that are called in any case; see shape.behind
	runs  []*pastRun      // the newest first
	stale []map[string]bool
	lost  map[string]bool // paths of nodes that were called, and no run tells how that ended
	bytes int             // of the frames that are kept

	mu     sync.Mutex
	now    map[string]string // how nodes have ended in this run, by path; see digestOf
	values Values
}

// pastRun is an earlier run.
type pastRun struct {
	id    string
	shape Shape
	nodes map[string]pastFrame // how nodes have ended, by path
	stale []map[string]bool    // nodes that a later run was to call again; see shape.behind
}

// pastFrame is where an outcome of a node is recorded.
type pastFrame struct {
	seq       int
	frame     *run.Frame // nil if it has to be read again
	succeeded bool
}

// RecallPast reads what the nodes of the run have put out with which one goes on, and of the runs
// that it went on with: it may have ended before it came as far as they did.
func RecallPast(ctx context.Context, env *Env, from Records, now *run.Start) (*Past, error) {
	p := &Past{env: env, from: from, shape: ShapeOf(now.Definition, now.Workflows), lost: map[string]bool{}, now: map[string]string{}}
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

// IDs returns the runs, the newest first.
func (p *Past) IDs() (ids []string) {
	for _, r := range p.runs {
		ids = append(ids, r.id)
	}
	return ids
}

// add adds what is recorded of a run, which is older than those that are there.
func (p *Past) add(ctx context.Context, start *run.Start) error {
	r := &pastRun{id: start.RunID, shape: ShapeOf(start.Definition, start.Workflows), nodes: map[string]pastFrame{}, stale: p.stale}
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
func (p *Past) ended(path string) bool {
	return slices.ContainsFunc(p.runs, func(r *pastRun) bool {
		_, ok := r.nodes[path]
		return ok
	})
}

// observe hears of every event of the run that goes on, before what lies behind it begins.
func (p *Past) observe(f *run.Frame, e *engine.Event) {
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
func (p *Past) underWay(path string) bool {
	return p.lost[path] && !isAgain(p.again, fold.Path(path).Node())
}

// outputs implements engine.Options.Reuse.
func (p *Past) outputs(path string) (map[string]any, bool) {
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

// isStale reports whether a later run was to call the node of a name again: what r tells of
// it counts no more.
func (r *pastRun) isStale(name string) bool {
	return slices.ContainsFunc(r.stale, func(again map[string]bool) bool { return isAgain(again, name) })
}

// sameInputs reports whether all from which wires lead to a node have ended now as they
// did in an earlier run.
func (p *Past) sameInputs(r *pastRun, path fold.Path) bool {
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

func (p *Past) read(r *pastRun, at pastFrame) (*run.Frame, error) {
	if at.frame != nil {
		return at.frame, nil
	}
	f, err := NewSource(context.Background(), p.from, r.id).Frame(at.seq)
	return &f, err
}

// open reads an outcome with its values.
func (p *Past) open(r *pastRun, at pastFrame) (engine.Event, error) {
	f, err := p.read(r, at)
	if err != nil {
		return engine.Event{}, err
	}
	from := NewSource(context.Background(), p.from, r.id)
	return f.Opened(from, func(h *run.Reference) (any, error) { return p.values.Get(from, h) })
}
