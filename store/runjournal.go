package store

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"sync"

	"github.com/svcflow/svc/engine/run"
)

// fileJournal writes the frames of one run into the log.
type fileJournal struct {
	runs  *RunFiles
	entry *runEntry[fileRun]

	mu     sync.Mutex
	closed bool // the run has ended, or the store is closed
	batch  batch
}

// keptBuffer is up to how many bytes a journal keeps its buffer for the next line.
const keptBuffer = 64 << 10

// Append implements [Journal].
func (j *fileJournal) Append(f run.Frame) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.append(&f); err != nil {
		return fmt.Errorf("append to run %s: %w", j.entry.record.RunID, err)
	}
	return nil
}

func (j *fileJournal) append(f *run.Frame) error {
	if j.closed {
		return fs.ErrClosed
	}
	e, b := j.entry, &j.batch // frames and bytes of e are changed here only
	if cap(b.text) > keptBuffer {
		b.text = nil
	}
	how, err := j.compose(f)
	if err != nil {
		return err
	}
	if f.Name.Terminal() {
		return j.finish(how)
	}
	if most := j.runs.options.RunBytes; most > 0 && e.bytes+int64(len(b.text)) > most {
		return &RunBytesError{Most: most}
	}
	at, err := j.runs.write(b.text)
	if err != nil {
		return err
	}
	j.runs.grew(j, at)
	return nil
}

// compose fills the batch with the lines of a frame; of a terminal one, with the last ones of
// the run.
func (j *fileJournal) compose(f *run.Frame) (how ending, err error) {
	e, b := j.entry, &j.batch
	if how, err = checkAppend(f, e.frames); err != nil {
		return how, err
	}
	b.reset(e.record.RunID)
	if err = j.values(f); err == nil {
		err = b.frame(f)
	}
	if err == nil && f.Name.Terminal() {
		err = b.end(e, how)
	}
	return how, err
}

// values adds the large values of a frame that the run does not have yet.
func (j *fileJournal) values(f *run.Frame) error {
	known := j.entry.content.open.values // changed here only
	for i := range f.Holes {
		h := &f.Holes[i]
		if _, ok := known[h.Digest]; ok || h.Frame > 0 || j.batch.has(h.Digest) {
			continue
		}
		if h.Text == nil && j.folds(h.Digest) {
			continue
		}
		if h.Text == nil {
			return ErrNoValue
		}
		if err := j.batch.value(h); err != nil {
			return err
		}
	}
	return nil
}

// folds reports whether the run has a value of which only a sidecar tells.
func (j *fileJournal) folds(d run.Digest) bool {
	s := j.runs
	s.index.mu.Lock()
	r := &reader{runs: s, entry: *j.entry}
	s.index.mu.Unlock()
	defer r.close()
	_, ok, err := r.placeOf(d)
	return ok && err == nil
}

// finish writes the batch, the last lines of the run.
func (j *fileJournal) finish(how ending) error {
	b, s := &j.batch, j.runs
	at, err := s.write(b.text)
	for noRoom(err) && s.room.give() {
		at, err = s.out.write(b.text)
	}
	if err != nil {
		return err
	}
	if err := s.out.wait(at); err != nil {
		j.void()
		s.out.known(at)
		return err
	}
	j.closed = true
	s.ended(j, at, how)
	return nil
}

// void says that the frame after the last one, which is written, was not taken, and where the
// others are.
func (j *fileJournal) void() {
	e, s := j.entry, j.runs
	s.index.mu.Lock()
	e.content.open.apart = true
	s.index.mu.Unlock()
	said := table{Extents: e.content.open.extents, Values: map[string]place{}}
	for d, p := range e.content.open.values {
		said.Values[formatDigest(d)] = p
	}
	data, err := json.Marshal(&said)
	var text []byte
	if err == nil {
		text, err = appendLine(nil, &line{seq: e.frames + 1, run: e.record.RunID, name: lineVoid, about: nothing, data: data})
	}
	if err == nil {
		var undone place
		if undone, err = s.write(text); err == nil {
			s.out.known(undone)
		}
	}
	if err != nil {
		s.log.Error("an end that is not on the disk cannot be taken back", "run", e.record.RunID, "error", err)
	}
}

// close gives the journal up, whatever state the run is in.
func (j *fileJournal) close() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.closed = true
}

// grew notes a frame that was written, with the values before it.
func (s *RunFiles) grew(j *fileJournal, at place) {
	s.index.mu.Lock()
	j.take(at)
	s.index.mu.Unlock()
	s.out.known(at)
	if at.From == 0 { // the segment before is full: runs may go on for long, and none end or begin
		s.tidyUp()
	}
}

// take enters what the batch has written. The caller holds index.mu.
func (j *fileJournal) take(at place) {
	e, s := j.entry, j.runs
	for d, p := range j.batch.values {
		e.content.open.setValue(d, p.behind(at))
	}
	e.content.open.add(j.batch.last.behind(at), e.frames+1)
	e.content.count(at)
	s.segment(at.Segment).live += int64(at.Size)
	s.index.grow(e, int64(at.Size))
}

// ended notes a terminal frame that was written.
func (s *RunFiles) ended(j *fileJournal, at place, how ending) {
	s.index.mu.Lock()
	j.end(at, how)
	s.index.mu.Unlock()
	s.out.known(at)
	s.prune()
	s.room.fill()
}

// end enters the last lines of the run, which are written there. The caller holds index.mu.
func (j *fileJournal) end(at place, how ending) {
	e := j.entry
	j.take(at)
	e.content.last = j.batch.final.behind(at)
	e.content.open = nil
	j.runs.tables.drop(e.record.RunID)
	j.runs.index.end(e, how)
}
