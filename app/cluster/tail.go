package cluster

import (
	"runtime"
	"strconv"
	"sync"
	"weak"

	"golang.org/x/sync/singleflight"

	"github.com/svcflow/svc/engine/run"
)

// tails has one tail of each run that is followed here. The zero tails is ready for use.
type tails struct {
	mu    sync.Mutex
	byRun map[string]weak.Pointer[tail]
}

// tail has the frames of a run that were read last, in order and without a gap: however many
// follow the run here, each frame is read once for all, and the last one, which tells again what
// others have told, finds these here.
type tail struct {
	reading singleflight.Group
	mu      sync.Mutex
	frames  []run.Frame // as they are shown
	kept    []run.Frame // the same, as they are kept
	bytes   int         // of their data
}

// of returns the tail of a run, which is kept as long as somebody has it: nobody needs to say
// that he follows no more.
func (t *tails) of(runID string) *tail {
	t.mu.Lock()
	defer t.mu.Unlock()
	if known := t.byRun[runID].Value(); known != nil {
		return known
	}
	if t.byRun == nil {
		t.byRun = map[string]weak.Pointer[tail]{}
	}
	made := &tail{}
	t.byRun[runID] = weak.Make(made)
	runtime.AddCleanup(made, t.forget, runID)
	return made
}

// forget forgets a run that nobody follows any more.
func (t *tails) forget(runID string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.byRun[runID].Value() == nil {
		delete(t.byRun, runID)
	}
}

// read returns some frames behind number after, as they are shown, which are read unless they are
// there. Those who ask for the same at once share what comes of it, also an error. Nobody may
// change them.
func (t *tail) read(after int, read func() (kept, shown []run.Frame, err error)) ([]run.Frame, error) {
	if frames := t.behind(after); len(frames) > 0 {
		return frames, nil
	}
	shared, err, _ := t.reading.Do(strconv.Itoa(after), func() (any, error) {
		if frames := t.behind(after); len(frames) > 0 {
			return frames, nil // somebody was faster
		}
		kept, shown, err := read()
		t.keep(kept, shown)
		return shown, err
	})
	frames, _ := shared.([]run.Frame)
	return frames, err
}

// behind returns the frames behind number after, if they are the last that were read.
func (t *tail) behind(after int) []run.Frame {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.frames) == 0 || t.frames[0].Seq > after+1 {
		return nil
	}
	return t.frames[min(after+1-t.frames[0].Seq, len(t.frames)):]
}

// source returns from, which is asked for no frame that is among those just read, or here.
func (t *tail) source(read []run.Frame, from run.Source) run.Source {
	return tailSource{from, t, read}
}

type tailSource struct {
	run.Source

	tail *tail
	read []run.Frame
}

// Frame implements [run.Source].
func (s tailSource) Frame(seq int) (run.Frame, error) {
	s.tail.mu.Lock()
	kept := s.tail.kept
	s.tail.mu.Unlock()
	for _, frames := range [][]run.Frame{s.read, kept} {
		if len(frames) > 0 && frames[0].Seq <= seq && seq <= frames[len(frames)-1].Seq {
			return frames[seq-frames[0].Seq], nil
		}
	}
	return s.Source.Frame(seq)
}

// keep keeps frames: the last of them, with those before them as far as there is room, for who
// comes later. Who is far behind reads alone.
func (t *tail) keep(kept, frames []run.Frame) {
	t.mu.Lock()
	defer t.mu.Unlock()
	last := 0
	if len(t.frames) > 0 {
		last = t.frames[len(t.frames)-1].Seq
	}
	switch {
	case len(frames) == 0 || frames[len(frames)-1].Seq <= last:
		return
	case frames[0].Seq != last+1:
		t.frames, t.kept, t.bytes = nil, nil, 0
	}
	t.frames, t.kept = append(t.frames, frames...), append(t.kept, kept...) // behind what others have of it
	for i := range frames {
		t.bytes += len(frames[i].Data)
	}
	for t.bytes > shownAtOnce && len(t.frames) > 1 {
		t.bytes -= len(t.frames[0].Data)
		t.frames, t.kept = t.frames[1:], t.kept[1:]
	}
}
