package runlog

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/svcflow/svc/store/internal/vfs"
)

// logWriter appends to the log: it writes to the last segment. Goroutines that wait for the disk at
// the same time share one sync.
type logWriter struct {
	disk    vfs.FS
	dir     string
	size    int64         // a segment of this size is full
	relaxed time.Duration // delay of syncs; 0 means that waiters wait for the disk

	mu           sync.Mutex
	number       uint32         // of the current segment
	file         vfs.File       // nil before the first write, and once the log is closed
	end          int64          // offset of the end of the log
	dirtyTail    bool           // bytes after end must be truncated first
	nameUnsynced bool           // the directory was not synced since the segment was created
	broken       bool           // a sync after synced has failed; see repair
	synced       logPos         // all earlier segments, and this one up to From, are on the disk
	pending      map[uint32]int // writes that the index does not cover yet, by segment; nil once the log is closed
	retired      []vfs.File     // full segments that are synced; a sync may still use them

	syncing  *syncRound      // the current sync, or nil
	waiters  vfs.CommitGroup // goroutines in sync
	flushErr error           // of a background sync
	flush    *time.Timer
	flushes  sync.WaitGroup
}

// logPos is the position of a line.
type logPos struct {
	Segment, From, Size uint32
}

func (p logPos) end() uint32 { return p.From + p.Size }

// coveredBy reports whether p lies before offset From of q.
func (p logPos) coveredBy(q logPos) bool {
	return p.Segment < q.Segment || p.Segment == q.Segment && p.end() <= q.From
}

const (
	segmentPrefix = "log-"
	indexSuffix   = ".index"
	segmentSize   = 16 << 20
)

func segmentName(number uint32) string { return fmt.Sprintf("%s%08d", segmentPrefix, number) }

// segmentNumber is the inverse of segmentName; 0 if name is not a segment.
func segmentNumber(name string) (number uint32) {
	digits, ok := strings.CutPrefix(name, segmentPrefix)
	if _, err := fmt.Sscanf(digits, "%08d", &number); !ok || err != nil || segmentName(number) != name {
		return 0
	}
	return number
}

func (l *logWriter) path(number uint32) string { return filepath.Join(l.dir, segmentName(number)) }

// resume opens the last segment, whose last valid line ends at end.
func (l *logWriter) resume(number uint32, end int64) error {
	f, err := l.disk.Open(l.path(number), os.O_RDWR)
	if err != nil {
		return err
	}
	// A crash may have left bytes after the end. They must go before anything is written.
	if err = f.Truncate(end); err == nil {
		err = f.Sync()
	}
	if err != nil {
		return errors.Join(err, f.Close())
	}
	_ = f.Allocate(l.size) // optional: without it the file grows with each write
	l.number, l.file, l.end = number, f, end
	l.synced = logPos{Segment: number, From: uint32(end)}
	return nil
}

// startSegment creates the next segment. The caller holds mu.
func (l *logWriter) startSegment() error {
	number := l.number + 1
	f, err := l.disk.Open(l.path(number), os.O_RDWR|os.O_CREATE|os.O_TRUNC)
	if err != nil {
		return err
	}
	if l.file != nil {
		if err := errors.Join(l.file.Truncate(l.end), l.file.Sync()); err != nil {
			l.broken = true
			return errors.Join(err, f.Close(), l.disk.Remove(l.path(number)))
		}
		l.retired = append(l.retired, l.file)
	}
	_ = f.Allocate(l.size)
	l.number, l.file, l.end, l.dirtyTail, l.nameUnsynced = number, f, 0, false, true
	l.synced = logPos{Segment: number}
	return nil
}

// write appends lines, all or none. They count as pending until [logWriter.markIndexed] is called.
func (l *logWriter) write(text []byte) (logPos, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed() {
		return logPos{}, fs.ErrClosed
	}
	if err := l.flushErr; err != nil {
		l.flushErr = nil
		return logPos{}, err
	}
	if err := l.repair(); err != nil {
		return logPos{}, err
	}
	if l.file == nil || l.end > 0 && l.end+int64(len(text)) > l.size {
		if err := l.startSegment(); err != nil {
			return logPos{}, err
		}
	}
	if l.dirtyTail {
		if err := l.file.Truncate(l.end); err != nil {
			return logPos{}, err
		}
		l.dirtyTail = false
	}
	if _, err := l.file.WriteAt(text, l.end); err != nil {
		l.dirtyTail = l.file.Truncate(l.end) != nil
		return logPos{}, err
	}
	at := logPos{l.number, uint32(l.end), uint32(len(text))}
	l.end += int64(len(text))
	l.pending[at.Segment]++
	return at, nil
}

func (l *logWriter) closed() bool { return l.pending == nil }

// markIndexed records that the index covers the lines at a position.
func (l *logWriter) markIndexed(at logPos) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.pending[at.Segment]--; l.pending[at.Segment] == 0 {
		delete(l.pending, at.Segment)
	}
}

// wait returns once the lines at a position are on the disk; in a relaxed log, at once.
func (l *logWriter) wait(at logPos) error {
	if l.relaxed == 0 {
		return l.sync(at)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.flush == nil && !l.closed() {
		l.flushes.Add(1)
		l.flush = time.AfterFunc(l.relaxed, l.flushInBackground)
	}
	return nil
}

// flushInBackground syncs a relaxed log. The next write returns its error.
func (l *logWriter) flushInBackground() {
	defer l.flushes.Done()
	l.mu.Lock()
	l.flush = nil
	at := logPos{l.number, uint32(l.end), 0}
	l.mu.Unlock()
	if err := l.sync(at); err != nil && !errors.Is(err, fs.ErrClosed) {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.flushErr = err
	}
}

// syncRound is one sync that several goroutines wait for.
type syncRound struct {
	done chan struct{} // closed when the sync is over
	to   logPos        // everything before this position is synced
	err  error
}

// sync returns once the lines at a position are on the disk.
func (l *logWriter) sync(at logPos) error {
	l.waiters.Enter()
	defer l.waiters.Leave()
	l.mu.Lock()
	for {
		if at.coveredBy(l.synced) {
			l.mu.Unlock()
			return nil
		}
		g := l.syncing
		if g == nil {
			break
		}
		l.mu.Unlock()
		<-g.done
		if at.coveredBy(g.to) {
			return g.err
		}
		l.mu.Lock()
	}
	g := &syncRound{done: make(chan struct{})}
	l.syncing = g
	l.mu.Unlock()
	l.waiters.Gather()
	l.syncAll(g)
	close(g.done)
	return g.err
}

// syncAll syncs everything written so far.
func (l *logWriter) syncAll(g *syncRound) {
	l.mu.Lock()
	broken := l.repair()
	f, unready, retired := l.file, l.nameUnsynced, l.retired
	g.to, l.retired = logPos{Segment: l.number, From: uint32(l.end)}, nil
	l.mu.Unlock()
	for _, old := range retired {
		_ = old.Close() // synced when it was retired
	}
	switch {
	case f == nil:
		g.err = fs.ErrClosed
	case broken != nil:
		g.err = broken
	default:
		if g.err = f.Sync(); g.err == nil && unready {
			g.err = l.disk.SyncDir(l.dir)
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.syncing = nil
	switch {
	case g.err != nil:
		l.broken = f != nil
	case l.number == g.to.Segment:
		l.synced, l.nameUnsynced = g.to, l.nameUnsynced && !unready
	}
}

// isIndexed reports whether a segment is full and has no pending lines.
func (l *logWriter) isIndexed(number uint32) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return number < l.number && l.pending[number] == 0
}

// position returns the end of the log.
func (l *logWriter) position() logPos {
	l.mu.Lock()
	defer l.mu.Unlock()
	return logPos{Segment: l.number, From: uint32(l.end)}
}

// close syncs and closes the log.
func (l *logWriter) close() error {
	err := l.syncAndClose()
	l.flushes.Wait()
	return err
}

func (l *logWriter) syncAndClose() error {
	err := l.sync(l.position())
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.syncing != nil {
		g := l.syncing
		l.mu.Unlock()
		<-g.done
		l.mu.Lock()
	}
	if l.closed() {
		return nil
	}
	if l.flush != nil && l.flush.Stop() {
		l.flushes.Done() // otherwise it is running, and will find the log closed
	}
	l.pending = nil
	for _, old := range l.retired {
		_ = old.Close() // synced when it was retired
	}
	if l.file != nil {
		err = errors.Join(err, l.file.Truncate(l.end), l.file.Close())
		l.file = nil
	}
	return err
}

// removeSegment removes a segment and its index.
func (l *logWriter) removeSegment(number uint32) error {
	for _, name := range []string{l.path(number), l.path(number) + indexSuffix} {
		if err := l.disk.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return l.disk.SyncDir(l.dir)
}
