package runlog

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/store/internal/runtext"
)

// extent is a range of a segment with frames of a run, from number Seq on, and a few lines of other
// runs in between. A run has few extents, however many frames it has. An extent with To = 0 is
// folded: the segment indexes of Segment, and of the segments after it up to From, have its
// contents.
type extent struct {
	Segment, From, To uint32
	Seq               int
}

const (
	extentBytes = 64 << 10 // largest extent, unless it is a single frame
	extentGap   = 16 << 10 // largest gap between two frames of an extent
)

// table holds the positions of all frames and values of a run.
type table struct {
	Extents  []extent          `json:"extents"` // except the terminal frame
	Values   map[string]logPos `json:"values,omitempty"`
	Terminal logPos            `json:"terminal"`
}

// lineOfEnd is the data of an end line. A position with Segment 0 is relative: From is the distance
// in bytes before the end line.
type lineOfEnd struct {
	runtext.Ending
	RunID string `json:"runId"`
	table
}

// absolute resolves a relative position in the end line at end.
func (p logPos) absolute(end logPos) logPos {
	if p.Segment > 0 {
		return p
	}
	return logPos{end.Segment, end.From - p.From, p.Size}
}

// MarshalJSON writes three numbers.
func (p logPos) MarshalJSON() ([]byte, error) {
	return fmt.Appendf(nil, "[%d,%d,%d]", p.Segment, p.From, p.Size), nil
}

// UnmarshalJSON reads three numbers.
func (p *logPos) UnmarshalJSON(text []byte) error {
	var n [3]uint32
	err := json.Unmarshal(text, &n)
	*p = logPos{n[0], n[1], n[2]}
	return err
}

// MarshalJSON writes four numbers.
func (x extent) MarshalJSON() ([]byte, error) {
	return fmt.Appendf(nil, "[%d,%d,%d,%d]", x.Segment, x.From, x.To, x.Seq), nil
}

// UnmarshalJSON reads four numbers.
func (x *extent) UnmarshalJSON(text []byte) error {
	var n [4]uint32
	err := json.Unmarshal(text, &n)
	*x = extent{n[0], n[1], n[2], int(n[3])}
	return err
}

// add adds the position of a frame.
func (o *openRun) add(at logPos, seq int) {
	o.latest = at
	if n := len(o.extents); n > 0 && !o.apart {
		last := &o.extents[n-1]
		if last.Segment == at.Segment && at.From-last.To <= extentGap && at.end()-last.From <= extentBytes {
			last.To = at.end()
			return
		}
	}
	o.apart = false
	o.extents = append(o.extents, extent{at.Segment, at.From, at.end(), seq})
}

func (o *openRun) setValue(d run.Digest, at logPos) {
	if o.values == nil {
		o.values = map[run.Digest]logPos{}
	}
	o.values[d] = at
}

func (o *openRun) setValues(all map[string]logPos) {
	for digest, at := range all {
		if d, ok := runtext.ParseDigest(digest); ok {
			o.setValue(d, at)
		}
	}
}

// extentsFrom returns the extents with the frames from number seq on.
func extentsFrom(all []extent, seq int) []extent {
	n, exact := slices.BinarySearchFunc(all, seq, func(x extent, seq int) int { return x.Seq - seq })
	if !exact && n > 0 {
		n--
	}
	return all[n:]
}

// tableCache caches the tables of recently read runs.
type tableCache struct {
	lru *simplelru.LRU[string, *table] // guarded by index.mu
}

const cachedTables = 16

func (c *tableCache) get(runID string) *table {
	if c.lru == nil {
		return nil
	}
	t, _ := c.lru.Get(runID)
	return t
}

func (c *tableCache) put(runID string, t *table) {
	if c.lru == nil {
		c.lru, _ = simplelru.NewLRU[string, *table](cachedTables, nil) // cannot fail: the size is positive
	}
	c.lru.Add(runID, t)
}

func (c *tableCache) drop(runID string) {
	if c.lru != nil {
		c.lru.Remove(runID)
	}
}
