package runlog

import (
	"bytes"
	"fmt"
	"iter"

	"github.com/svcflow/svc/store"
	"github.com/svcflow/svc/store/internal/runtext"

	"github.com/svcflow/svc/engine/run"
)

// cutKept takes such a line apart: what its run began with, and its result.
func cutKept(data []byte) (start, result []byte, ok bool) {
	from := bytes.IndexByte(data, '\t') + 1
	n := bytes.IndexByte(data[from:], '\t')
	if from == 0 || n < 0 {
		return nil, nil, false
	}
	return data[:from+n], data[from+n+1:], true
}

// frames records a run frame by frame, as one that counts when its end is there.
func (k *keeping) frames(text *runtext.StartText, frames iter.Seq[run.Frame]) error {
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
	wrote := []place{at}
	defer func() {
		for _, at := range wrote {
			s.out.known(at)
		}
	}()
	e := b.entry(at)
	j := &fileJournal{runs: s, entry: e, batch: batch{text: b.text}}
	defer func() { k.own = j.batch.text }()
	how := runtext.Ending{}
	for f := range frames {
		if how, at, err = j.put(&f); err != nil {
			s.release(b.document)
			return err
		}
		wrote = append(wrote, at)
	}
	e.Content.last, e.Content.open = j.batch.final.behind(at), nil
	e.Record.End(how)
	s.index.Mu.Lock()
	s.enter(e)
	s.index.Mu.Unlock()
	return nil
}

// put writes a frame of a run that is not in the index yet.
func (j *fileJournal) put(f *run.Frame) (how runtext.Ending, at place, err error) {
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
		e.Content.open.setValue(d, p.behind(at))
	}
	e.Content.open.add(b.last.behind(at), e.Frames+1)
	e.Content.count(at)
	e.Bytes += int64(at.Size)
	e.Frames++
	return how, at, nil
}

// keptFrames returns frames of a run that is kept in one line.
func (r *reader) keptFrames(after, maxBytes int) ([]run.Frame, error) {
	l, err := r.line(r.entry.Content.first, lineKept)
	if err != nil {
		return nil, err
	}
	_, result, ok := cutKept(l.data)
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
