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

// logWriter is the end of the log of all runs: the segment that is written to. Whoever wants
// what it has written to be on the disk waits for it; those who wait at the same time
// share one call.
type logWriter struct {
	disk    vfs.FS
	dir     string
	size    int64         // from which on a segment is full
	relaxed time.Duration // 0: those who wait, wait for the disk

	mu           sync.Mutex
	number       uint32         // of the segment
	file         vfs.File       // nil before the first write, and once the log is closed
	end          int64          // of what is written
	dirtyTail    bool           // behind the end there is what has to be cut off first
	nameUnsynced bool           // the segment's name may not be on the disk
	broken       bool           // the disk has failed to take what is behind synced; see mend
	synced       logPos         // what is on the disk: all segments before, and this one up to there
	pending      map[uint32]int // writes that the index does not know of yet, by segment; nil once the log is closed
	retired      []vfs.File     // segments that are full, on the disk, and may be in a call

	syncing  *syncRound      // those who wait for the disk now; nil if nobody does
	waiters  vfs.CommitGroup // those in sync
	flushErr error           // of a call that nobody waited for
	flush    *time.Timer
	flushes  sync.WaitGroup
}

// logPos is where a line stands.
type logPos struct {
	Segment, From, Size uint32
}

func (p logPos) end() uint32 { return p.From + p.Size }

// coveredBy reports whether p lies before the end of what q tells.
func (p logPos) coveredBy(q logPos) bool {
	return p.Segment < q.Segment || p.Segment == q.Segment && p.end() <= q.From
}

const (
	segmentPrefix = "log-"
	indexSuffix   = ".index"
	segmentSize   = 16 << 20
)

func segmentName(number uint32) string { return fmt.Sprintf("%s%08d", segmentPrefix, number) }

// segmentNumber is the reverse of segmentName; 0 if name is none.
func segmentNumber(name string) (number uint32) {
	digits, ok := strings.CutPrefix(name, segmentPrefix)
	if _, err := fmt.Sscanf(digits, "%08d", &number); !ok || err != nil || segmentName(number) != name {
		return 0
	}
	return number
}

func (l *logWriter) path(number uint32) string { return filepath.Join(l.dir, segmentName(number)) }

// resume opens the last segment, whose lines end at an offset.
func (l *logWriter) resume(number uint32, end int64) error {
	f, err := l.disk.Open(l.path(number), os.O_RDWR)
	if err != nil {
		return err
	}
	// Cut off what a crash has left behind the end, before anything is written there.
	if err = f.Truncate(end); err == nil {
		err = f.Sync()
	}
	if err != nil {
		return errors.Join(err, f.Close())
	}
	_ = f.Allocate(l.size) // else it grows as it is written
	l.number, l.file, l.end = number, f, end
	l.synced = logPos{Segment: number, From: uint32(end)}
	return nil
}

// startSegment makes the next segment the one that is written to. The caller holds mu.
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

// write puts text, some lines, behind what is there, or nothing of it. Until the index
// knows of it, which [logWriter.known] tells, it counts as pending.
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

// wait returns once what was written there is as safe as the log is meant to be.
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

// flushInBackground puts on the disk what nobody waits for. The next one to write hears if that
// failed.
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

// syncRound is one wait for the disk.
type syncRound struct {
	done chan struct{} // closed when it is over
	to   logPos        // what it is about: all before
	err  error
}

// sync returns once what was written there is on the disk.
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

// syncAll puts on the disk what is written by now.
func (l *logWriter) syncAll(g *syncRound) {
	l.mu.Lock()
	broken := l.repair()
	f, unready, retired := l.file, l.nameUnsynced, l.retired
	g.to, l.retired = logPos{Segment: l.number, From: uint32(l.end)}, nil
	l.mu.Unlock()
	for _, old := range retired {
		_ = old.Close() // it is on the disk
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

// isIndexed reports whether the index knows of all that a segment has, which is full.
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

// close puts everything on the disk and ends the log.
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
		l.flushes.Done() // else it has begun, and finds the log closed
	}
	l.pending = nil
	for _, old := range l.retired {
		_ = old.Close() // it is on the disk
	}
	if l.file != nil {
		err = errors.Join(err, l.file.Truncate(l.end), l.file.Close())
		l.file = nil
	}
	return err
}

// removeSegment removes a segment with what is beside it.
func (l *logWriter) removeSegment(number uint32) error {
	for _, name := range []string{l.path(number), l.path(number) + indexSuffix} {
		if err := l.disk.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return l.disk.SyncDir(l.dir)
}
