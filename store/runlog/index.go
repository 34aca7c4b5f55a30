package runlog

import (
	"bytes"
	"encoding/binary"
	"encoding/gob"
	"errors"
	"hash/crc32"
	"io"
	"os"
	"time"

	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/store/internal/runindex"
	"github.com/svcflow/svc/store/internal/vfs"
)

// segmentIndexVersion tells segment indexes from those of earlier versions, which are made anew.
const segmentIndexVersion = 5

// segmentIndex is what the index has to know of a segment that is full, in a file beside it,
// so that nothing that is full is ever read to find out what it holds. It is no second
// truth: one that is missing or damaged is made anew from its segment. Behind it in the file
// are [openRunTables], which a start does not read.
type segmentIndex struct {
	Form       int          // segmentIndexVersion, else it is none
	Runs       []indexedRun // that have ended, or begin here
	Open       openRunColumns
	Documents  []digestPos
	Keys       []indexedKey
	Tombstones []tombstone
}

// indexedRun is a run that has lines in a segment: one that has ended with all that is known of
// it, one that goes on only where it begins, as if it had no frame yet; the rest is in
// [openRunColumns]. So long runs do not make the segment indexes of all their segments longer and longer.
type indexedRun struct {
	ID, Workflow, ResumedFrom string
	Key, Digest               string
	StartedBy                 run.StartedBy // its type is empty if nobody has
	Started, Finished         runindex.Moment
	Status                    uint8
	Damaged                   bool
	Frames                    int
	Bytes                     int64
	First, Last               logPos
	Document                  int // among the documents
	Parts                     []part
}

// openRunTables say where in a segment everything of the runs is that have not ended.
type openRunTables struct {
	Form int // segmentIndexVersion, else they are none
	All  []openRunTable
}

// openRunTable is that of one run.
type openRunTable struct {
	ID      string
	First   logPos // of the run
	Frames  int    // number of its last one so far
	Extents []extent
	Values  []digestPos
}

// from returns the number of the first frame that is in the segment, or comes behind it.
func (t *openRunTable) from() int {
	if len(t.Extents) > 0 {
		return t.Extents[0].Seq
	}
	return t.Frames + 1
}

type digestPos struct {
	Digest run.Digest
	At     logPos
}

type indexedKey struct {
	Key, RunID, Digest string
	Started            int64
}

// writeSegmentIndex writes down what the index knows of a segment. All of that has to be on
// the disk first, so that a loss of power leaves no segmentIndex that knows more than the log.
func (s *Store) writeSegmentIndex(number uint32) error {
	s.index.Mu.Lock()
	known, tables := s.snapshot(number, s.index.Order, s.documents)
	s.index.Mu.Unlock()
	if err := s.out.sync(s.out.position()); err != nil {
		return err
	}
	return s.saveSegmentIndex(number, known, tables)
}

// saveSegmentIndex writes down what is known of a segment, which is on the disk. Nobody waits for the
// disk: what is not there whole is made again.
func (s *Store) saveSegmentIndex(number uint32, known *segmentIndex, tables *openRunTables) error {
	data, err := appendPart(nil, known)
	if err == nil {
		data, err = appendPart(data, tables)
	}
	if err != nil {
		return err
	}
	f, err := s.disk.Open(s.out.path(number)+indexSuffix, os.O_RDWR|os.O_CREATE|os.O_TRUNC)
	if err != nil {
		return err
	}
	_, err = f.WriteAt(data, 0)
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	s.index.Mu.Lock()
	defer s.index.Mu.Unlock()
	s.segment(number).indexed = true
	return nil
}

// snapshot returns what is to be told of a segment, in which some of these runs have lines. The
// caller holds index.mu.
func (s *Store) snapshot(number uint32, runs []*runindex.Entry[fileRun], documents map[run.Digest]*runDocument) (*segmentIndex, *openRunTables) {
	c, tables := &segmentIndex{Form: segmentIndexVersion, Tombstones: append([]tombstone{}, s.segment(number).tombstones...)}, &openRunTables{Form: segmentIndexVersion}
	places := map[*runDocument]int{}
	for _, e := range runs {
		if !e.Content.in(number) {
			continue
		}
		if e.Content.open != nil {
			t := tableOf(e, number)
			c.Open.add(e, number, &t)
			tables.All = append(tables.All, t)
		}
		if e.Content.open == nil || e.Content.first.Segment == number {
			c.Runs = append(c.Runs, indexedRunOf(e, c.document(places, e.Content.document)))
		}
	}
	for _, d := range documents {
		if d.at.Segment == number {
			c.document(places, d)
		}
	}
	for _, k := range s.index.Keys {
		if k.Segment == number && s.index.Lives(&k, time.Now()) {
			c.Keys = append(c.Keys, indexedKey{k.Key, k.RunID, k.Digest, k.StartedAt.UnixMicro()})
		}
	}
	return c, tables
}

func (c *segmentIndex) document(known map[*runDocument]int, d *runDocument) int {
	n, ok := known[d]
	if !ok {
		n = len(c.Documents)
		known[d] = n
		c.Documents = append(c.Documents, digestPos{d.digest, d.at})
	}
	return n
}

func indexedRunOf(e *runindex.Entry[fileRun], document int) indexedRun {
	r, c := &e.Record, &e.Content
	side := indexedRun{
		ID: r.RunID, Workflow: r.WorkflowID, ResumedFrom: r.ResumedFrom, Started: r.StartedAt, Status: uint8(r.Status),
		Damaged: e.Damaged, First: c.first, Document: document,
	}
	if r.StartedBy != nil {
		side.StartedBy = *r.StartedBy
	}
	if e.Request != nil {
		side.Key, side.Digest = e.Request.Key, e.Request.Digest
	}
	if c.open != nil {
		return side
	}
	side.Finished, side.Frames, side.Bytes, side.Last = r.FinishedAt, e.Frames, e.Bytes, c.last
	side.Parts = c.parts
	return side
}

// appendPart appends a part of the file of a segmentIndex, which is read without the others.
func appendPart(dst []byte, part any) ([]byte, error) {
	at := len(dst)
	text := bytes.NewBuffer(append(dst, make([]byte, partHeadSize)...))
	if err := gob.NewEncoder(text).Encode(part); err != nil {
		return dst, err
	}
	dst = text.Bytes()
	data := dst[at+partHeadSize:]
	binary.BigEndian.PutUint32(dst[at:], crc32.Checksum(data, vfs.Castagnoli))
	binary.BigEndian.PutUint32(dst[at+4:], uint32(len(data)))
	return dst, nil
}

// partHeadSize is how many bytes stand before a part: its checksum and its length.
const partHeadSize = 8

// readPart reads a part of the segmentIndex of a segment, behind so many others; false if that is not
// there whole.
func (s *Store) readPart(number uint32, behind int, part any) bool {
	f, err := s.disk.Open(s.out.path(number)+indexSuffix, os.O_RDONLY)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }() // it was only read
	size, err := f.Size()
	if err != nil {
		return false
	}
	in, head := io.NewSectionReader(f, 0, size), make([]byte, partHeadSize)
	for ; ; behind-- {
		if _, err := io.ReadFull(in, head); err != nil {
			return false
		}
		n := int64(binary.BigEndian.Uint32(head[4:]))
		at, err := in.Seek(0, io.SeekCurrent)
		if err != nil || n > size-at {
			return false
		}
		if behind == 0 {
			data := make([]byte, n)
			_, err = io.ReadFull(in, data)
			return err == nil && binary.BigEndian.Uint32(head) == crc32.Checksum(data, vfs.Castagnoli) &&
				gob.NewDecoder(bytes.NewReader(data)).Decode(part) == nil
		}
		if _, err := in.Seek(n, io.SeekCurrent); err != nil {
			return false
		}
	}
}

// writeSegmentIndex gives a segment that was read its segmentIndex, and leaves there what that tells: however long
// the log is, a start holds what a few segments say, also if nothing tells what they hold. What is
// not whole is left alone, and so are the segments in which a run is being moved, which only its
// last line makes known.
func (l *loader) writeSegmentIndex(number uint32) {
	if l.unreadable || len(l.copies)+len(l.orphans) > 0 {
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
	known, tables := s.snapshot(number, here, l.documents)
	s.index.Mu.Unlock()
	if err := errors.Join(s.syncSegment(number), s.saveSegmentIndex(number, known, tables)); err != nil {
		s.log.Warn("the next start has to read a part of the runs again", "error", err)
		return
	}
	for i := range tables.All {
		t := &tables.All[i]
		l.entries[t.ID].Content.foldSegment(number, t)
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

// foldSegment leaves to the segmentIndex of a segment, the last one of the run so far, what its table says.
func (r *fileRun) foldSegment(number uint32, t *openRunTable) {
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
