package drive

import (
	"context"
	"fmt"
	"sync"

	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/store"
)

// Records is what is kept of runs, as stores of runs have it.
type Records interface {
	Start(ctx context.Context, runID string) (run.Start, error)
	Frames(ctx context.Context, runID string, after, maxBytes int) ([]run.Frame, error)
	Value(ctx context.Context, runID string, d run.Digest) ([]byte, error)
}

// source has what belongs into the holes of the frames of a run.
type source struct {
	ctx   context.Context //nolint:containedctx // for as long as one frame is read
	from  Records
	runID string
}

// NewSource returns what has the frames of a run, one at a time, and what belongs into their
// holes, as long as ctx lives.
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

// readAtOnce is how many bytes of a journal are read at once.
const readAtOnce = 1 << 20

// eachFrame calls visit with every frame in the journal of a run.
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

// Values are large values that were read, each once however many nodes have put it out. They
// may be used by several goroutines.
type Values struct {
	mu    sync.Mutex
	known map[run.Digest]any
	bytes int // of their JSON
}

// Get returns what belongs into a hole.
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
