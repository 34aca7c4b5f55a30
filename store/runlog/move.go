package runlog

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/svcflow/svc/store/internal/runindex"
	"github.com/svcflow/svc/store/internal/runtext"

	"github.com/svcflow/svc/engine/run"
)

// move writes a run that has ended anew at the end of the log.
func (s *Store) move(e *runindex.Entry[fileRun]) error {
	s.index.Mu.Lock()
	if s.index.Runs[e.Record.RunID] != e {
		s.index.Mu.Unlock()
		return nil // it has made room
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

// dropDamaged gives up a run that is damaged, when its segment goes.
func (s *Store) dropDamaged(e *runindex.Entry[fileRun]) error {
	s.index.Mu.Lock()
	if s.index.Runs[e.Record.RunID] == e {
		s.index.Remove(e)
		s.releaseRun(e)
	}
	s.index.Mu.Unlock()
	return s.writeTombstone(e.Record.RunID, e.Content.first)
}

// rewrite appends the lines of a run, of which only the last makes them count.
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
		d, _ := runtext.ParseDigest(digest) // that of another value is missed when it is read
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

// rewriteFrames appends the frames of a run and the line of its end, and returns where
// that stands.
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
			if i > 0 { // the frames before it are not in an extent yet
				b.text = b.text[:b.last.From]
				at, err := put(b.text)
				if err != nil {
					return logPos{}, err
				}
				open.add(at, after+1)
				b.text = nil // what was put is kept
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

// valuesBefore returns the values that stand before the first line of a run. Those of a copy were
// taken for values of the run itself if that seems to go on: where its end stood, the segmentIndex tells
// nothing of it any more, since the copy counted when that was written.
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
