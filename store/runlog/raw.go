package runlog

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/svcflow/svc/store"
	"github.com/svcflow/svc/store/internal/runtext"
	"github.com/svcflow/svc/store/internal/vfs"
)

// RawRun writes what the log of runs in a directory says of one run to w, as it stands
// there: lines, the oldest first. It only reads, and does so while a service has the runs.
// A run of which there is nothing is [ErrRunNotFound].
func RawRun(w io.Writer, dir, runID string) error {
	s := &Store{dir: dir, disk: vfs.OS{}, out: &runLog{disk: vfs.OS{}, dir: dir}}
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
	err = s.linesOf(number, runID, func(f vfs.File, at place, _ *line) error {
		found = true
		_, err := io.Copy(w, io.NewSectionReader(f, int64(at.From), int64(at.Size)))
		return err
	})
	if errors.Is(err, os.ErrNotExist) {
		return false, nil // it has gone since
	}
	return found, err
}

// linesOf calls visit with the lines that a segment has of a run, of long ones without their
// data.
func (s *Store) linesOf(number uint32, runID string, visit func(vfs.File, place, *line) error) error {
	f, err := s.disk.Open(s.out.path(number), os.O_RDONLY)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // it was only read
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
			err = visit(f, place{number, uint32(at), uint32(r.at - at)}, l)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
