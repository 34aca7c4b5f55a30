package runlog

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"sync"

	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/store"
	"github.com/svcflow/svc/store/internal/runindex"
	"github.com/svcflow/svc/store/internal/runtext"
)

// journal is the [store.Journal] of one run.
type journal struct {
	runs  *Store
	entry *runindex.Entry[fileRun]

	mu     sync.Mutex
	closed bool // the run has ended, or the store is closed
	batch  batch
}

// maxIdleLine is the largest buffer that a journal keeps for its next line.
const maxIdleLine = 64 << 10

// Append implements [store.Journal].
func (j *journal) Append(f run.Frame) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.append(&f); err != nil {
		return fmt.Errorf("append to run %s: %w", j.entry.Record.RunID, err)
	}
	return nil
}

func (j *journal) append(f *run.Frame) error {
	if j.closed {
		return fs.ErrClosed
	}
	e, b := j.entry, &j.batch // only this function changes frames and bytes of e
	if cap(b.text) > maxIdleLine {
		b.text = nil
	}
	how, err := j.compose(f)
	if err != nil {
		return err
	}
	if f.Name.Terminal() {
		return j.finish(how)
	}
	if most := j.runs.options.RunBytes; most > 0 && e.Bytes+int64(len(b.text)) > most {
		return &store.RunBytesError{Most: most}
	}
	at, err := j.runs.write(b.text)
	if err != nil {
		return err
	}
	j.runs.recordFrame(j, at)
	return nil
}

// compose fills the batch with the lines of a frame. After a terminal frame it adds the end line.
func (j *journal) compose(f *run.Frame) (how runtext.Ending, err error) {
	e, b := j.entry, &j.batch
	if how, err = runtext.CheckAppend(f, e.Frames); err != nil {
		return how, err
	}
	b.reset(e.Record.RunID)
	if err = j.values(f); err == nil {
		err = b.frame(f)
	}
	if err == nil && f.Name.Terminal() {
		err = b.end(e, how)
	}
	return how, err
}

// values adds the values of a frame that the run has not written yet.
func (j *journal) values(f *run.Frame) error {
	known := j.entry.Content.open.values // only changed under j.mu
	for i := range f.Holes {
		h := &f.Holes[i]
		if _, ok := known[h.Digest]; ok || h.Frame > 0 || j.batch.has(h.Digest) {
			continue
		}
		if h.Text == nil && j.foldedHasValue(h.Digest) {
			continue
		}
		if h.Text == nil {
			return store.ErrNoValue
		}
		if err := j.batch.value(h); err != nil {
			return err
		}
	}
	return nil
}

// foldedHasValue reports whether the folded extents of the run have a value.
func (j *journal) foldedHasValue(d run.Digest) bool {
	s := j.runs
	s.index.Mu.Lock()
	r := &reader{runs: s, entry: *j.entry}
	s.index.Mu.Unlock()
	defer r.close()
	_, ok, err := r.placeOf(d)
	return ok && err == nil
}

// finish writes the batch, which holds the last lines of the run, and waits for the disk.
func (j *journal) finish(how runtext.Ending) error {
	b, s := &j.batch, j.runs
	at, err := s.writeEnd(b.text)
	if err != nil {
		return err
	}
	if err := s.out.wait(at); err != nil {
		j.writeVoid()
		s.out.markIndexed(at)
		return err
	}
	j.closed = true
	s.recordEnd(j, at, how)
	return nil
}

// writeVoid writes a void line for the terminal frame, whose sync failed. The void line repeats the
// positions of all other frames and values.
func (j *journal) writeVoid() {
	e, s := j.entry, j.runs
	s.index.Mu.Lock()
	e.Content.open.apart = true
	s.index.Mu.Unlock()
	said := table{Extents: e.Content.open.extents, Values: map[string]logPos{}}
	for d, p := range e.Content.open.values {
		said.Values[runtext.FormatDigest(d)] = p
	}
	data, err := json.Marshal(&said)
	var text []byte
	if err == nil {
		text, err = appendLine(nil, &line{seq: e.Frames + 1, run: e.Record.RunID, name: lineVoid, about: runtext.Nothing, data: data})
	}
	if err == nil {
		var undone logPos
		if undone, err = s.write(text); err == nil {
			s.out.markIndexed(undone)
		}
	}
	if err != nil {
		s.log.Error("an end that is not on the disk cannot be taken back", "run", e.Record.RunID, "error", err)
	}
}

// close prevents further appends.
func (j *journal) close() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.closed = true
}

// recordFrame adds a frame that was written, and its values, to the index.
func (s *Store) recordFrame(j *journal, at logPos) {
	s.index.Mu.Lock()
	j.enterBatch(at)
	s.index.Mu.Unlock()
	s.out.markIndexed(at)
	if at.From == 0 { // a new segment: compaction must look even if no run begins or ends
		s.startCompaction()
	}
}

// enterBatch adds the positions in the batch, which was written at at, to the index. The caller
// holds index.mu.
func (j *journal) enterBatch(at logPos) {
	e, s := j.entry, j.runs
	for d, p := range j.batch.values {
		e.Content.open.setValue(d, p.offsetBy(at))
	}
	e.Content.open.add(j.batch.last.offsetBy(at), e.Frames+1)
	e.Content.count(at)
	s.segment(at.Segment).live += int64(at.Size)
	s.index.Grow(e, int64(at.Size))
}

// recordEnd adds the end of a run, which was written at at, to the index.
func (s *Store) recordEnd(j *journal, at logPos, how runtext.Ending) {
	s.index.Mu.Lock()
	j.end(at, how)
	s.index.Mu.Unlock()
	s.out.markIndexed(at)
	s.prune()
	s.ballast.fill()
}

// end adds the last lines of the run, which were written at at, to the index. The caller holds
// index.mu.
func (j *journal) end(at logPos, how runtext.Ending) {
	e := j.entry
	j.enterBatch(at)
	e.Content.last = j.batch.final.offsetBy(at)
	e.Content.open = nil
	j.runs.tables.drop(e.Record.RunID)
	j.runs.index.End(e, how)
}
