package runlog

import (
	"iter"
	"slices"
)

// part is how many bytes of a run some segments have that follow each other. Of more than one
// nobody remembers which has how many: each counts as if it had as many as the others. A run may
// have something in each of hundreds of segments, and there may be thousands of such runs.
type part struct {
	From, To uint32
	Bytes    int64
}

// partAt is what stands there.
func partAt(at place) part { return part{at.Segment, at.Segment, int64(at.Size)} }

func (p part) in(segment uint32) bool { return p.From <= segment && segment <= p.To }

// each returns the segments, with how many bytes they count as having.
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

// count counts what stands there, mostly in the segment that came last.
func (r *fileRun) count(at place) {
	for i := len(r.parts) - 1; i >= 0; i-- {
		if p := &r.parts[i]; p.in(at.Segment) {
			p.Bytes += int64(at.Size)
			return
		}
	}
	r.parts = append(r.parts, partAt(at))
}

// extend counts what the next segment has.
func (r *fileRun) extend(segment uint32, bytes int64) {
	if n := len(r.parts); n > 0 && r.parts[n-1].To == segment-1 {
		r.parts[n-1].To = segment
		r.parts[n-1].Bytes += bytes
		return
	}
	r.parts = append(r.parts, part{segment, segment, bytes})
}

// in reports whether a segment has something of the run.
func (r *fileRun) in(segment uint32) bool {
	return slices.ContainsFunc(r.parts, func(p part) bool { return p.in(segment) })
}

// bytesIn returns how much of the run a segment has.
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

// spread reports whether the run has something in more than one segment.
func (r *fileRun) spread() bool { return len(r.parts) != 1 || r.parts[0].From != r.parts[0].To }

// weigh counts parts that have come, or, with -1, have gone. The caller holds index.mu.
func (s *Store) weigh(parts []part, times int64) {
	for _, p := range parts {
		for number, bytes := range p.each() {
			g := s.segment(number)
			if g.live += times * bytes; times < 0 && g.sparse() {
				s.tidy.wanted.Store(true)
			}
		}
	}
}

// lacks reports whether a segment of p is not there.
func (l *loader) lacks(p part) bool {
	for number := range p.each() {
		if !l.there[number] {
			return true
		}
	}
	return false
}
