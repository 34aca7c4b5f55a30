package cluster

import (
	"runtime"
	"strconv"
	"sync"
	"weak"

	"golang.org/x/sync/singleflight"

	"github.com/svcflow/svc/engine/run"
)

// tails has a tail for each run that is followed here. The zero value is ready to use.
type tails struct {
	mu    sync.Mutex
	byRun map[string]weak.Pointer[tail]
}

// tail caches the frames of a run that were read last, in order and without gaps. However many
// followers the run has here, each frame is read once; and the terminal frame, which repeats
// outputs of others, finds them here.
type tail struct {
	reading singleflight.Group
	mu      sync.Mutex
	frames  []run.Frame // as followers see them
	kept    []run.Frame // the same, as recorded
	bytes   int         // size of the frames
}

// of returns the tail of a run. It is garbage-collected when no follower has it.
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

// forget removes the entry of a collected tail.
func (t *tails) forget(runID string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.byRun[runID].Value() == nil {
		delete(t.byRun, runID)
	}
}

// read returns frames after a number, as followers see them, from the cache or with read.
// Concurrent calls for the same number share the result, also an error. Callers must not change
// the frames.
func (t *tail) read(after int, read func() (kept, shown []run.Frame, err error)) ([]run.Frame, error) {
	if frames := t.behind(after); len(frames) > 0 {
		return frames, nil
	}
	shared, err, _ := t.reading.Do(strconv.Itoa(after), func() (any, error) {
		if frames := t.behind(after); len(frames) > 0 {
			return frames, nil // another call has read them
		}
		kept, shown, err := read()
		t.keep(kept, shown)
		return shown, err
	})
	frames, _ := shared.([]run.Frame)
	return frames, err
}

// behind returns the cached frames after a number; none if some of them are not cached.
func (t *tail) behind(after int) []run.Frame {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.frames) == 0 || t.frames[0].Seq > after+1 {
		return nil
	}
	return t.frames[min(after+1-t.frames[0].Seq, len(t.frames)):]
}

// source returns a source that finds frames in read and in the cache before it asks from.
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

// keep caches the last frames as far as there is room. Followers that are far behind read without
// the cache.
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
	t.frames, t.kept = append(t.frames, frames...), append(t.kept, kept...) // appends only: readers may have the slice
	for i := range frames {
		t.bytes += len(frames[i].Data)
	}
	for t.bytes > shownAtOnce && len(t.frames) > 1 {
		t.bytes -= len(t.frames[0].Data)
		t.frames, t.kept = t.frames[1:], t.kept[1:]
	}
}
