package runlog

import (
	"encoding/json"

	"github.com/svcflow/svc/store/internal/runindex"
	"github.com/svcflow/svc/store/internal/runtext"

	"github.com/svcflow/svc/engine/run"
)

// segment is what is known of a file of the log.
type segment struct {
	live       int64       // bytes of runs and documents that are kept
	size       int64       // in all; 0 until it is full
	tombstones []tombstone // the lines in it that tell of runs that are kept no more
	indexed    bool        // its segmentIndex is there
}

// tombstone is a line that says that a run is kept no more. It has to stay as long as the
// segment in which the run begins.
type tombstone struct {
	RunID string
	First logPos // of the run
}

// runDocument is a workflow that runs were started with.
type runDocument struct {
	digest run.Digest
	at     logPos // of its line
	refs   int    // runs that name it
}

// segment returns a segment by its number. The caller holds index.mu, as that of all that
// follows.
func (s *Store) segment(number uint32) *segment {
	g := s.segments[number]
	if g == nil {
		g = &segment{}
		s.segments[number] = g
	}
	return g
}

// register makes the document of a new run, which counts one reference to it, known.
func (s *Store) register(r *fileRun) {
	d := r.document
	switch known := s.documents[d.digest]; known {
	case d:
	case nil:
		s.documents[d.digest] = d
		s.segment(d.at.Segment).live += int64(d.at.Size)
	default: // somebody else has brought it at the same time
		known.refs++
		r.document = known
	}
}

// release takes a reference to a document back. It takes index.mu itself.
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

// releaseRun lets go of what a run has in the log. If that is more than one segment, the next
// start could take what is left of it for a run that has not ended; see writeTombstone.
func (s *Store) releaseRun(e *runindex.Entry[fileRun]) {
	s.countLive(e.Content.parts, -1)
	s.drop(e.Content.document)
	s.tables.drop(e.Record.RunID)
}

// sparse reports whether a segment that is full is worth being written anew.
func (g *segment) sparse() bool { return g.size > 0 && 2*g.live < g.size }

// writeTombstone writes down that the run that begins there is kept no more. It takes index.mu
// itself.
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

// addTombstone notes a line in a segment that tells of a run that is kept no more.
func (s *Store) addTombstone(segment uint32, runID string, first logPos) {
	g := s.segment(segment)
	g.tombstones = append(g.tombstones, tombstone{runID, first})
}

// deleteLine says that the run that begins there is kept no more.
func deleteLine(runID string, first logPos) []byte {
	data, err := json.Marshal(first)
	if err != nil {
		panic(err) // three numbers
	}
	text, err := appendLine(nil, &line{run: runID, name: lineDelete, about: runtext.Nothing, data: data})
	if err != nil {
		panic(err) // it is short
	}
	return text
}
