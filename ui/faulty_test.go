package ui

import (
	"context"
	"errors"
	"iter"
	"sync"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/ui/hosts"
)

// Errors of a server that is down, that rejects the key, or that forbids changes.
var (
	errGone      = errors.New("the server does not answer")
	errWrongKey  = errors.New("the server no longer takes the API key that was kept")
	errForbidden = errors.New("the server lets nobody change anything")
)

// faulty is a server that fails as a test says.
type faulty struct {
	hosts.Backend

	mu       sync.Mutex
	err      error         // what every call comes to; nil for its answer
	readOnly bool          // calls that change something come to errForbidden
	broken   chan struct{} // closed when err is set
	refused  int           // calls that came to an error
}

func newFaulty(b hosts.Backend) *faulty { return &faulty{Backend: b, broken: make(chan struct{})} }

// fail has every call come to an error from now on, and ends streams; nil mends it.
func (f *faulty) fail(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err = err; err != nil {
		close(f.broken)
	} else {
		f.broken = make(chan struct{})
	}
}

// look is what the window asks whether it is there.
func (f *faulty) look(context.Context) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.err
}

func (f *faulty) state(changes bool) (broken chan struct{}, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	err = f.err
	if err == nil && changes && f.readOnly {
		err = errForbidden
	}
	if err != nil {
		f.refused++
	}
	return f.broken, err
}

// refusals returns how many calls came to an error.
func (f *faulty) refusals() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.refused
}

// through makes a call, unless it fails.
func through[T any](f *faulty, changes bool, call func() (T, error)) (answer T, err error) {
	if _, err := f.state(changes); err != nil {
		return answer, err
	}
	return call()
}

func (f *faulty) NodeTypes(ctx context.Context) ([]*node.Spec, error) {
	return through(f, false, func() ([]*node.Spec, error) { return f.Backend.NodeTypes(ctx) })
}

func (f *faulty) Choices(ctx context.Context, typ, port string, config map[string]any) ([]node.Choice, error) {
	return through(f, false, func() ([]node.Choice, error) { return f.Backend.Choices(ctx, typ, port, config) })
}

func (f *faulty) Validate(ctx context.Context, def *workflow.Definition) (engine.ValidationErrors, error) {
	return through(f, false, func() (engine.ValidationErrors, error) { return f.Backend.Validate(ctx, def) })
}

func (f *faulty) Hints(ctx context.Context, def *workflow.Definition) ([]engine.Hint, error) {
	return through(f, false, func() ([]engine.Hint, error) { return f.Backend.Hints(ctx, def) })
}

func (f *faulty) Workflows(ctx context.Context, q workflow.Query) (workflow.Page, error) {
	return through(f, false, func() (workflow.Page, error) { return f.Backend.Workflows(ctx, q) })
}

func (f *faulty) Workflow(ctx context.Context, id string) (*workflow.Definition, error) {
	return through(f, false, func() (*workflow.Definition, error) { return f.Backend.Workflow(ctx, id) })
}

func (f *faulty) Save(ctx context.Context, def *workflow.Definition, cond workflow.Condition) (workflow.Meta, error) {
	return through(f, true, func() (workflow.Meta, error) { return f.Backend.Save(ctx, def, cond) })
}

func (f *faulty) Activations(ctx context.Context) ([]run.Activation, error) {
	return through(f, false, func() ([]run.Activation, error) { return f.Backend.Activations(ctx) })
}

func (f *faulty) Activate(ctx context.Context, id string, how run.Arming) (run.Activation, error) {
	return through(f, true, func() (run.Activation, error) { return f.Backend.Activate(ctx, id, how) })
}

func (f *faulty) Deactivate(ctx context.Context, id string) error {
	_, err := through(f, true, func() (any, error) { return nil, f.Backend.Deactivate(ctx, id) })
	return err
}

func (f *faulty) LastFiring(ctx context.Context, id, node string) (run.LastFiring, error) {
	return through(f, false, func() (run.LastFiring, error) { return f.Backend.LastFiring(ctx, id, node) })
}

func (f *faulty) Start(ctx context.Context, def *workflow.Definition, o run.Request) (string, error) {
	return through(f, true, func() (string, error) { return f.Backend.Start(ctx, def, o) })
}

func (f *faulty) Cancel(ctx context.Context, runID string) error {
	_, err := through(f, true, func() (any, error) { return nil, f.Backend.Cancel(ctx, runID) })
	return err
}

func (f *faulty) Resume(ctx context.Context, runID string, how run.Resumption) (string, error) {
	return through(f, true, func() (string, error) { return f.Backend.Resume(ctx, runID, how) })
}

func (f *faulty) Runs(ctx context.Context, q run.Query) (run.Page, error) {
	return through(f, false, func() (run.Page, error) { return f.Backend.Runs(ctx, q) })
}

func (f *faulty) Run(ctx context.Context, runID string) (run.Record, error) {
	return through(f, false, func() (run.Record, error) { return f.Backend.Run(ctx, runID) })
}

func (f *faulty) RunWorkflow(ctx context.Context, runID string) (*workflow.Definition, error) {
	return through(f, false, func() (*workflow.Definition, error) { return f.Backend.RunWorkflow(ctx, runID) })
}

func (f *faulty) Events(ctx context.Context, runID string, after int) iter.Seq2[engine.Event, error] {
	return func(yield func(engine.Event, error) bool) {
		broken, err := f.state(false)
		if err != nil {
			yield(engine.Event{}, err)
			return
		}
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		go func() {
			select {
			case <-broken:
				cancel()
			case <-ctx.Done():
			}
		}()
		for e, err := range f.Backend.Events(ctx, runID, after) {
			if _, broke := f.state(false); broke != nil {
				e, err = engine.Event{}, broke
			}
			if !yield(e, err) {
				return
			}
		}
		if _, broke := f.state(false); broke != nil {
			yield(engine.Event{}, broke)
		}
	}
}
