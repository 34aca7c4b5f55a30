package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/gofrs/flock"
	"github.com/svcflow/svc/engine/run"

	"github.com/svcflow/svc/store/durable"
)

// RunFiles is a [RunStore] that keeps each run as a file of a directory; open one
// with [FileRuns]. It holds the journals of running runs open, and reads others
// only when they are asked for.
//
// A journal is a text file that people can read. One that is damaged is reported
// in the log when that is noticed, and is left out from then on, until retention
// removes it. Besides journals, the directory has a lock and 1 MiB of ballast,
// which is given up, bit by bit, for the last frames of runs when the disk is full.
// Only the owner of the files can read them.
type RunFiles struct {
	dir  string
	keep Retention
	log  *slog.Logger
	disk disk
	lock *flock.Flock
	room *ballast

	checking sync.Mutex // held by Check, since its file has one name

	open   sync.RWMutex // held for reading while a journal is being opened
	closed bool         // with open held

	index   runIndex[fileRun]
	keys    *keyLog
	removed []string // files of forgotten runs that may still be there; with index.mu held
}

// fileRun says where things are in a journal.
type fileRun struct {
	terminal int64 // the terminal frame, once the run has ended
	marks    []mark
	journal  *fileJournal // nil unless it is being written
}

const runSuffix = ".run"

// FileRuns opens the runs in dir, which it makes if need be, and takes them for
// itself until they are closed: if somebody else has them, the error wraps
// [ErrRunsInUse]. What goes wrong with single files is logged; a nil log discards
// it.
func FileRuns(dir string, keep Retention, log *slog.Logger) (*RunFiles, error) {
	return openRuns(dir, keep, log, osDisk{})
}

func openRuns(dir string, keep Retention, log *slog.Logger, d disk) (*RunFiles, error) {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	s := &RunFiles{
		dir: dir, keep: keep, log: log, disk: d,
		lock: flock.New(filepath.Join(dir, ".lock")),
		room: &ballast{disk: d, path: filepath.Join(dir, ballastName)},
	}
	if err := s.start(); err != nil {
		return nil, fmt.Errorf("open the runs: %w", errors.Join(err, s.lock.Close()))
	}
	return s, nil
}

func (s *RunFiles) start() error {
	if err := durable.MakeDir(s.dir); err != nil {
		return err
	}
	if ok, err := s.lock.TryLock(); err != nil {
		return err
	} else if !ok {
		return inUse(s.dir, s.lock.Path())
	}
	sign(s.lock.Path())
	if err := s.scan(); err != nil {
		return err
	}
	if err := s.openKeys(); err != nil {
		return err
	}
	s.prune()
	return nil
}

// Create implements [RunStore].
func (s *RunFiles) Create(ctx context.Context, start run.Start) (Journal, error) {
	j, err := s.create(ctx, start)
	if err != nil {
		return nil, fmt.Errorf("create run: %w", err)
	}
	return j, nil
}

func (s *RunFiles) create(ctx context.Context, start run.Start) (*fileJournal, error) {
	s.open.RLock()
	defer s.open.RUnlock()
	if err := s.usable(ctx); err != nil {
		return nil, err
	}
	text, err := encodeStart(start)
	if err != nil {
		return nil, err
	}
	e, head, err := newFileRun(text)
	if err != nil {
		return nil, err
	}
	if err := s.index.reserve(start.RunID, start.IdempotencyKey); err != nil {
		return nil, err
	}
	f, err := s.writeNew(start.RunID, head)
	if noRoom(err) {
		err = s.room.undisturbed(func() (err error) { f, err = s.writeNew(start.RunID, head); return err })
	}
	if err != nil {
		s.index.release(start.RunID)
		return nil, err
	}
	j := s.enter(e, f)
	s.prune()
	s.room.fill()
	return j, nil
}

// writeNew puts a journal with its first lines on the disk.
func (s *RunFiles) writeNew(runID string, head []byte) (diskFile, error) {
	path := s.path(runID)
	f, err := s.disk.Open(path, os.O_RDWR|os.O_CREATE|os.O_TRUNC)
	if err != nil {
		return nil, err
	}
	if _, err = f.WriteAt(head, 0); err == nil {
		err = f.Sync()
	}
	if err == nil {
		err = s.disk.SyncDir(s.dir)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close(), s.disk.Remove(path))
	}
	return f, nil
}

// enter makes a run known whose journal f is.
func (s *RunFiles) enter(e *runEntry[fileRun], f diskFile) *fileJournal {
	s.index.mu.Lock()
	defer s.index.mu.Unlock()
	e.writing = true
	e.content.journal = &fileJournal{runs: s, entry: e, file: f}
	s.index.add(e)
	return e.content.journal
}

// usable returns an error if nothing may be begun any more.
func (s *RunFiles) usable(ctx context.Context) error {
	if s.closed {
		return fs.ErrClosed
	}
	return ctx.Err()
}

// Unfinished implements [RunStore].
func (s *RunFiles) Unfinished(ctx context.Context) ([]string, error) {
	s.index.mu.Lock()
	defer s.index.mu.Unlock()
	return s.index.unfinished(), ctx.Err()
}

// Reopen implements [RunStore].
func (s *RunFiles) Reopen(ctx context.Context, runID string) (Journal, error) {
	s.open.RLock()
	defer s.open.RUnlock()
	if err := s.usable(ctx); err != nil {
		return nil, fmt.Errorf("reopen run: %w", err)
	}
	s.index.mu.Lock()
	defer s.index.mu.Unlock()
	e, err := s.index.claim(runID)
	if err != nil {
		return nil, fmt.Errorf("reopen run: %w", err)
	}
	f, err := s.disk.Open(s.path(runID), os.O_RDWR)
	if err != nil {
		e.writing = false
		return nil, fmt.Errorf("reopen run: %w", err)
	}
	e.content.journal = &fileJournal{runs: s, entry: e, file: f, torn: true}
	return e.content.journal, nil
}

// Close implements [RunStore]. What it had can still be read.
func (s *RunFiles) Close() error {
	s.open.Lock()
	defer s.open.Unlock()
	s.closed = true
	var err error
	for _, j := range s.journals() {
		err = errors.Join(err, j.close())
	}
	return errors.Join(err, s.lock.Close())
}

// journals returns those that are open.
func (s *RunFiles) journals() []*fileJournal {
	s.index.mu.Lock()
	defer s.index.mu.Unlock()
	var open []*fileJournal
	for _, e := range s.index.order {
		if e.content.journal != nil {
			open = append(open, e.content.journal)
		}
	}
	return open
}

// grew notes a frame that was written.
func (s *RunFiles) grew(e *runEntry[fileRun], size int64) {
	s.index.mu.Lock()
	defer s.index.mu.Unlock()
	e.content.addMark(mark{e.frames + 1, e.bytes})
	s.index.grow(e, size)
}

// ended notes a terminal frame that was written.
func (s *RunFiles) ended(e *runEntry[fileRun], size int64, how ending) {
	s.index.mu.Lock()
	e.content.addMark(mark{e.frames + 1, e.bytes})
	e.content.terminal = e.bytes
	e.content.journal = nil
	s.index.grow(e, size)
	s.index.end(e, how)
	s.index.mu.Unlock()
	s.prune()
	s.room.fill()
}

// prune makes room. What it cannot delete, it tries again the next time.
func (s *RunFiles) prune() {
	s.index.mu.Lock()
	files, again := s.removed, len(s.removed)
	s.removed = nil
	pruned := s.index.prune(s.keep, time.Now())
	for _, e := range pruned {
		files = append(files, s.path(e.record.RunID))
	}
	s.index.mu.Unlock()
	if err := s.keys.add(pruned); err != nil {
		s.log.Warn("the idempotency keys of old runs cannot be written down", "error", err)
	}
	var left []string
	for i, file := range files {
		err := s.disk.Remove(file)
		if err == nil || errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if left = append(left, file); i >= again {
			s.log.Warn("the journal of an old run cannot be deleted", "error", err)
		}
	}
	s.index.mu.Lock()
	defer s.index.mu.Unlock()
	s.removed = append(s.removed, left...)
}

// Delete implements [RunStore].
func (s *RunFiles) Delete(ctx context.Context, runID string) error {
	if err := s.delete(ctx, runID); err != nil {
		return fmt.Errorf("delete run: %w", err)
	}
	return nil
}

func (s *RunFiles) delete(ctx context.Context, runID string) error {
	s.open.RLock()
	defer s.open.RUnlock()
	if err := s.usable(ctx); err != nil {
		return err
	}
	s.index.mu.Lock()
	e, err := s.index.remove(runID, time.Now())
	s.index.mu.Unlock()
	if err != nil {
		return err
	}
	err = s.keys.add([]*runEntry[fileRun]{e})
	if err == nil {
		if err = s.disk.Remove(s.path(runID)); errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
	}
	if err != nil { // it is there still, and will be tried again
		s.index.mu.Lock()
		defer s.index.mu.Unlock()
		s.index.add(e)
		return err
	}
	return s.disk.SyncDir(s.dir)
}

// path returns the file of a run, whose id was checked when it was created.
func (s *RunFiles) path(runID string) string { return filepath.Join(s.dir, runID+runSuffix) }

// newFileRun returns a run that has just started, and the lines that its journal
// begins with.
func newFileRun(text startText) (*runEntry[fileRun], []byte, error) {
	head, err := text.summary.line()
	if err != nil {
		return nil, nil, err
	}
	if head, err = appendLine(head, 0, lineStart, text.body); err != nil {
		return nil, nil, err
	}
	return &runEntry[fileRun]{
		record: text.summary.record(), key: text.summary.IdempotencyKey, digest: text.summary.RequestDigest, bytes: int64(len(head)),
		content: fileRun{marks: []mark{{1, int64(len(head))}}},
	}, head, nil
}
