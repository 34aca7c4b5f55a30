package runlog

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"path/filepath"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"github.com/svcflow/svc/engine/durable"
	"github.com/svcflow/svc/engine/limit"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/store"
	"github.com/svcflow/svc/store/internal/runindex"
	"github.com/svcflow/svc/store/internal/runtext"
	"github.com/svcflow/svc/store/internal/vfs"
)

// Store is a [store.RunStore] that keeps all runs of a directory in one log; open it with [Open].
// Concurrent writers share syncs (group commit).
//
// The log is text that people can read. Runs with damaged lines are reported and then left out,
// until retention removes them. Only the owner of the files can read them.
type Store struct {
	dir     string
	options Options
	log     *slog.Logger
	disk    vfs.FS
	lock    *flock.Flock
	ballast *ballast

	checking sync.Mutex // held by Check, whose file has a fixed name

	open   sync.RWMutex // read-locked by operations that begin something; Close locks it
	closed bool         // guarded by open

	out        *logWriter
	index      runindex.Index[fileRun]
	segments   map[uint32]*segment         // guarded by index.mu
	documents  map[run.Digest]*runDocument // guarded by index.mu
	tables     tableCache
	outlines   outlineCache
	compaction compaction
	recorder   recorder
}

// Options configure a [Store]. The zero value keeps all runs, with the default size limit for a
// single run.
type Options struct {
	Keep store.Retention
	// RunBytes limits the size of one run; 0 means limit.RunBytes, a negative value no limit.
	RunBytes int64
	// Relaxed acknowledges starts and ends up to 20 ms before they are synced. A crash of the
	// machine may lose that much; a crash of the process loses nothing.
	Relaxed bool
	// Log receives errors of single runs; nil discards them.
	Log *slog.Logger

	segment int64 // size of a segment, for tests
}

// relaxedFor is how long a relaxed log delays a sync.
const relaxedFor = 20 * time.Millisecond

// fileRun holds the positions of a run in the log.
type fileRun struct {
	first, last logPos // positions of its first line and, once it has ended, of its end line
	document    *runDocument
	parts       []part
	open        *openRun // nil once the run has ended
}

// openRun holds the positions of the lines of an unfinished run. Once the run has ended, its end
// line has them.
type openRun struct {
	extents []extent
	latest  logPos // of the last frame; zero if only its extent is known
	values  map[run.Digest]logPos
	apart   bool     // the last extent must not grow: frames that do not count follow it
	journal *journal // nil unless the run is being written
}

// Open opens the runs in dir, which it creates if necessary, and locks the directory until
// [Store.Close]. If another process has it open, the error wraps [store.ErrRunsInUse].
func Open(dir string, options Options) (*Store, error) {
	return openRuns(dir, options, vfs.OS{})
}

func openRuns(dir string, options Options, d vfs.FS) (*Store, error) {
	if options.Log == nil {
		options.Log = slog.New(slog.DiscardHandler)
	}
	options.RunBytes = cmp.Or(options.RunBytes, limit.RunBytes)
	s := &Store{
		dir: dir, options: options, log: options.Log, disk: d,
		lock:     flock.New(filepath.Join(dir, ".lock")),
		ballast:  &ballast{disk: d, path: filepath.Join(dir, ballastName)},
		out:      &logWriter{disk: d, dir: dir, size: cmp.Or(options.segment, segmentSize), pending: map[uint32]int{}},
		segments: map[uint32]*segment{}, documents: map[run.Digest]*runDocument{},
	}
	if options.Relaxed {
		s.out.relaxed = relaxedFor
	}
	if err := s.start(); err != nil {
		return nil, fmt.Errorf("open the runs: %w", errors.Join(err, s.lock.Close()))
	}
	return s, nil
}

func (s *Store) start() error {
	if err := durable.MakeDir(s.dir); err != nil {
		return err
	}
	if ok, err := s.lock.TryLock(); err != nil {
		return err
	} else if !ok {
		return inUseError(s.dir, s.lock.Path())
	}
	writeOwner(s.lock.Path())
	if err := s.load(); err != nil {
		return err
	}
	s.prune()
	return nil
}

// Create implements [store.RunStore].
func (s *Store) Create(ctx context.Context, start run.Start) (store.Journal, error) {
	j, err := s.create(ctx, &start)
	if err != nil {
		return nil, fmt.Errorf("create run: %w", err)
	}
	return j, nil
}

func (s *Store) create(ctx context.Context, start *run.Start) (*journal, error) {
	s.open.RLock()
	defer s.open.RUnlock()
	if err := s.usable(ctx); err != nil {
		return nil, err
	}
	text, err := runtext.EncodeStart(start)
	if err != nil {
		return nil, err
	}
	if err := s.index.Reserve(start.RunID, start.IdempotencyKey); err != nil {
		return nil, err
	}
	e, at, err := s.writeStart(text)
	if err != nil {
		s.index.Release(start.RunID)
		return nil, err
	}
	e.Content.open.journal = &journal{runs: s, entry: e}
	s.index.Mu.Lock()
	s.addRun(e)
	s.index.Mu.Unlock()
	s.out.markIndexed(at)
	s.prune()
	s.ballast.fill()
	return e.Content.open.journal, nil
}

// writeStart writes the first lines of a run and waits for the disk.
func (s *Store) writeStart(text *runtext.StartText) (*runindex.Entry[fileRun], logPos, error) {
	b, err := s.batchOf(text, lineStart, make([]byte, 0, 2*runtext.SummaryRoom))
	if err != nil {
		return nil, logPos{}, err
	}
	at, err := s.write(b.text)
	if err != nil {
		s.release(b.document)
		return nil, at, err
	}
	e := b.entry(at)
	if err := s.out.wait(at); err != nil {
		s.release(b.document)
		if void, err := s.write(deleteLine(e.Record.RunID, e.Content.first)); err == nil {
			s.out.markIndexed(void)
		}
		s.out.markIndexed(at)
		return nil, at, err
	}
	return e, at, nil
}

// write appends lines to the log. If the disk is full, it tries again while the ballast is not
// being filled.
func (s *Store) write(text []byte) (logPos, error) {
	at, err := s.out.write(text)
	if isDiskFull(err) {
		err = s.ballast.whileIdle(func() (err error) { at, err = s.out.write(text); return err })
	}
	return at, err
}

// writeEnd is write for lines that end a run. If the disk is full, it gives up the ballast step by
// step.
func (s *Store) writeEnd(text []byte) (logPos, error) {
	return s.writeFrom(text, ballastStep, deleteReserve)
}

// writeDelete is write for lines that delete a run, which may use all of the ballast.
func (s *Store) writeDelete(text []byte) (logPos, error) {
	return s.writeFrom(text, deleteStep, 0)
}

func (s *Store) writeFrom(text []byte, step, keep int64) (logPos, error) {
	at, err := s.write(text)
	for isDiskFull(err) && s.ballast.release(step, keep) {
		at, err = s.out.write(text)
	}
	return at, err
}

// addRun adds a run to the index.
func (s *Store) addRun(e *runindex.Entry[fileRun]) {
	e.Writing = e.Content.open != nil && e.Content.open.journal != nil
	s.index.Add(e)
	s.register(&e.Content)
	if e.Request != nil {
		if k := s.index.Keys[e.Request.Key]; k.RunID == e.Record.RunID {
			k.Segment = e.Content.first.Segment
			s.index.Keys[k.Key] = k
		}
	}
	s.countLive(e.Content.parts, 1)
}

// usable returns an error if the store is closed or ctx is done. The caller holds open.
func (s *Store) usable(ctx context.Context) error {
	if s.closed {
		return fs.ErrClosed
	}
	return ctx.Err()
}

// Unfinished implements [store.RunStore].
func (s *Store) Unfinished(ctx context.Context) ([]string, error) {
	s.index.Mu.Lock()
	defer s.index.Mu.Unlock()
	return s.index.Unfinished(), ctx.Err()
}

// Reopen implements [store.RunStore].
func (s *Store) Reopen(ctx context.Context, runID string) (store.Journal, error) {
	s.open.RLock()
	defer s.open.RUnlock()
	j, err := s.reopen(ctx, runID)
	if err != nil {
		return nil, fmt.Errorf("reopen run: %w", err)
	}
	return j, nil
}

func (s *Store) reopen(ctx context.Context, runID string) (*journal, error) {
	if err := s.usable(ctx); err != nil {
		return nil, err
	}
	s.index.Mu.Lock()
	defer s.index.Mu.Unlock()
	e, err := s.index.Claim(runID)
	if err != nil {
		return nil, err
	}
	e.Content.open.apart = true
	e.Content.open.journal = &journal{runs: s, entry: e}
	return e.Content.open.journal, nil
}

// Close implements [store.RunStore]. Runs can still be read.
func (s *Store) Close() error {
	s.open.Lock()
	defer s.open.Unlock()
	s.closed = true
	for _, j := range s.journals() {
		j.close()
	}
	s.compaction.stop()
	s.writeLateIndexes()
	return errors.Join(s.out.close(), s.lock.Close())
}

// journals returns the open journals.
func (s *Store) journals() []*journal {
	s.index.Mu.Lock()
	defer s.index.Mu.Unlock()
	var open []*journal
	for _, e := range s.index.Order {
		if e.Content.open != nil && e.Content.open.journal != nil {
			open = append(open, e.Content.open.journal)
		}
	}
	return open
}

// prune removes the runs that retention does not keep.
func (s *Store) prune() {
	s.index.Mu.Lock()
	var spread []*runindex.Entry[fileRun]
	for _, e := range s.index.Prune(s.options.Keep, time.Now()) {
		if s.releaseRun(e); e.Content.spread() {
			spread = append(spread, e)
		}
	}
	s.index.Mu.Unlock()
	for _, e := range spread {
		if err := s.writeTombstone(e.Record.RunID, e.Content.first); err != nil {
			s.log.Warn("that an old run is kept no more cannot be written down", "run", e.Record.RunID, "error", err)
		}
	}
	s.startCompaction()
}

// Delete implements [store.RunStore].
func (s *Store) Delete(ctx context.Context, runID string) error {
	if err := s.delete(ctx, runID); err != nil {
		return fmt.Errorf("delete run: %w", err)
	}
	return nil
}

func (s *Store) delete(ctx context.Context, runID string) error {
	s.open.RLock()
	defer s.open.RUnlock()
	if err := s.usable(ctx); err != nil {
		return err
	}
	for deleted := false; !deleted; {
		s.index.Mu.Lock()
		e, err := s.index.Deletable(runID)
		if err != nil {
			s.index.Mu.Unlock()
			return err
		}
		first := e.Content.first
		s.index.Mu.Unlock()
		if deleted, err = s.deleteAt(e, first); err != nil {
			return err
		}
	}
	s.startCompaction()
	return nil
}

// deleteAt deletes a run whose first line is at first. It returns false if compaction has moved the
// run meanwhile.
func (s *Store) deleteAt(e *runindex.Entry[fileRun], first logPos) (bool, error) {
	runID := e.Record.RunID
	at, err := s.writeDelete(deleteLine(runID, first))
	if err != nil {
		return false, err
	}
	defer s.out.markIndexed(at)
	if err := s.out.wait(at); err != nil {
		return false, err
	}
	s.index.Mu.Lock()
	defer s.index.Mu.Unlock()
	s.addTombstone(at.Segment, runID, first)
	if s.index.Runs[runID] != e {
		return true, nil // deleted by another call
	}
	if e.Content.first != first {
		return false, nil
	}
	s.index.Remove(e)
	s.releaseRun(e)
	return true, nil
}
