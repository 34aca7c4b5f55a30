package runlog

import (
	"cmp"
	"iter"
	"slices"

	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/store/internal/runindex"
	"github.com/svcflow/svc/store/internal/runtext"
	"github.com/svcflow/svc/store/internal/vfs"
)

// Open does not load the positions of frames and values of unfinished runs, since there may be
// millions of values. They stay in the segment indexes, and the run has one folded extent for
// each series of adjacent segments. The end line of the run keeps folded extents; a reader unfolds
// them.

// folded reports whether x is folded: its extents and values are in the segment indexes of its
// segments. Seq is the number of its first frame.
func (x extent) folded() bool { return x.To == 0 }

// covers reports whether the folded extent x includes a segment.
func (x extent) covers(segment uint32) bool {
	return x.Segment <= segment && segment <= max(x.Segment, x.From)
}

// fold adds a segment, which comes after all others of the run, to the folded extents. Its frames
// begin with number seq.
func (r *fileRun) fold(segment uint32, seq int) {
	all := r.open.extents
	if n := len(all); n > 0 && all[n-1].folded() {
		all[n-1].From = segment
		return
	}
	r.open.extents = append(all, extent{Segment: segment, Seq: seq})
}

// single splits folded extents so that each covers one segment with bytes of the run.
func (r *fileRun) single(all []extent) []extent {
	var single []extent
	for _, x := range all {
		if !x.folded() {
			single = append(single, x)
			continue
		}
		from := len(single)
		for _, p := range r.parts {
			for number := range p.each() {
				if x.covers(number) {
					single = append(single, extent{Segment: number, Seq: x.Seq})
				}
			}
		}
		slices.SortFunc(single[from:], func(a, b extent) int { return cmp.Compare(a.Segment, b.Segment) })
	}
	return single
}

// folded reports whether the run has folded extents.
func (o *openRun) folded() bool { return slices.ContainsFunc(o.extents, extent.folded) }

// unfold returns all extents of the run whose first line is at first, and adds the values of folded
// extents to values. Folded extents in all must cover one segment each; see [fileRun.single].
func (s *Store) unfold(runID string, first logPos, all []extent, values map[string]logPos) ([]extent, error) {
	var plain []extent
	seq := 0
	for _, x := range all {
		if !x.folded() {
			plain = append(plain, x)
			continue
		}
		x.Seq = max(x.Seq, seq)
		t, err := s.tableIn(runID, first, x)
		if err != nil {
			return nil, err
		}
		seq, plain = t.Frames+1, append(plain, t.Extents...)
		for _, v := range t.Values {
			values[runtext.FormatDigest(v.Digest)] = v.At
		}
	}
	return plain, nil
}

// tableIn returns the contents of a folded extent. It scans the segment if the segment index is
// missing, or was written after the run had ended and has no table for it.
func (s *Store) tableIn(runID string, first logPos, x extent) (*openRunTable, error) {
	var tables openRunTables
	if s.readPart(x.Segment, 1, &tables) && tables.Form == segmentIndexVersion {
		for i := range tables.All {
			if t := &tables.All[i]; t.ID == runID && t.First == first {
				return t, nil
			}
		}
	}
	open := &openRun{extents: []extent{x}, apart: true}
	e := &runindex.Entry[fileRun]{Frames: x.Seq - 1, Content: fileRun{first: first, open: open}}
	l := &loader{runs: s, entries: map[string]*runindex.Entry[fileRun]{runID: e}}
	err := s.linesOf(x.Segment, runID, func(_ vfs.File, at logPos, n *line) error {
		if n.name == lineValue || runtext.IsFrameName(n.name) {
			l.applyToRun(at, n)
		}
		return nil
	})
	t := &openRunTable{Frames: e.Frames, Extents: open.extents[1:]}
	for d, at := range open.values {
		t.Values = append(t.Values, digestPos{d, at})
	}
	return t, err
}

// foldedHasValue reports whether the folded extents of a run have a value. It looks that up only
// after data was lost: otherwise each value was written before the first frame that refers to it.
func (l *loader) foldedHasValue(c *fileRun, runID string, d run.Digest) bool {
	open := c.open
	if !open.folded() {
		return false
	}
	if !l.unreadable {
		return true
	}
	all, values, err := l.unfold(c, runID)
	if err != nil {
		return false
	}
	open.extents = all
	open.setValues(values)
	_, ok := open.values[d]
	return ok
}

// unfold returns the extents of an unfinished run, and the values of its folded extents.
func (l *loader) unfold(c *fileRun, runID string) (all []extent, values map[string]logPos, err error) {
	values = map[string]logPos{}
	all, err = l.runs.unfold(runID, c.first, c.single(c.open.extents), values)
	return all, values, err
}

// unfold is [Store.unfold] for the run of the reader. It adds the values to t.
func (r *reader) unfold(all []extent, t *table) ([]extent, error) {
	if t.Values == nil {
		t.Values = map[string]logPos{}
	}
	return r.runs.unfold(r.entry.Record.RunID, r.entry.Content.first, all, t.Values)
}

// unfolded returns the contents of the folded extents of an unfinished run.
func (r *reader) unfolded() (*table, error) {
	if r.table != nil {
		return r.table, nil
	}
	s, open := r.runs, r.entry.Content.open
	s.index.Mu.Lock()
	all := slices.DeleteFunc(r.entry.Content.single(open.extents), func(x extent) bool { return !x.folded() })
	s.index.Mu.Unlock()
	t := &table{}
	var err error
	if t.Extents, err = r.unfold(all, t); err != nil {
		return nil, err
	}
	r.table = t
	s.index.Mu.Lock()
	defer s.index.Mu.Unlock()
	if e := s.index.Runs[r.entry.Record.RunID]; e != nil && e.Content.open == open {
		s.tables.put(e.Record.RunID, t)
	}
	return t, nil
}

// part is the number of bytes of a run in adjacent segments, taken as evenly spread over them. This
// saves memory for thousands of runs with bytes in hundreds of segments each.
type part struct {
	From, To uint32
	Bytes    int64
}

// partAt returns the part for a single line.
func partAt(at logPos) part { return part{at.Segment, at.Segment, int64(at.Size)} }

func (p part) in(segment uint32) bool { return p.From <= segment && segment <= p.To }

// each returns the segments of the part with their share of the bytes.
func (p part) each() iter.Seq2[uint32, int64] {
	return func(yield func(uint32, int64) bool) {
		rest := p.Bytes
		for left := p.To - p.From + 1; left > 0; left-- {
			share := rest / int64(left)
			if rest -= share; !yield(p.To+1-left, share) {
				return
			}
		}
	}
}

// count adds the bytes of a line. It searches backwards, since the line is usually in the last
// segment.
func (r *fileRun) count(at logPos) {
	for i := len(r.parts) - 1; i >= 0; i-- {
		if p := &r.parts[i]; p.in(at.Segment) {
			p.Bytes += int64(at.Size)
			return
		}
	}
	r.parts = append(r.parts, partAt(at))
}

// extend adds the bytes of a segment that comes after all others of the run.
func (r *fileRun) extend(segment uint32, bytes int64) {
	if n := len(r.parts); n > 0 && r.parts[n-1].To == segment-1 {
		r.parts[n-1].To = segment
		r.parts[n-1].Bytes += bytes
		return
	}
	r.parts = append(r.parts, part{segment, segment, bytes})
}

// in reports whether the run has bytes in a segment.
func (r *fileRun) in(segment uint32) bool {
	return slices.ContainsFunc(r.parts, func(p part) bool { return p.in(segment) })
}

// bytesIn returns how many bytes the run has in a segment.
func (r *fileRun) bytesIn(segment uint32) int64 {
	i := slices.IndexFunc(r.parts, func(p part) bool { return p.in(segment) })
	if i < 0 {
		return 0
	}
	for number, bytes := range r.parts[i].each() {
		if number == segment {
			return bytes
		}
	}
	return 0
}

// spread reports whether the run has bytes in more than one segment.
func (r *fileRun) spread() bool { return len(r.parts) != 1 || r.parts[0].From != r.parts[0].To }

// countLive adds parts to the live bytes of their segments, or, with times = -1, subtracts them.
// The caller holds index.mu.
func (s *Store) countLive(parts []part, times int64) {
	for _, p := range parts {
		for number, bytes := range p.each() {
			g := s.segment(number)
			if g.live += times * bytes; times < 0 && g.sparse() {
				s.compaction.wanted.Store(true)
			}
		}
	}
}

// missesSegment reports whether a segment of p does not exist.
func (l *loader) missesSegment(p part) bool {
	for number := range p.each() {
		if !l.present[number] {
			return true
		}
	}
	return false
}
