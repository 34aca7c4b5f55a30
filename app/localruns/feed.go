package localruns

import (
	"errors"
	"io"
	"slices"
	"sync"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/limit"
	"github.com/svcflow/svc/engine/run"
)

// Bytes of frames that a feed keeps, and bytes in one batch. A single frame may be longer.
const (
	maxTail  = 4 << 20
	maxBatch = 256 << 10
)

// errTooOld means that a frame has to be read from the journal.
var errTooOld = errors.New("no longer in memory")

// feed holds the last frames of a run. All followers share it, so that a slow follower costs no
// memory and delays nobody.
type feed struct {
	mu     sync.Mutex
	frames []run.Frame    // the last ones, without gaps; only ever appended to or cut at the front
	events []engine.Event // those of the last frames; only while somebody wants them
	wanted int            // by how many
	last   int            // number of the last frame that was published
	bytes  int            // of frames
	ended  bool           // nothing follows
	wake   chan struct{}  // closed by the next change; nil while nobody waits
}

// publish adds the next frame, and its event, which takes about as much memory.
func (f *feed) publish(frame run.Frame, event engine.Event) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.frames = append(f.frames, frame)
	f.last = frame.Seq
	f.bytes += len(frame.Data)
	for f.bytes > maxTail && len(f.frames) > 1 {
		f.bytes -= len(f.frames[0].Data)
		f.frames = f.frames[1:]
	}
	if f.wanted > 0 {
		f.events = append(f.events, event.Shown(limit.Shown))
		f.events = f.events[max(0, len(f.events)-len(f.frames)):]
	}
	f.ended = frame.Name.Terminal()
	f.wakeFollowers()
}

// want makes f keep the events of new frames until the returned function is called. Followers in
// this process then need not decode frames.
func (f *feed) want() (enough func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.wanted++
	return func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		if f.wanted--; f.wanted == 0 {
			f.events = nil
		}
	}
}

// event returns the event of frame seq, if it was kept.
func (f *feed) event(seq int) (engine.Event, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	i := seq - (f.last + 1 - len(f.events))
	if i < 0 || i >= len(f.events) {
		return engine.Event{}, false
	}
	return f.events[i], true
}

// end ends the feed without a terminal frame.
func (f *feed) end() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.ended = true
	f.wakeFollowers()
}

// endUnseen ends the feed without publishing the last frame, which is in the journal. It returns
// false, and does nothing, if a follower waits for frames.
func (f *feed) endUnseen(last int) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.wake != nil || f.wanted > 0 {
		return false
	}
	f.frames, f.events, f.bytes = nil, nil, 0
	f.last, f.ended = last, true
	return true
}

// wakeFollowers wakes waiting followers. Waking ten thousand takes milliseconds, so a short-lived
// goroutine does it while the run continues.
func (f *feed) wakeFollowers() {
	if f.wake != nil {
		go close(f.wake)
		f.wake = nil
	}
}

// empty reports whether all frames are in the journal only.
func (f *feed) empty() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.frames) == 0
}

// size estimates the memory of f in bytes.
func (f *feed) size() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return 1<<10 + f.bytes
}

// look returns a batch of the frames after a number. Callers must not change them. If there are
// none yet, it returns a channel that is closed by the next change. The error is errTooOld, or
// io.EOF if no frame will follow.
func (f *feed) look(after int) ([]run.Frame, <-chan struct{}, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	first := f.last + 1 - len(f.frames)
	switch {
	case after >= f.last && f.ended:
		return nil, nil, io.EOF
	case after >= f.last:
		if f.wake == nil {
			f.wake = make(chan struct{})
		}
		return nil, f.wake, nil
	case after+1 < first:
		return nil, nil, errTooOld
	}
	return batch(f.frames[after+1-first:]), nil, nil
}

// batch returns the first frames, at most maxBatch bytes of them but at least one.
func batch(frames []run.Frame) []run.Frame {
	bytes := 0
	for i := range frames {
		bytes += len(frames[i].Data)
		if bytes > maxBatch && i > 0 {
			return frames[:i:i]
		}
	}
	return slices.Clip(frames)
}
