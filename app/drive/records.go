package drive

import (
	"context"
	"fmt"
	"sync"

	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/store"
)

// Records reads the recorded starts, frames and large values of runs. Run stores implement it.
type Records interface {
	Start(ctx context.Context, runID string) (run.Start, error)
	Frames(ctx context.Context, runID string, after, maxBytes int) ([]run.Frame, error)
	Value(ctx context.Context, runID string, d run.Digest) ([]byte, error)
}

// source reads frames and their large values.
type source struct {
	ctx   context.Context //nolint:containedctx // for as long as one frame is read
	from  Records
	runID string
}

// NewSource returns a source for the frames of a run and the large values that they refer to. It
// is valid until ctx ends.
func NewSource(ctx context.Context, from Records, runID string) run.Source {
	return source{ctx, from, runID}
}

// Frame implements [run.Source].
func (s source) Frame(seq int) (run.Frame, error) {
	frames, err := s.from.Frames(s.ctx, s.runID, seq-1, 1)
	if err == nil && len(frames) == 0 {
		err = fmt.Errorf("%w: frame %d is not there", store.ErrRunDamaged, seq)
	}
	if err != nil {
		return run.Frame{}, err
	}
	return frames[0], nil
}

// Value implements [run.Source].
func (s source) Value(d run.Digest) ([]byte, error) { return s.from.Value(s.ctx, s.runID, d) }

// readAtOnce bounds the bytes of one read of a journal.
const readAtOnce = 1 << 20

// eachFrame calls visit for every recorded frame of a run, in order.
func eachFrame(ctx context.Context, from Records, runID string, visit func(run.Frame) error) error {
	for after := 0; ; {
		frames, err := from.Frames(ctx, runID, after, readAtOnce)
		if err != nil || len(frames) == 0 {
			return err
		}
		for _, frame := range frames {
			if err := visit(frame); err != nil {
				return err
			}
		}
		after = frames[len(frames)-1].Seq
	}
}

// Values caches large values, so that each is read once. The zero Values is ready to use; it is
// safe for concurrent use.
type Values struct {
	mu    sync.Mutex
	known map[run.Digest]any
	bytes int // of their JSON
}

// Get returns the value of a reference.
func (v *Values) Get(from run.Source, h *run.Reference) (any, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if known, ok := v.known[h.Digest]; ok {
		return known, nil
	}
	text, err := from.Value(h.Digest)
	if err != nil {
		return nil, err
	}
	made, err := value.Decode(text)
	if err != nil {
		return nil, err
	}
	if v.bytes += h.Size; v.known == nil || v.bytes > maxRecalled {
		v.known, v.bytes = map[run.Digest]any{}, h.Size
	}
	v.known[h.Digest] = made
	return made, nil
}
