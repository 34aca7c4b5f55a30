package runlog

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/store/internal/runindex"
	"github.com/svcflow/svc/store/internal/runtext"
)

// move copies a run that has ended to the end of the log.
func (s *Store) move(e *runindex.Entry[fileRun]) error {
	s.index.Mu.Lock()
	if s.index.Runs[e.Record.RunID] != e {
		s.index.Mu.Unlock()
		return nil // removed meanwhile
	}
	r := &reader{runs: s, entry: *e}
	s.index.Mu.Unlock()
	defer r.close()
	if e.Damaged {
		return s.dropDamaged(e)
	}
	old := r.entry.Content
	made, wrote, err := s.rewrite(r)
	defer func() {
		for _, at := range wrote {
			s.out.markIndexed(at)
		}
	}()
	if errors.Is(err, runtext.ErrLine) {
		s.damaged(e.Record.RunID, old.first, err)
		return s.dropDamaged(e)
	}
	if err != nil {
		return err
	}
	s.index.Mu.Lock()
	gone := s.index.Runs[e.Record.RunID] != e
	if !gone {
		s.countLive(old.parts, -1)
		s.countLive(made.parts, 1)
		e.Content.first, e.Content.last, e.Content.parts = made.first, made.last, made.parts
		s.tables.drop(e.Record.RunID)
	}
	s.index.Mu.Unlock()
	if gone {
		return s.writeTombstone(r.entry.Record.RunID, made.first)
	}
	return s.writeTombstone(r.entry.Record.RunID, old.first)
}

// dropDamaged removes a damaged run whose segment is being removed.
func (s *Store) dropDamaged(e *runindex.Entry[fileRun]) error {
	s.index.Mu.Lock()
	if s.index.Runs[e.Record.RunID] == e {
		s.index.Remove(e)
		s.releaseRun(e)
	}
	s.index.Mu.Unlock()
	return s.writeTombstone(e.Record.RunID, e.Content.first)
}

// rewrite appends the lines of a run as a copy, which only counts once its end line is there.
func (s *Store) rewrite(r *reader) (made fileRun, wrote []logPos, err error) {
	put := func(text []byte) (logPos, error) {
		at, err := s.write(text)
		if err == nil {
			wrote = append(wrote, at)
			made.count(at)
		}
		return at, err
	}
	text, err := r.at(r.entry.Content.first, nil)
	if err != nil {
		return made, wrote, err
	}
	first, err := parseLine(text)
	if err != nil {
		return made, wrote, err
	}
	if first.name == lineWholeRun {
		at, err := put(text)
		made.first, made.last = at, at
		return made, wrote, err
	}
	t, err := r.open()
	if err != nil {
		return made, wrote, err
	}
	open := &openRun{}
	for digest, p := range t.Values {
		d, _ := runtext.ParseDigest(digest) // an invalid digest leads to a missing value, which the reader reports
		if text, err = r.at(p, text); err != nil {
			return made, wrote, err
		}
		at, err := put(text)
		if err != nil {
			return made, wrote, err
		}
		open.setValue(d, at)
	}
	first.name = lineCopy
	if text, err = appendLine(nil, &first); err != nil {
		return made, wrote, err
	}
	if made.first, err = put(text); err != nil {
		return made, wrote, err
	}
	made.last, err = s.rewriteFrames(r, open, put)
	return made, wrote, err
}

// rewriteFrames appends the frames and the end line of a run, and returns the position of the end
// line.
func (s *Store) rewriteFrames(r *reader, open *openRun, put func([]byte) (logPos, error)) (logPos, error) {
	e := r.entry
	var frames []run.Frame
	for after := 0; ; after = frames[len(frames)-1].Seq {
		var err error
		if frames, err = r.frames(after, extentBytes/2); err != nil {
			return logPos{}, err
		}
		b := &batch{runID: e.Record.RunID}
		for i := range frames {
			if err := b.frame(&frames[i]); err != nil {
				return logPos{}, err
			}
			if !frames[i].Name.Terminal() {
				continue
			}
			copied := runindex.Entry[fileRun]{Frames: e.Frames - 1, Content: fileRun{open: open}}
			if i > 0 { // the frames before it need an extent of their own
				b.text = b.text[:b.last.From]
				at, err := put(b.text)
				if err != nil {
					return logPos{}, err
				}
				open.add(at, after+1)
				b.text = nil // put has recorded the old buffer; start a new one
				b.reset(e.Record.RunID)
				if err := b.frame(&frames[i]); err != nil {
					return logPos{}, err
				}
			}
			if err := b.end(&copied, runtext.Ending{Status: e.Record.Status, FinishedAt: e.Record.FinishedAt.Time()}); err != nil {
				return logPos{}, err
			}
			at, err := put(b.text)
			return b.final.offsetBy(at), err
		}
		if len(frames) == 0 {
			return logPos{}, fmt.Errorf("%w: it lacks its end", runtext.ErrLine)
		}
		at, err := put(bytes.Clone(b.text))
		if err != nil {
			return logPos{}, err
		}
		open.add(at, after+1)
	}
}

// valuesBefore returns the values that were written before the first line of a run. If the original
// run looks unfinished, the values of its copy were assigned to the original. This happens when the
// index of the segment that held the original's end line was written after the copy counted, and
// thus no longer lists the end.
func (l *loader) valuesBefore(n *line) *openRun {
	open := l.orphans[n.run]
	delete(l.orphans, n.run)
	if open == nil {
		open = &openRun{}
	}
	if old := l.entries[n.run]; n.name == lineCopy && old != nil && old.Content.open != nil {
		if _, folded, err := l.unfold(&old.Content, n.run); err == nil {
			open.setValues(folded)
		}
		for d, at := range old.Content.open.values {
			open.setValue(d, at)
		}
	}
	return open
}
