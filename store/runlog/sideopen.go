package runlog

import (
	"github.com/svcflow/svc/store/internal/runindex"
)

// sideOpen is what a segment has of the runs that go on behind it: a column for each thing told,
// since there may be thousands of them in each of hundreds of segments, all of which a start reads.
type sideOpen struct {
	First              []uint64 // see [place.key]
	Frames, From       []uint   // the numbers of the last frame so far, and of the first one that is there
	Bytes              []int64
	LatestAt, LatestBy []uint32 // the last frame and its size; nothing unless it is there
	Damaged            []bool
}

// key is where p begins, in one number.
func (p place) key() uint64 { return uint64(p.Segment)<<32 | uint64(p.From) }

// add adds what a segment has of a run, the table of which says where that is.
func (o *sideOpen) add(e *runindex.Entry[fileRun], number uint32, t *sideTable) {
	latest := place{}
	if l := e.Content.open.latest; l.Segment == number && t.Frames == e.Frames {
		latest = l
	}
	o.First = append(o.First, e.Content.first.key())
	o.Frames, o.From = append(o.Frames, uint(t.Frames)), append(o.From, uint(t.from()))
	o.Bytes = append(o.Bytes, e.Content.bytesIn(number))
	o.LatestAt, o.LatestBy = append(o.LatestAt, latest.From), append(o.LatestBy, latest.Size)
	o.Damaged = append(o.Damaged, e.Damaged)
}

// tableOf says where in a segment everything of a run is that has not ended.
func tableOf(e *runindex.Entry[fileRun], number uint32) sideTable {
	open, t := e.Content.open, sideTable{ID: e.Record.RunID, First: e.Content.first, Frames: e.Frames}
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
			t.Values = append(t.Values, sideDocument{d, at})
		}
	}
	return t
}

// enter adds what a segment has to the runs that begin where begun says. One that is not among
// them has gone, or its end is known.
func (o *sideOpen) enter(begun map[uint64]*runindex.Entry[fileRun], number uint32) {
	for i, first := range o.First {
		e := begun[first]
		if e == nil || e.Content.open == nil {
			continue
		}
		c, frames := &e.Content, int(o.Frames[i])
		if c.fold(number, int(o.From[i])); frames > e.Frames {
			c.open.latest = place{number, o.LatestAt[i], o.LatestBy[i]}
		}
		c.extend(number, o.Bytes[i])
		e.Frames, e.Bytes, e.Damaged = frames, e.Bytes+o.Bytes[i], e.Damaged || o.Damaged[i]
		e.Record.SetRunning(frames)
	}
}
