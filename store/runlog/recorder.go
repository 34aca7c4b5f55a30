package runlog

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"sync"
	"time"

	"github.com/svcflow/svc/engine/limit"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/store"
	"github.com/svcflow/svc/store/internal/runindex"
	"github.com/svcflow/svc/store/internal/runtext"
)

// splitWholeRun splits the data of a kept line into the start of the run and its result.
func splitWholeRun(data []byte) (start, result []byte, ok bool) {
	from := bytes.IndexByte(data, '\t') + 1
	n := bytes.IndexByte(data[from:], '\t')
	if from == 0 || n < 0 {
		return nil, nil, false
	}
	return data[:from+n], data[from+n+1:], true
}

// writeFrames records a run frame by frame. It begins with a copy line, so that the run only counts
// once its end line is there.
func (k *recorder) writeFrames(text *runtext.StartText, frames iter.Seq[run.Frame]) error {
	s := k.runs
	b, err := s.batchOf(text, lineCopy, k.own)
	if err != nil {
		return err
	}
	at, err := s.write(b.text)
	if err != nil {
		s.release(b.document)
		return err
	}
	wrote := []logPos{at}
	defer func() {
		for _, at := range wrote {
			s.out.markIndexed(at)
		}
	}()
	e := b.entry(at)
	j := &journal{runs: s, entry: e, batch: batch{text: b.text}}
	defer func() { k.own = j.batch.text }()
	how := runtext.Ending{}
	for f := range frames {
		if how, at, err = j.put(&f); err != nil {
			s.release(b.document)
			return err
		}
		wrote = append(wrote, at)
	}
	e.Content.last, e.Content.open = j.batch.final.offsetBy(at), nil
	e.Record.End(how)
	s.index.Mu.Lock()
	s.addRun(e)
	s.index.Mu.Unlock()
	return nil
}

// put writes a frame of a run that is not in the index yet.
func (j *journal) put(f *run.Frame) (how runtext.Ending, at logPos, err error) {
	e, b := j.entry, &j.batch
	how, err = j.compose(f)
	if most := j.runs.options.RunBytes; err == nil && most > 0 && e.Bytes+int64(len(b.text)) > most && !f.Name.Terminal() {
		err = &store.RunBytesError{Most: most}
	}
	if err == nil {
		at, err = j.runs.write(b.text)
	}
	if err != nil {
		return how, at, err
	}
	for d, p := range b.values {
		e.Content.open.setValue(d, p.offsetBy(at))
	}
	e.Content.open.add(b.last.offsetBy(at), e.Frames+1)
	e.Content.count(at)
	e.Bytes += int64(at.Size)
	e.Frames++
	return how, at, nil
}

// wholeRunFrames returns frames of a run that is stored in one line.
func (r *reader) wholeRunFrames(after, maxBytes int) ([]run.Frame, error) {
	l, err := r.line(r.entry.Content.first, lineWholeRun)
	if err != nil {
		return nil, err
	}
	_, result, ok := splitWholeRun(l.data)
	if !ok {
		return nil, runtext.ErrLine
	}
	frames, err := run.ReadKept(result)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", runtext.ErrLine, err)
	}
	if len(frames) != r.entry.Frames {
		return nil, runtext.ErrLine
	}
	return runtext.FirstBytes(frames[min(after, len(frames)):], maxBytes), nil
}

// Keep implements [store.RunStore].
func (s *Store) Keep(ctx context.Context, ended []run.Kept) []error {
	s.open.RLock()
	defer s.open.RUnlock()
	k := &s.recorder
	k.mu.Lock()
	defer k.mu.Unlock()
	k.runs, k.errs, k.total = s, nil, len(ended)
	for i := range ended {
		err := s.usable(ctx)
		if err == nil {
			err = k.add(i, &ended[i])
		}
		k.errs.Note(i, k.total, opKeep, err)
	}
	k.flush()
	k.releaseBuffers()
	s.prune()
	return k.errs
}

// recorder writes runs that had already ended. A short run takes one line, and many lines are
// written with one call.
type recorder struct {
	mu    sync.Mutex
	runs  *Store
	errs  runtext.EachError
	total int // number of runs to record

	text           []byte // lines to write
	lines          []recordedLine
	inputs, result []byte // of one run, as JSON; the buffers are reused
	values, own    []byte // of one run that is not short: its values and its lines
}

// recordedLine is the line of a run in text.
type recordedLine struct {
	i        int // index in the argument of Keep
	entry    *runindex.Entry[fileRun]
	document logPos // of the document line, if text has it
}

// opKeep is the operation that errors name.
const opKeep = "keep run"

const (
	flushBytes    = 256 << 10 // text is written when it exceeds this
	maxIdleBuffer = 1 << 20   // larger buffers are freed after use
)

// longestEscape is the most bytes of JSON that one byte of text takes.
const longestEscape = len(`\u0000`)

// errLong says that a run does not fit into a single line.
var errLong = errors.New("the run is not short")

// add queues a run to be recorded, or writes it at once if it is long.
func (k *recorder) add(i int, r *run.Kept) error {
	if err := runtext.CheckStart(&r.Start); err != nil {
		return err
	}
	document, err := runtext.DocumentOf(&r.Start)
	if err != nil {
		return err
	}
	index := &k.runs.index
	if err := index.Reserve(r.Start.RunID, r.Start.IdempotencyKey); err != nil {
		return err
	}
	summary := runtext.SummaryOf(&r.Start, document)
	if err = k.addShort(i, r, &summary, document); errors.Is(err, errLong) {
		err = k.writeLong(r, &runtext.StartText{Summary: summary, Document: document})
	}
	if err != nil {
		index.Release(r.Start.RunID)
	}
	if len(k.text) > flushBytes {
		k.flush()
	}
	return err
}

// addShort queues the line of a run, with its start and the brief form of its result. It returns
// errLong if the run is not short.
func (k *recorder) addShort(i int, r *run.Kept, summary *runtext.Summary, document *run.Document) error {
	how := runtext.Ending{Status: r.Outcome.Status(), FinishedAt: r.Outcome.FinishedAt().UTC().Truncate(time.Microsecond)}
	if _, err := runtext.EndingOf(&run.Frame{Head: run.Head{Status: how.Status}}); err != nil {
		return err
	}
	if anyLarge(r.Start.Inputs) {
		return errLong
	}
	var short bool
	if k.result, short = r.Outcome.AppendBrief(k.result[:0], limit.DedupThreshold); !short || len(k.result) > limit.Shown {
		return errLong
	}
	k.inputs = value.Append(k.inputs[:0], r.Start.Inputs)
	l := recordedLine{i: i}
	d, err := k.document(document, summary.Document, &l.document)
	if err != nil {
		return err
	}
	from, frames := len(k.text), run.KeptFrames(r.Outcome)
	text := beginLine(k.text, frames, summary.RunID, lineWholeRun, runtext.Nothing)
	text = append(append(append(summary.Append(text), '\t'), k.inputs...), '\t')
	if text, err = endLine(append(text, k.result...), from); err != nil {
		k.runs.release(d)
		return err
	}
	k.text = text
	at := logPos{From: uint32(from), Size: uint32(len(text) - from)}
	l.entry = &runindex.Entry[fileRun]{
		Record: runindex.BriefOf(summary), Request: runindex.RequestOf(summary), Frames: frames, Bytes: int64(at.Size),
		Content: fileRun{first: at, last: at, document: d},
	}
	l.entry.Record.End(how)
	k.lines = append(k.lines, l)
	return nil
}

// writeLong records a run that does not fit into a single line.
func (k *recorder) writeLong(r *run.Kept, start *runtext.StartText) error {
	if k.values == nil {
		k.values = make([]byte, 0, flushBytes)
	}
	c := run.Encoder{Room: k.values[:0]}
	start.Inputs = c.Inputs(r.Start.Inputs)
	err := k.writeFrames(start, c.Frames(r.Outcome))
	k.values = c.Room
	return err
}

// anyLarge reports whether an input must be stored as a value line.
func anyLarge(inputs map[string]any) bool {
	if value.Size(inputs, limit.DedupThreshold) <= limit.DedupThreshold/longestEscape {
		return false
	}
	for _, v := range inputs {
		if value.Exceeds(v, limit.DedupThreshold) {
			return true
		}
		if _, short := value.AppendMax(nil, v, limit.DedupThreshold); !short {
			return true
		}
	}
	return false
}

// document returns the workflow of a run and adds a reference to it. If neither the log nor text
// has it, document adds its line to text.
func (k *recorder) document(document *run.Document, digest string, at *logPos) (*runDocument, error) {
	s := k.runs
	s.index.Mu.Lock()
	d := s.documents[document.Digest]
	for i := 0; i < len(k.lines) && d == nil; i++ {
		if fresh := k.lines[i].entry.Content.document; fresh.digest == document.Digest {
			d = fresh
		}
	}
	if d != nil {
		d.refs++ // keeps the document referenced while text is written
	}
	s.index.Mu.Unlock()
	if d != nil {
		return d, nil
	}
	from := len(k.text)
	text, err := appendLine(k.text, &line{run: noRun, name: lineDocument, about: digest, data: document.Text})
	if err != nil {
		return nil, err
	}
	k.text, *at = text, logPos{From: uint32(from), Size: uint32(len(text) - from)}
	return &runDocument{digest: document.Digest, refs: 1}, nil
}

// flush writes the queued lines and adds their runs to the index.
func (k *recorder) flush() {
	if len(k.lines) == 0 {
		return
	}
	s := k.runs
	at, err := s.write(k.text)
	s.index.Mu.Lock()
	for _, l := range k.lines {
		if err != nil {
			s.drop(l.entry.Content.document)
			delete(s.index.Runs, l.entry.Record.RunID)
			k.errs.Note(l.i, k.total, opKeep, err)
			continue
		}
		l.addTo(s, at)
	}
	s.index.Mu.Unlock()
	if err == nil {
		s.out.markIndexed(at)
	}
	clear(k.lines)
	k.text, k.lines = k.text[:0], k.lines[:0]
}

// releaseBuffers frees buffers that have grown large.
func (k *recorder) releaseBuffers() {
	for _, room := range []*[]byte{&k.text, &k.values, &k.own} {
		if cap(*room) > maxIdleBuffer {
			*room = nil
		}
	}
}

// addTo adds the run to the index; the text was written at at. The caller holds index.mu.
func (l *recordedLine) addTo(s *Store, at logPos) {
	c := &l.entry.Content
	c.first = c.first.offsetBy(at)
	c.last, c.parts = c.first, []part{partAt(c.first)}
	if l.document.Size > 0 {
		c.document.at = l.document.offsetBy(at)
	}
	s.addRun(l.entry)
}
