package runlog

import (
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/svcflow/svc/store/internal/runindex"
	"github.com/svcflow/svc/store/internal/runtext"
)

// compaction runs the goroutine that frees disk space. The goroutine only exists while there is
// work.
type compaction struct {
	wanted atomic.Bool

	mu      sync.Mutex
	running bool
	stopped bool
	seen    uint32 // the last segment of the log when the goroutine last looked
	done    sync.WaitGroup
}

// stop ends the goroutine and waits for it.
func (t *compaction) stop() {
	t.mu.Lock()
	t.stopped = true
	t.mu.Unlock()
	t.done.Wait()
}

func (t *compaction) stopping() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.stopped
}

// startCompaction starts the goroutine if full segments may need work.
func (s *Store) startCompaction() {
	now := s.out.position().Segment
	t := &s.compaction
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.stopped || t.running || t.seen == now && !t.wanted.Load() {
		return
	}
	t.running = true
	t.done.Go(s.compactLoop)
}

// compactLoop compacts until nothing is left to do.
func (s *Store) compactLoop() {
	t := &s.compaction
	for {
		now := s.out.position().Segment
		t.wanted.Store(false)
		late, err := s.compactAll(now)
		if err != nil {
			s.log.Warn("old runs cannot be cleared away; that is tried again", "error", err)
		}
		t.mu.Lock()
		t.seen = now
		more := (t.wanted.Load() || s.out.position().Segment != now) && err == nil && !t.stopped
		if !more {
			t.running = false
			if late || err != nil {
				t.wanted.Store(true) // the next call of startCompaction retries
			}
		}
		t.mu.Unlock()
		if !more {
			return
		}
	}
}

// compactAll writes the missing indexes of the segments before the given one and compacts those
// that are sparse. late reports that it skipped segments with pending lines.
func (s *Store) compactAll(before uint32) (late bool, err error) {
	var errs []error
	for _, number := range s.fullBefore(before) {
		if s.compaction.stopping() {
			break
		}
		if !s.out.isIndexed(number) {
			late = true
			continue
		}
		errs = append(errs, s.compactSegment(number, before))
	}
	return late, errors.Join(errs...)
}

// fullBefore returns the numbers of the segments before the given one, in order.
func (s *Store) fullBefore(number uint32) []uint32 {
	s.index.Mu.Lock()
	defer s.index.Mu.Unlock()
	var full []uint32
	for n := range s.segments {
		if n < number {
			full = append(full, n)
		}
	}
	slices.Sort(full)
	return full
}

func (s *Store) compactSegment(number, before uint32) error {
	s.index.Mu.Lock()
	g := s.segment(number)
	size := g.size
	s.index.Mu.Unlock()
	if size == 0 {
		var err error
		if size, err = s.sizeOf(number); err != nil {
			return err
		}
	}
	s.index.Mu.Lock()
	g.size = size
	sparse, indexed := g.live == 0 || g.sparse() && s.wasteful(), g.indexed
	s.index.Mu.Unlock()
	if sparse {
		if done, err := s.rewriteSegment(number); done || err != nil {
			return err
		}
	}
	if indexed || number+indexLag > before && size <= s.out.size {
		return nil
	}
	return s.writeSegmentIndex(number)
}

// indexLag is how many segments behind the end of the log a segment gets its index. With many short
// runs, retention has emptied it by then, and no index is needed. A segment that exceeds the usual
// size, because of a large value, gets its index at once, since scanning it takes long.
const indexLag = 2

// writeLateIndexes writes the missing indexes of full segments near the end of the log, so that the
// next start need not scan them.
func (s *Store) writeLateIndexes() {
	now := s.out.position().Segment
	for _, number := range s.fullBefore(now) {
		s.index.Mu.Lock()
		indexed := s.segment(number).indexed
		s.index.Mu.Unlock()
		if indexed || number+2*indexLag <= now || !s.out.isIndexed(number) {
			continue
		}
		if err := s.writeSegmentIndex(number); err != nil {
			s.log.Warn("the next start has to read a part of the runs that it need not", "error", err)
		}
	}
}

// wasteful reports whether the dead bytes of full segments exceed the live bytes by more than four
// segments. Below that, rewriting is not worth it: retention is about to empty whole segments. The
// caller holds index.mu.
func (s *Store) wasteful() bool {
	const some = 4
	var size, live int64
	for _, g := range s.segments {
		size += g.size
		live += g.live
	}
	return size > 2*live+some*s.out.size
}

func (s *Store) sizeOf(number uint32) (int64, error) {
	f, err := s.disk.Open(s.out.path(number), 0)
	if err != nil {
		return 0, err
	}
	size, err := f.Size()
	return size, errors.Join(err, f.Close())
}

// rewriteSegment moves the live contents of a segment to the end of the log and removes the
// segment. It returns false, and does nothing, if the segment has lines of an unfinished run.
func (s *Store) rewriteSegment(number uint32) (bool, error) {
	runs, text, graves, ok := s.liveContents(number)
	if !ok {
		return false, nil
	}
	for _, e := range runs {
		if s.compaction.stopping() {
			return true, nil
		}
		if err := s.move(e); err != nil {
			return true, err
		}
	}
	if err := s.moveDocuments(number); err != nil {
		return true, err
	}
	if len(text) > 0 {
		at, err := s.write(text)
		if err != nil {
			return true, err
		}
		s.index.Mu.Lock()
		for _, g := range graves {
			s.addTombstone(at.Segment, g.RunID, g.First)
		}
		for key, k := range s.index.Keys {
			if k.Segment == number {
				k.Segment = at.Segment
				s.index.Keys[key] = k
			}
		}
		s.index.Mu.Unlock()
		s.out.markIndexed(at)
	}
	if err := s.out.sync(s.out.position()); err != nil {
		return true, err
	}
	if err := s.out.removeSegment(number); err != nil {
		return true, err
	}
	s.index.Mu.Lock()
	defer s.index.Mu.Unlock()
	delete(s.segments, number)
	return true, nil
}

// liveContents returns what must survive of a segment: runs, and lines for tombstones and
// idempotency keys. ok is false if the segment has lines of an unfinished run.
func (s *Store) liveContents(number uint32) (runs []*runindex.Entry[fileRun], text []byte, graves []tombstone, ok bool) {
	s.index.Mu.Lock()
	defer s.index.Mu.Unlock()
	for _, e := range s.index.Order {
		if !e.Content.in(number) {
			continue
		}
		if e.Content.open != nil {
			return nil, nil, nil, false
		}
		runs = append(runs, e)
	}
	for _, g := range s.segment(number).tombstones {
		if s.segments[g.First.Segment] != nil && g.First.Segment != number {
			graves = append(graves, g)
			text = append(text, deleteLine(g.RunID, g.First)...)
		}
	}
	for _, k := range s.index.Keys {
		if k.Segment == number && s.index.Lives(&k, time.Now()) {
			data, err := json.Marshal(&k)
			if err != nil {
				continue // strings and a time always marshal
			}
			if longer, err := appendLine(text, &line{run: noRun, name: lineKey, about: runtext.Nothing, data: data}); err == nil {
				text = longer
			}
		}
	}
	return runs, text, graves, true
}

// moveDocuments rewrites the referenced documents of a segment at the end of the log.
func (s *Store) moveDocuments(number uint32) error {
	s.index.Mu.Lock()
	var all []*runDocument
	for _, d := range s.documents {
		if d.at.Segment == number && d.at.Size > 0 {
			all = append(all, d)
		}
	}
	s.index.Mu.Unlock()
	for _, d := range all {
		r := &reader{runs: s}
		text, err := r.at(d.at, nil)
		r.close()
		if err != nil {
			return err
		}
		at, err := s.write(text)
		if err != nil {
			return err
		}
		s.index.Mu.Lock()
		if s.documents[d.digest] == d {
			s.segment(number).live -= int64(d.at.Size)
			s.segment(at.Segment).live += int64(at.Size)
		}
		d.at = at
		s.index.Mu.Unlock()
		s.out.markIndexed(at)
	}
	return nil
}
