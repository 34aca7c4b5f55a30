package store

import (
	"errors"
	"fmt"
	"io"
	"os"
)

// RawRun writes what the log of runs in a directory says of one run to w, as it stands
// there: lines, the oldest first. It only reads, and does so while a service has the runs.
// A run of which there is nothing is [ErrRunNotFound].
func RawRun(w io.Writer, dir, runID string) error {
	s := &RunFiles{dir: dir, disk: osDisk{}, out: &runLog{disk: osDisk{}, dir: dir}}
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
		return fmt.Errorf("read run %s: %w", runID, ErrRunNotFound)
	}
	return nil
}

func (s *RunFiles) rawSegment(w io.Writer, number uint32, runID string) (found bool, err error) {
	f, err := s.disk.Open(s.out.path(number), os.O_RDONLY)
	if errors.Is(err, os.ErrNotExist) {
		return false, nil // it has gone since
	}
	if err != nil {
		return false, err
	}
	defer func() { _ = f.Close() }() // it was only read
	size, err := f.Size()
	if err != nil {
		return false, err
	}
	r := &scanner{file: f, size: size}
	r.seek(0)
	for r.at < size {
		at := r.at
		l, err := r.next()
		switch {
		case errors.Is(err, errLine):
			if _, _, err := r.resync(at); err != nil {
				return found, err
			}
		case err != nil:
			return found, err
		case l.run == runID:
			found = true
			if _, err := io.Copy(w, io.NewSectionReader(f, at, r.at-at)); err != nil {
				return found, err
			}
		}
	}
	return found, nil
}
