package runlog

import (
	"encoding/json"

	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/store/internal/runindex"
	"github.com/svcflow/svc/store/internal/runtext"
)

// segment holds the state of one segment of the log.
type segment struct {
	live       int64       // bytes of live runs and documents
	size       int64       // size of the file; 0 until the segment is full
	tombstones []tombstone // of the delete lines in the segment
	indexed    bool        // the segment index is written
}

// tombstone is a delete line: the run was removed. It must be kept as long as the segment in which
// the run begins exists.
type tombstone struct {
	RunID string
	First logPos // position of the first line of the run
}

// runDocument is a workflow that runs refer to.
type runDocument struct {
	digest run.Digest
	at     logPos // position of its line
	refs   int    // number of runs that refer to it
}

// segment returns a segment by its number, and creates it if necessary. The caller holds index.mu,
// also for the other functions below unless they say otherwise.
func (s *Store) segment(number uint32) *segment {
	g := s.segments[number]
	if g == nil {
		g = &segment{}
		s.segments[number] = g
	}
	return g
}

// register adds the document of a new run to the store. The run already counts as one reference.
func (s *Store) register(r *fileRun) {
	d := r.document
	switch known := s.documents[d.digest]; known {
	case d:
	case nil:
		s.documents[d.digest] = d
		s.segment(d.at.Segment).live += int64(d.at.Size)
	default: // another run has written it at the same time
		known.refs++
		r.document = known
	}
}

// release drops a reference to a document. It locks index.mu.
func (s *Store) release(d *runDocument) {
	s.index.Mu.Lock()
	defer s.index.Mu.Unlock()
	s.drop(d)
}

func (s *Store) drop(d *runDocument) {
	if d.refs--; d.refs == 0 && s.documents[d.digest] == d {
		delete(s.documents, d.digest)
		s.segment(d.at.Segment).live -= int64(d.at.Size)
	}
}

// releaseRun frees the log space of a run. If the run has lines in several segments, the caller
// must also call writeTombstone, since the next start could take the remaining lines for an
// unfinished run.
func (s *Store) releaseRun(e *runindex.Entry[fileRun]) {
	s.countLive(e.Content.parts, -1)
	s.drop(e.Content.document)
	s.tables.drop(e.Record.RunID)
}

// sparse reports whether less than half of a full segment is live.
func (g *segment) sparse() bool { return g.size > 0 && 2*g.live < g.size }

// writeTombstone writes a delete line for the run whose first line is at first. It locks index.mu.
func (s *Store) writeTombstone(runID string, first logPos) error {
	at, err := s.write(deleteLine(runID, first))
	if err != nil {
		return err
	}
	s.index.Mu.Lock()
	s.addTombstone(at.Segment, runID, first)
	s.index.Mu.Unlock()
	s.out.markIndexed(at)
	return nil
}

// addTombstone records a delete line that is in a segment.
func (s *Store) addTombstone(segment uint32, runID string, first logPos) {
	g := s.segment(segment)
	g.tombstones = append(g.tombstones, tombstone{runID, first})
}

// deleteLine returns the delete line for the run whose first line is at first.
func deleteLine(runID string, first logPos) []byte {
	data, err := json.Marshal(first)
	if err != nil {
		panic(err) // three numbers always marshal
	}
	text, err := appendLine(nil, &line{run: runID, name: lineDelete, about: runtext.Nothing, data: data})
	if err != nil {
		panic(err) // a short line always fits
	}
	return text
}
