package runlog

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// checkName is a file that is there while [RunFiles.Check] runs.
const checkName = ".check"

// Check says why no journal could be written at the moment, or nil: it writes a
// small file and removes it. It does not wait for the disk.
func (s *Store) Check(ctx context.Context) error {
	if err := s.check(ctx); err != nil {
		return fmt.Errorf("write to the runs: %w", err)
	}
	return nil
}

func (s *Store) check(ctx context.Context) error {
	s.checking.Lock()
	defer s.checking.Unlock()
	s.open.RLock()
	defer s.open.RUnlock()
	if err := s.usable(ctx); err != nil {
		return err
	}
	path := filepath.Join(s.dir, checkName)
	f, err := s.disk.Open(path, os.O_RDWR|os.O_CREATE|os.O_TRUNC)
	if err != nil {
		return err
	}
	_, err = f.WriteAt([]byte("ready\n"), 0)
	return errors.Join(err, f.Close(), s.disk.Remove(path))
}
