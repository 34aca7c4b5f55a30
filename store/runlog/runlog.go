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

	"github.com/svcflow/svc/store"
	"github.com/svcflow/svc/store/internal/runindex"
	"github.com/svcflow/svc/store/internal/runtext"
	"github.com/svcflow/svc/store/internal/vfs"

	"github.com/gofrs/flock"

	"github.com/svcflow/svc/engine/durable"
	"github.com/svcflow/svc/engine/limit"
	"github.com/svcflow/svc/engine/run"
)

// Store is a [store.RunStore] that keeps all runs in one log, a few files of a directory;
// open it with [Open]. What several runs want to have on the disk at the same time
// goes there together.
//
// The log is text that people can read. Where it is damaged, the runs concerned are
// reported and left out from then on, until retention removes them. Besides segments of
// the log and what makes opening them quick, the directory has a lock and 1 MiB of
// ballast, which is given up, bit by bit, for the last frames of runs when the disk is
// full. Only the owner of the files can read them.
type Store struct {
	dir     string
	options Options
	log     *slog.Logger
	disk    vfs.FS
	lock    *flock.Flock
	ballast *ballast

	checking sync.Mutex // held by Check, since its file has one name

	open   sync.RWMutex // held for reading while something is being begun
	closed bool         // with open held

	out        *logWriter
	index      runindex.Index[fileRun]
	segments   map[uint32]*segment         // with index.mu held
	documents  map[run.Digest]*runDocument // with index.mu held
	tables     tableCache
	outlines   outlineCache
	compaction compaction
	recorder   recorder
}

// Options say how runs are kept. Their zero value keeps everything, with a bound for a
// single run.
type Options struct {
	Keep store.Retention
	// RunBytes is how much one run may put down; 0 means limit.RunBytes, and less than
	// that no bound.
	RunBytes int64
	// Relaxed acknowledges starts and ends before they are on the disk, where they are
	// at most 20 ms later: a crash of the machine may lose so much, one of the process
	// nothing.
	Relaxed bool
	// Log takes what goes wrong with single runs; nil discards it.
	Log *slog.Logger

	segment int64 // bytes of a segment, in tests
}

// relaxedFor is how long a relaxed log puts nothing on the disk.
const relaxedFor = 20 * time.Millisecond

// fileRun says where things are in the log.
type fileRun struct {
	first, last logPos // its first line and, once it has ended, its last one
	document    *runDocument
	parts       []part
	open        *openRun // until it has ended
}

// openRun is what is known of a run that has not ended. Of one that has, its last line
// tells that.
type openRun struct {
	extents []extent
	latest  logPos // of the last frame; nothing if only its extent is known
	values  map[run.Digest]logPos
	apart   bool     // the last extent must not grow: behind it are frames that do not count
	journal *journal // nil unless it is being written
}

// Open opens the runs in dir, which it makes if need be, and takes them for
// itself until they are closed: if somebody else has them, the error wraps
// [store.ErrRunsInUse].
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

// writeStart puts the lines with which a run begins on the disk.
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

// write puts lines behind the log, out of the ballast's way.
func (s *Store) write(text []byte) (logPos, error) {
	at, err := s.out.write(text)
	if isDiskFull(err) {
		err = s.ballast.whileIdle(func() (err error) { at, err = s.out.write(text); return err })
	}
	return at, err
}

// addRun makes a run known.
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

// usable returns an error if nothing may be begun any more.
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

// Close implements [store.RunStore]. What it had can still be read.
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

// journals returns those that are open.
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

// prune makes room.
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

// deleteAt deletes a run that began there a moment ago, and reports whether it still did:
// it may have been moved.
func (s *Store) deleteAt(e *runindex.Entry[fileRun], first logPos) (bool, error) {
	runID := e.Record.RunID
	at, err := s.write(deleteLine(runID, first))
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
		return true, nil // somebody else has done it
	}
	if e.Content.first != first {
		return false, nil
	}
	s.index.Remove(e)
	s.releaseRun(e)
	return true, nil
}
