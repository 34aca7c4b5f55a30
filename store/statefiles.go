package store

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
	"golang.org/x/sync/semaphore"

	"github.com/svcflow/svc/store/durable"
)

// StateFiles keeps state in a directory: as lines of JSON, one for each change, in a file
// that is written anew when most of it has become useless. Several processes may use one
// directory.
type StateFiles struct {
	dir  string
	turn *semaphore.Weighted

	table *stateTable
	log   string // tells the file of which table is from those that were there before
	size  int64  // of it, up to the end of the last whole line
	least int64  // about what would be left of it, written anew
}

// FileState returns the store that keeps state in dir, which need not exist.
func FileState(dir string) *StateFiles {
	return &StateFiles{dir: dir, turn: semaphore.NewWeighted(1)}
}

// stateName is the file of all lines.
const stateName = "state.log"

// stateHead is the first line of the file.
type stateHead struct {
	Log string `json:"log"`
}

// State implements [StateStore].
func (s *StateFiles) State(ctx context.Context, key StateKey) (v StateValue, err error) {
	err = s.with(ctx, func(t *stateTable, now time.Time) ([]*stateLine, error) {
		v = t.value(key, now)
		return nil, nil
	})
	return v, err
}

// States implements [StateStore].
func (s *StateFiles) States(ctx context.Context, workflowID, after string, maxBytes int) (page []KeyedState, more bool, err error) {
	err = s.with(ctx, func(t *stateTable, now time.Time) ([]*stateLine, error) {
		page, more = t.page(workflowID, after, maxBytes, now)
		return nil, nil
	})
	return page, more, err
}

// ChangeState implements [StateStore].
func (s *StateFiles) ChangeState(ctx context.Context, key StateKey, change func(now StateValue) (StateValue, error)) (v StateValue, err error) {
	err = s.with(ctx, func(t *stateTable, now time.Time) (lines []*stateLine, err error) {
		v, lines, err = changeState(t, key, change, now)
		return lines, err
	})
	return v, err
}

// Lend implements [StateStore].
func (s *StateFiles) Lend(ctx context.Context, key StateKey, l Lent) (isNew []bool, err error) {
	err = s.with(ctx, func(t *stateTable, now time.Time) (lines []*stateLine, err error) {
		isNew, lines, err = lendItems(t, key, l, now)
		return lines, err
	})
	return isNew, err
}

// Settle implements [StateStore].
func (s *StateFiles) Settle(ctx context.Context, holder string, seen bool) error {
	return s.with(ctx, func(t *stateTable, now time.Time) ([]*stateLine, error) { return t.settle(holder, seen, now), nil })
}

// Relend implements [StateStore].
func (s *StateFiles) Relend(ctx context.Context, holder string) error {
	return s.with(ctx, func(t *stateTable, now time.Time) ([]*stateLine, error) { return t.relend(holder, now), nil })
}

// ForgetState implements [StateStore].
func (s *StateFiles) ForgetState(ctx context.Context, workflowID string) error {
	if !exists(filepath.Join(s.dir, stateName)) {
		return ctx.Err()
	}
	return s.with(ctx, func(t *stateTable, _ time.Time) ([]*stateLine, error) { return forgetState(t, workflowID), nil })
}

// with reads what other processes have added, and puts the changes that f wants on the
// disk, while nobody else does so.
func (s *StateFiles) with(ctx context.Context, f func(t *stateTable, now time.Time) ([]*stateLine, error)) (err error) {
	if err := s.turn.Acquire(ctx, 1); err != nil {
		return err
	}
	defer s.turn.Release(1)
	if err := errors.Join(ctx.Err(), durable.MakeDir(s.dir)); err != nil {
		return err
	}
	lock := flock.New(filepath.Join(s.dir, ".lock"))
	if _, err := lock.TryLockContext(ctx, lockPoll); err != nil {
		return fmt.Errorf("lock the state: %w", err)
	}
	defer func() { _ = lock.Unlock() }() // closing the file is enough, and cannot fail to matter
	file, err := s.open()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	lines, err := f(s.table, time.Now())
	if err != nil || len(lines) == 0 {
		return err
	}
	if err := s.append(file, lines); err != nil {
		return err
	}
	if s.size > rewriteFrom && s.size > 4*s.least {
		return s.rewrite()
	}
	return nil
}

// open opens the file, which it makes if need be, and reads of it what is not known yet.
func (s *StateFiles) open() (*os.File, error) {
	file, err := os.OpenFile(filepath.Join(s.dir, stateName), os.O_RDWR, 0o600)
	if errors.Is(err, fs.ErrNotExist) {
		s.table = newStateTable()
		if err := s.rewrite(); err != nil {
			return nil, err
		}
		file, err = os.OpenFile(filepath.Join(s.dir, stateName), os.O_RDWR, 0o600)
	}
	if err != nil {
		return nil, fmt.Errorf("open the state: %w", err)
	}
	if err := s.catchUp(file); err != nil {
		return nil, errors.Join(fmt.Errorf("read the state: %w", err), file.Close())
	}
	return file, nil
}

func (s *StateFiles) catchUp(file *os.File) error {
	info, err := file.Stat()
	if err != nil {
		return err
	}
	head := make([]byte, min(info.Size(), int64(len(s.log))))
	if _, err := file.ReadAt(head, 0); err != nil {
		return err
	}
	if s.table == nil || s.log != string(head) || info.Size() < s.size {
		s.table, s.log, s.size, s.least = newStateTable(), "", 0, 0
	}
	if info.Size() == s.size {
		return nil
	}
	text := make([]byte, info.Size()-s.size)
	if _, err := file.ReadAt(text, s.size); err != nil {
		return err
	}
	for line := range bytes.Lines(text) {
		if !bytes.HasSuffix(line, []byte("\n")) {
			break // a crash has left it, and the next line takes its place
		}
		if s.log == "" {
			s.log = string(line)
		}
		s.size += int64(len(line))
		var change stateLine
		if json.Unmarshal(line, &change) == nil { // damage costs its line alone
			s.table.apply(&change)
		}
	}
	s.least = max(s.least, s.table.bytes)
	return nil
}

// append puts lines at the end of the file.
func (s *StateFiles) append(file *os.File, lines []*stateLine) error {
	text, err := textOfLines(nil, lines)
	if err != nil {
		return err
	}
	if err = file.Truncate(s.size); err == nil {
		_, err = file.WriteAt(text, s.size)
	}
	if err == nil {
		err = file.Sync()
	}
	if err != nil {
		return errors.Join(fmt.Errorf("write the state: %w", err), file.Truncate(s.size))
	}
	s.size += int64(len(text))
	for _, line := range lines {
		s.table.apply(line)
	}
	return nil
}

// rewrite puts a file with what is of use in the place of the one that is there.
func (s *StateFiles) rewrite() error {
	s.table.sweep(time.Now())
	head, err := json.Marshal(stateHead{Log: rand.Text()})
	if err != nil {
		return err
	}
	head = append(head, '\n')
	text, err := textOfLines(head, s.table.lines())
	if err != nil {
		return err
	}
	if err := durable.Replace(filepath.Join(s.dir, stateName), text, durable.Options{Temp: tempName}); err != nil {
		return fmt.Errorf("rewrite the state: %w", err)
	}
	s.log, s.size, s.least = string(text[:len(head)]), int64(len(text)), int64(len(text))
	return nil
}

func textOfLines(text []byte, lines []*stateLine) ([]byte, error) {
	made := bytes.NewBuffer(text)
	encode := json.NewEncoder(made) // a line for each
	encode.SetEscapeHTML(false)     // values come back as they were
	for _, line := range lines {
		if err := encode.Encode(line); err != nil {
			return nil, err
		}
	}
	return made.Bytes(), nil
}

var _ StateStore = (*StateFiles)(nil)
