package runlog

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/store"
	"github.com/svcflow/svc/store/internal/runtext"
	"github.com/svcflow/svc/store/internal/vfs"
)

// extents returns the extents with the frames from number seq on; only the first ones, if there are
// many.
func (r *reader) extents(seq int) ([]extent, error) {
	const most = 64
	open := r.entry.Content.open
	if open == nil {
		t, err := r.open()
		if err != nil {
			return nil, err
		}
		return extentsFrom(t.Extents, seq), nil
	}
	s := r.runs
	s.index.Mu.Lock()
	from := extentsFrom(open.extents, seq) // copied below, since a writer may change it
	from = slices.Clone(from[:min(len(from), most)])
	s.index.Mu.Unlock()
	if !slices.ContainsFunc(from, extent.folded) {
		return from, nil
	}
	t, err := r.unfolded()
	if err != nil {
		return nil, err
	}
	var all []extent
	for _, x := range from {
		if !x.folded() {
			all = append(all, x)
			continue
		}
		for _, inside := range t.Extents {
			if x.covers(inside.Segment) {
				all = append(all, inside)
			}
		}
	}
	return extentsFrom(all, seq), nil
}

// frames reads the frames after number after, up to about maxBytes.
func (r *reader) frames(after, maxBytes int) ([]run.Frame, error) {
	if r.entry.Content.last == r.entry.Content.first {
		return r.wholeRunFrames(after, maxBytes)
	}
	frames, err := r.latest(after)
	if frames != nil || err != nil {
		return frames, err
	}
	next := after + 1
	for next <= r.entry.Frames {
		extents, err := r.extents(next)
		if err != nil {
			return nil, err
		}
		before := next
		for _, x := range extents {
			full, err := r.inExtent(&x, func(l *line) (bool, error) {
				if l.seq != next || next > r.entry.Frames {
					return false, nil
				}
				if maxBytes -= len(l.name) + len(l.data); maxBytes < 0 && len(frames) > 0 {
					return true, nil
				}
				f, err := l.frame()
				if err == nil {
					f.Data = bytes.Clone(f.Data) // the buffer of the line is reused
					frames = append(frames, f)
					next++
				}
				return false, err
			})
			if err != nil || full {
				return frames, err
			}
			if maxBytes <= 0 && len(frames) > 0 {
				return frames, nil
			}
		}
		if next == before {
			return nil, fmt.Errorf("%w: frame %d is missing", runtext.ErrLine, next)
		}
	}
	return frames, nil
}

// latest reads the last frame of an unfinished run, if that is the only frame after number after.
// This avoids reading its extent. It returns nil if the extent must be read.
func (r *reader) latest(after int) ([]run.Frame, error) {
	open, s := r.entry.Content.open, r.runs
	if open == nil || after != r.entry.Frames-1 {
		return nil, nil
	}
	s.index.Mu.Lock()
	at := open.latest
	s.index.Mu.Unlock()
	if at.Size == 0 {
		return nil, nil
	}
	text, err := r.at(at, nil)
	if err != nil && !errors.Is(err, runtext.ErrLine) {
		return nil, err
	}
	l, err := parseLine(text)
	if err != nil || l.seq != after+1 || l.run != r.entry.Record.RunID {
		return nil, nil
	}
	f, err := l.frame()
	return []run.Frame{f}, err
}

// inExtent calls visit with the valid frame lines of the run in an extent until visit says stop. It
// skips damaged lines, which may belong to other runs.
func (r *reader) inExtent(x *extent, visit func(*line) (stop bool, err error)) (bool, error) {
	text, err := r.at(logPos{x.Segment, x.From, x.To - x.From}, r.scratch)
	if err != nil {
		return false, err
	}
	if r.scratch = text; cap(text) > 4*extentBytes {
		r.scratch = nil
	}
	for len(text) > 0 {
		n := cutBehind(text)
		if n == 0 {
			break
		}
		if lineOf(text[:n], r.entry.Record.RunID) {
			if l, err := parseLine(text[:n]); err == nil && runtext.IsFrameName(l.name) {
				if stop, err := visit(&l); stop || err != nil {
					return stop, err
				}
			}
		}
		text = text[n:]
	}
	return false, nil
}

// cutBehind returns the length of the first line of text, damaged or not; 0 if it has no end.
// Either the length field or the line feed may be damaged, so it takes the smaller one, which hides
// no other line.
func cutBehind(text []byte) int {
	n := bytes.IndexByte(text, '\n') + 1
	if size, ok := lineSize(text); ok && size <= int64(len(text)) && (n == 0 || size < int64(n)) {
		return int(size)
	}
	return n
}

// RawRun writes the log lines of a run to w unchanged, oldest first. It only reads, and works while
// a service has the directory open. If the log has no such line, the error wraps
// [store.ErrRunNotFound].
func RawRun(w io.Writer, dir, runID string) error {
	s := &Store{dir: dir, disk: vfs.OS{}, out: &logWriter{disk: vfs.OS{}, dir: dir}}
	numbers, err := s.listSegments()
	if err != nil {
		return fmt.Errorf("read the runs: %w", err)
	}
	found := false
	for _, number := range numbers {
		some, err := s.rawSegment(w, number, runID)
		if err != nil {
			return fmt.Errorf("read run %s: %w", runID, err)
		}
		found = found || some
	}
	if !found {
		return fmt.Errorf("read run %s: %w", runID, store.ErrRunNotFound)
	}
	return nil
}

func (s *Store) rawSegment(w io.Writer, number uint32, runID string) (found bool, err error) {
	err = s.linesOf(number, runID, func(f vfs.File, at logPos, _ *line) error {
		found = true
		_, err := io.Copy(w, io.NewSectionReader(f, int64(at.From), int64(at.Size)))
		return err
	})
	if errors.Is(err, os.ErrNotExist) {
		return false, nil // removed meanwhile
	}
	return found, err
}

// linesOf calls visit with each line of a run in a segment. Long lines come without their data.
func (s *Store) linesOf(number uint32, runID string, visit func(vfs.File, logPos, *line) error) error {
	f, err := s.disk.Open(s.out.path(number), os.O_RDONLY)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // only read
	size, err := f.Size()
	if err != nil {
		return err
	}
	r := &scanner{file: f, size: size}
	r.seek(0)
	for r.at < size {
		at := r.at
		l, err := r.next()
		switch {
		case errors.Is(err, runtext.ErrLine):
			_, _, err = r.resync(at)
		case err == nil && l.run == runID:
			err = visit(f, logPos{number, uint32(at), uint32(r.at - at)}, l)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
