package drive

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/store"
	"github.com/svcflow/svc/store/statelog"
)

// memory is the journal of one run, which the next driver reads.
type memory struct {
	mu     sync.Mutex
	start  run.Start
	frames []run.Frame
	values map[run.Digest][]byte
	writes int // how often something was written
}

// Start implements [Records].
func (m *memory) Start(context.Context, string) (run.Start, error) { return m.start, nil }

// Frames implements [Records].
func (m *memory) Frames(_ context.Context, runID string, after, _ int) ([]run.Frame, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if runID != m.start.RunID {
		return nil, store.ErrRunNotFound
	}
	return m.frames[min(after, len(m.frames)):], nil
}

// Value implements [Records].
func (m *memory) Value(_ context.Context, _ string, d run.Digest) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if text, ok := m.values[d]; ok {
		return text, nil
	}
	return nil, errors.New("there is no such value")
}

// add keeps frames as a journal does, and returns why it does not.
func (m *memory) add(frames []run.Frame) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.values == nil {
		m.values = map[run.Digest][]byte{}
	}
	m.writes++
	for i := range frames {
		f := frames[i]
		switch last := len(m.frames); {
		case f.Seq != last+1:
			return fmt.Errorf("frame %d comes behind %d", f.Seq, last)
		case last > 0 && m.frames[last-1].Name.Terminal():
			return fmt.Errorf("frame %d comes behind the end", f.Seq)
		case last > 0 && f.Time.Before(m.frames[last-1].Time):
			return fmt.Errorf("frame %d happened before %d", f.Seq, last)
		}
		f.Holes = append([]run.Reference(nil), f.Holes...)
		for h := range f.Holes {
			if f.Holes[h].Text != nil {
				m.values[f.Holes[h].Digest] = f.Holes[h].Text
			}
			f.Holes[h].Text = nil
		}
		m.frames = append(m.frames, f)
	}
	return nil
}

// length returns how many frames there are.
func (m *memory) length() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.frames)
}

// driver is a host that dies after a number of frames and then writes nothing more.
type driver struct {
	*memory

	left   int // negative if it does not die
	dead   atomic.Bool
	cancel context.CancelCauseFunc
	show   func(e engine.Event)
	fails  func(f *run.Frame) error // if set, why a frame is not taken
}

// Append implements [Host].
func (d *driver) Append(frames []run.Frame) error {
	if d.dead.Load() {
		return fmt.Errorf("epoch over: %w", engine.ErrHandedOff)
	}
	for i := range frames {
		if d.fails != nil {
			if err := d.fails(&frames[i]); err != nil {
				return err
			}
		}
	}
	terminal := frames[len(frames)-1].Name.Terminal()
	if d.left -= len(frames); d.left <= 0 && d.left+len(frames) > 0 && !terminal {
		d.dead.Store(true)
		d.cancel(engine.ErrHandedOff)
		if d.left < 0 { // in the middle of them, so that nothing of them is there
			return fmt.Errorf("died: %w", engine.ErrHandedOff)
		}
	}
	return d.add(frames)
}

// Show implements [Host].
func (d *driver) Show(_ run.Frame, e engine.Event) {
	if d.show != nil {
		d.show(e)
	}
}

// Unseen implements [Host].
func (d *driver) Unfollowed(int) bool { return false }

// Ended implements [Host].
func (d *driver) Ended(*engine.Result) {}

// Respond implements [Host].
func (d *driver) Respond(node.Reply) error { return node.ErrNobodyWaits }

// Stop implements [Host].
func (d *driver) Stop(cause error) { d.cancel(cause) }

// envOf returns what is needed to drive runs with a runner.
func envOf(r engine.Runner) *Env {
	return &Env{
		Runner: r, State: &statelog.Memory{}, Log: slog.New(slog.DiscardHandler),
		WithFiles: func(ctx context.Context, _ string, _ ...string) (context.Context, func()) { return ctx, func() {} },
	}
}

// driveOn makes the next one drive a run, as d.
func driveOn(ctx context.Context, t testing.TB, env *Env, d *driver, r *Run, plan *engine.Plan) error {
	t.Helper()
	r.Start = d.start
	r.Init(env, d.memory, d)
	require.NoError(t, r.Continue(ctx))
	ctx, d.cancel = context.WithCancelCause(ctx)
	defer d.cancel(nil)
	return r.Drive(ctx, plan)
}
