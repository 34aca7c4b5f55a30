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

// segmentIndexVersion is the version of the format. Segment indexes of other versions are
// rewritten.
const segmentIndexVersion = 5

// segmentIndex is the part of the index that concerns one full segment. It is saved in a file
// beside the segment, so that a start need not scan the segment. It is derived: if it is missing or
// damaged, it is rebuilt from the segment. In the file, [openRunTables] follow, which a start does
// not read.
type segmentIndex struct {
	Form       int          // segmentIndexVersion; anything else is invalid
	Runs       []indexedRun // runs that have ended, or begin here
	Open       openRunColumns
	Documents  []digestPos
	Keys       []indexedKey
	Tombstones []tombstone
}

// indexedRun is a run with lines in a segment. A run that has ended is complete. An unfinished run
// is only in the index of the segment where it begins, as if it had no frames; the rest is in
// [openRunColumns]. This keeps the segment indexes of long runs short.
type indexedRun struct {
	ID, Workflow, ResumedFrom string
	Key, Digest               string
	StartedBy                 run.StartedBy // Type is empty if unknown
	Started, Finished         runindex.Moment
	Status                    uint8
	Damaged                   bool
	Frames                    int
	Bytes                     int64
	First, Last               logPos
	Document                  int // index in Documents
	Parts                     []part
}

// openRunTables hold the positions of the frames and values of unfinished runs in a segment.
type openRunTables struct {
	Form int // segmentIndexVersion; anything else is invalid
	All  []openRunTable
}

// openRunTable is the entry of one run in [openRunTables].
type openRunTable struct {
	ID      string
	First   logPos // position of the first line of the run
	Frames  int    // number of the last frame up to the end of the segment
	Extents []extent
	Values  []digestPos
}

// from returns the number of the first frame in the segment, or, if the segment has no frame of the
// run, the number of the next frame of the run.
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

// writeSegmentIndex saves the index of a segment. It syncs the log first, so that after a power
// loss no segment index refers to lines that the log lacks.
func (s *Store) writeSegmentIndex(number uint32) error {
	s.index.Mu.Lock()
	known, tables := s.snapshot(number, s.index.Order, s.documents)
	s.index.Mu.Unlock()
	if err := s.out.sync(s.out.position()); err != nil {
		return err
	}
	return s.saveSegmentIndex(number, known, tables)
}

// saveSegmentIndex writes the file of a segment index. The segment must be on the disk. The file is
// not synced: an incomplete one fails its checksum and is rebuilt.
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

// snapshot builds the index of a segment. runs must include all runs with lines in the segment. The
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

// appendPart appends a part of a segment index file. Each part can be read alone.
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

// partHeadSize is the size of the header of a part: checksum and length.
const partHeadSize = 8

// readPart decodes the part of a segment index file that follows behind others. It returns false if
// the part is missing or damaged.
func (s *Store) readPart(number uint32, behind int, part any) bool {
	f, err := s.disk.Open(s.out.path(number)+indexSuffix, os.O_RDONLY)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }() // only read
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

// writeSegmentIndex saves the index of a segment that was scanned, and folds its positions out of
// memory, so that the memory of a start does not grow with the length of the log. It skips segments
// that could not be read completely, and those with parts of a copied run whose end line has not
// been found yet.
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

// syncSegment syncs a segment, which another process may have written without a sync.
func (s *Store) syncSegment(number uint32) error {
	f, err := s.disk.Open(s.out.path(number), os.O_RDWR)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// foldSegment replaces the extents and values in t by a folded extent. The segment must be the last
// one of the run so far.
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
