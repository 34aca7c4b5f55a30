package runlog

import (
	"errors"
	"os"

	"github.com/svcflow/svc/store/internal/runindex"
)

// settle gives a segment that was read its sidecar, and leaves there what that tells: however long
// the log is, a start holds what a few segments say, also if nothing tells what they hold. What is
// not whole is left alone, and so are the segments in which a run is being moved, which only its
// last line makes known.
func (l *loader) settle(number uint32) {
	if l.lost || len(l.copies)+len(l.orphans) > 0 {
		return
	}
	s := l.runs
	var here []*runindex.Entry[fileRun]
	for _, e := range l.found {
		if e.Content.in(number) && l.entries[e.Record.RunID] == e {
			here = append(here, e)
		}
	}
	s.index.Mu.Lock()
	known, tables := s.snapshot(number, here, l.docs)
	s.index.Mu.Unlock()
	if err := errors.Join(s.syncSegment(number), s.saveSidecar(number, known, tables)); err != nil {
		s.log.Warn("the next start has to read a part of the runs again", "error", err)
		return
	}
	for i := range tables.All {
		t := &tables.All[i]
		l.entries[t.ID].Content.settle(number, t)
	}
}

// syncSegment puts on the disk what another process may have left in memory.
func (s *Store) syncSegment(number uint32) error {
	f, err := s.disk.Open(s.out.path(number), os.O_RDWR)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// settle leaves to the sidecar of a segment, the last one of the run so far, what its table says.
func (r *fileRun) settle(number uint32, t *sideTable) {
	r.open.extents = r.open.extents[:len(r.open.extents)-len(t.Extents)]
	for _, v := range t.Values {
		delete(r.open.values, v.Digest)
	}
	r.fold(number, t.from())
	if n := len(r.parts) - 1; r.parts[n].From == number {
		last := r.parts[n]
		r.parts = r.parts[:n]
		r.extend(number, last.Bytes)
	}
}
