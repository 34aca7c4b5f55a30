package store

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/svcflow/svc/engine/run"
)

// move writes a run that has ended anew at the end of the log.
func (s *RunFiles) move(e *runEntry[fileRun]) error {
	s.index.mu.Lock()
	if s.index.runs[e.record.RunID] != e {
		s.index.mu.Unlock()
		return nil // it has made room
	}
	r := &reader{runs: s, entry: *e}
	s.index.mu.Unlock()
	defer r.close()
	if e.damaged {
		return s.forsake(e)
	}
	old := r.entry.content
	made, wrote, err := s.rewrite(r)
	defer func() {
		for _, at := range wrote {
			s.out.known(at)
		}
	}()
	if errors.Is(err, errLine) {
		s.damaged(e.record.RunID, old.first, err)
		return s.forsake(e)
	}
	if err != nil {
		return err
	}
	s.index.mu.Lock()
	gone := s.index.runs[e.record.RunID] != e
	if !gone {
		s.weigh(old.parts, -1)
		s.weigh(made.parts, 1)
		e.content.first, e.content.last, e.content.parts = made.first, made.last, made.parts
		s.tables.drop(e.record.RunID)
	}
	s.index.mu.Unlock()
	if gone {
		return s.entomb(r.entry.record.RunID, made.first)
	}
	return s.entomb(r.entry.record.RunID, old.first)
}

// forsake gives up a run that is damaged, when its segment goes.
func (s *RunFiles) forsake(e *runEntry[fileRun]) error {
	s.index.mu.Lock()
	if s.index.runs[e.record.RunID] == e {
		s.index.remove(e)
		s.leave(e)
	}
	s.index.mu.Unlock()
	return s.entomb(e.record.RunID, e.content.first)
}

// rewrite appends the lines of a run, of which only the last makes them count.
func (s *RunFiles) rewrite(r *reader) (made fileRun, wrote []place, err error) {
	put := func(text []byte) (place, error) {
		at, err := s.write(text)
		if err == nil {
			wrote = append(wrote, at)
			made.count(at)
		}
		return at, err
	}
	text, err := r.at(r.entry.content.first, nil)
	if err != nil {
		return made, wrote, err
	}
	first, err := parseLine(text)
	if err != nil {
		return made, wrote, err
	}
	if first.name == lineKept {
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
		d, _ := parseDigest(digest) // that of another value is missed when it is read
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
func (s *RunFiles) rewriteFrames(r *reader, open *openRun, put func([]byte) (place, error)) (place, error) {
	e := r.entry
	var frames []run.Frame
	for after := 0; ; after = frames[len(frames)-1].Seq {
		var err error
		if frames, err = r.frames(after, extentBytes/2); err != nil {
			return place{}, err
		}
		b := &batch{runID: e.record.RunID}
		for i := range frames {
			if err := b.frame(&frames[i]); err != nil {
				return place{}, err
			}
			if !frames[i].Name.Terminal() {
				continue
			}
			copied := runEntry[fileRun]{frames: e.frames - 1, content: fileRun{open: open}}
			if i > 0 { // the frames before it are not in an extent yet
				b.text = b.text[:b.last.From]
				at, err := put(b.text)
				if err != nil {
					return place{}, err
				}
				open.add(at, after+1)
				b.text = nil // what was put is kept
				b.reset(e.record.RunID)
				if err := b.frame(&frames[i]); err != nil {
					return place{}, err
				}
			}
			if err := b.end(&copied, ending{e.record.Status, e.record.FinishedAt.time()}); err != nil {
				return place{}, err
			}
			at, err := put(b.text)
			return b.final.behind(at), err
		}
		if len(frames) == 0 {
			return place{}, fmt.Errorf("%w: it lacks its end", errLine)
		}
		at, err := put(bytes.Clone(b.text))
		if err != nil {
			return place{}, err
		}
		open.add(at, after+1)
	}
}

// valuesBefore returns the values that stand before the first line of a run. Those of a copy were
// taken for values of the run itself if that seems to go on: where its end stood, the sidecar tells
// nothing of it any more, since the copy counted when that was written.
func (l *loader) valuesBefore(n *line) *openRun {
	open := l.orphans[n.run]
	delete(l.orphans, n.run)
	if open == nil {
		open = &openRun{}
	}
	if old := l.entries[n.run]; n.name == lineCopy && old != nil && old.content.open != nil {
		if _, folded, err := l.unfold(&old.content, n.run); err == nil {
			open.setValues(folded)
		}
		for d, at := range old.content.open.values {
			open.setValue(d, at)
		}
	}
	return open
}
