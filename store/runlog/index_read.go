package runlog

import (
	"runtime"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/store/internal/runindex"
)

// indexesAtOnce is how many segment indexes are in memory at once. With many short runs, one takes
// megabytes.
const indexesAtOnce = 2

// manyUnknown is the number of scanned segments after which a start logs why it takes long.
const manyUnknown = 16

// segments loads segments from their indexes, or by scanning them.
func (l *loader) segments(numbers []uint32, last uint32) error {
	s := l.runs
	sidecars := s.readSegmentIndexes(numbers)
	for i, number := range numbers {
		g := s.segment(number)
		if sidecars[i] != nil && number != last {
			l.loadSegmentIndex(number, sidecars[i])
			g.indexed = true
			continue
		}
		if l.scanned++; l.scanned == manyUnknown {
			s.log.Info("much of the recorded runs has to be read to know what is there, as nothing tells; that takes some seconds for each 10 GB, once")
		}
		end, err := l.scan(number)
		if err != nil {
			return err
		}
		if number == last {
			if err := s.out.resume(number, end); err != nil {
				return err
			}
			continue
		}
		l.writeSegmentIndex(number)
	}
	return nil
}

// readSegmentIndexes reads segment indexes; nil for those that are missing or damaged.
func (s *Store) readSegmentIndexes(numbers []uint32) []*segmentIndex {
	all := make([]*segmentIndex, len(numbers))
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i, number := range numbers {
		group.Go(func() error {
			all[i] = s.readSegmentIndex(number)
			return nil
		})
	}
	_ = group.Wait() // the functions return no errors
	return all
}

func (s *Store) readSegmentIndex(number uint32) *segmentIndex {
	c := &segmentIndex{}
	if !s.readPart(number, 0, c) || c.Form != segmentIndexVersion {
		return nil
	}
	return c
}

// loadSegmentIndex loads the contents of a segment index.
func (l *loader) loadSegmentIndex(number uint32, c *segmentIndex) {
	documents := make([]*runDocument, len(c.Documents))
	for i, d := range c.Documents {
		documents[i] = l.documentFor(d.Digest)
		documents[i].at = d.At
	}
	for i := range c.Runs {
		side := &c.Runs[i]
		if side.Document < len(documents) {
			l.addIndexedRun(l.entryOf(side, documents[side.Document]))
		}
	}
	c.Open.enter(l.openByStart, number)
	for _, k := range c.Keys {
		l.runs.index.Hold(runindex.HeldKey{Key: k.Key, RunID: k.RunID, Digest: k.Digest, StartedAt: time.UnixMicro(k.Started).UTC(), Segment: number})
	}
	for _, g := range c.Tombstones {
		l.applyDelete(number, g.RunID, g.First)
	}
}

// addIndexedRun adds a run from a segment index. It ignores an entry without an end if the run is
// already known, since a segment index that was written later may have recorded the end.
func (l *loader) addIndexedRun(e *runindex.Entry[fileRun]) {
	old := l.entries[e.Record.RunID]
	if old == nil || e.Content.open == nil || old.Content.first != e.Content.first {
		l.put(e)
	}
}

func (l *loader) entryOf(side *indexedRun, d *runDocument) *runindex.Entry[fileRun] {
	e := &runindex.Entry[fileRun]{
		Record: runindex.Brief{
			RunID: side.ID, WorkflowID: l.intern(side.Workflow), Status: engine.Status(side.Status),
			StartedAt: side.Started, FinishedAt: side.Finished, ResumedFrom: side.ResumedFrom,
		},
		Request: runindex.Keyed(side.Key, side.Digest), Frames: side.Frames, Bytes: side.Bytes, Damaged: side.Damaged,
		Content: fileRun{first: side.First, last: side.Last, document: d, parts: side.Parts},
	}
	if by := side.StartedBy; by.Type != "" {
		e.Record.StartedBy = &by
	}
	if e.Running() {
		e.Content.open = &openRun{}
	}
	return e
}

// openRunColumns list the unfinished runs of a segment, one column per field. Gob encodes columns
// compactly, which matters: each of hundreds of segments may list thousands of runs, and a start
// reads them all.
type openRunColumns struct {
	First              []uint64 // see [logPos.key]
	Frames, From       []uint   // the last frame so far, and the first one in this segment
	Bytes              []int64
	LatestAt, LatestBy []uint32 // position and size of the last frame; 0 unless it is in this segment
	Damaged            []bool
}

// key packs the segment and the offset of p into one number.
func (p logPos) key() uint64 { return uint64(p.Segment)<<32 | uint64(p.From) }

// add adds a run with lines in the segment; t is its table for that segment.
func (o *openRunColumns) add(e *runindex.Entry[fileRun], number uint32, t *openRunTable) {
	latest := logPos{}
	if l := e.Content.open.latest; l.Segment == number && t.Frames == e.Frames {
		latest = l
	}
	o.First = append(o.First, e.Content.first.key())
	o.Frames, o.From = append(o.Frames, uint(t.Frames)), append(o.From, uint(t.from()))
	o.Bytes = append(o.Bytes, e.Content.bytesIn(number))
	o.LatestAt, o.LatestBy = append(o.LatestAt, latest.From), append(o.LatestBy, latest.Size)
	o.Damaged = append(o.Damaged, e.Damaged)
}

// tableOf returns the positions of the frames and values of an unfinished run in a segment.
func tableOf(e *runindex.Entry[fileRun], number uint32) openRunTable {
	open, t := e.Content.open, openRunTable{ID: e.Record.RunID, First: e.Content.first, Frames: e.Frames}
	for _, x := range open.extents {
		if x.Segment > number {
			t.Frames = x.Seq - 1
			break
		}
		if x.Segment == number {
			t.Extents = append(t.Extents, x)
		}
	}
	for d, at := range open.values {
		if at.Segment == number {
			t.Values = append(t.Values, digestPos{d, at})
		}
	}
	return t
}

// enter applies the columns to the runs in begun, which maps the position of the first line to the
// run. It ignores runs that are missing, because they were removed, and those that have ended.
func (o *openRunColumns) enter(begun map[uint64]*runindex.Entry[fileRun], number uint32) {
	for i, first := range o.First {
		e := begun[first]
		if e == nil || e.Content.open == nil {
			continue
		}
		c, frames := &e.Content, int(o.Frames[i])
		if c.fold(number, int(o.From[i])); frames > e.Frames {
			c.open.latest = logPos{number, o.LatestAt[i], o.LatestBy[i]}
		}
		c.extend(number, o.Bytes[i])
		e.Frames, e.Bytes, e.Damaged = frames, e.Bytes+o.Bytes[i], e.Damaged || o.Damaged[i]
		e.Record.SetRunning(frames)
	}
}
