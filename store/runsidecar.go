package store

import (
	"bytes"
	"encoding/binary"
	"encoding/gob"
	"errors"
	"hash/crc32"
	"io"
	"os"
	"runtime"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/run"
)

// sidecarForm tells sidecars from those of earlier versions, which are made anew.
const sidecarForm = 3

// sidecar is what the index has to know of a segment that is full, in a file beside it,
// so that nothing that is full is ever read to find out what it holds. It is no second
// truth: one that is missing or damaged is made anew from its segment. Behind it in the file
// are tables, which a start does not look at.
type sidecar struct {
	Form      int // sidecarForm, else it is none
	Runs      []sideRun
	Documents []sideDocument
	Keys      []sideKey
	Graves    []grave
}

// sideRun is a run that has lines in a segment: one that has ended with all that is known of
// it, another only with what stands in the segment and how far it is at its end. So long runs
// do not make the sidecars of all their segments longer and longer.
type sideRun struct {
	ID, Workflow, ResumedFrom string
	Key, Digest               string
	StartedBy                 run.StartedBy // its type is empty if nobody has
	Started, Finished         moment
	Status                    uint8
	Damaged                   bool
	Frames                    int
	Bytes                     int64
	First, Last               place
	Document                  int // among the documents
	Parts                     []sidePart
	From                      int   // number of its first frame here, of one that has not ended
	Latest                    place // the same; nothing unless its last frame is here
}

// sideTable says where in a segment everything of a run is that has not ended.
type sideTable struct {
	ID      string
	First   place // of the run
	Extents []extent
	Values  []sideDocument
}

type sidePart struct {
	Segment uint32
	Bytes   int64
}

type sideDocument struct {
	Digest run.Digest
	At     place
}

type sideKey struct {
	Key, RunID, Digest string
	Started            int64
}

// writeSidecar writes down what the index knows of a segment. All of that has to be on
// the disk first, so that a loss of power leaves no sidecar that knows more than the log.
func (s *RunFiles) writeSidecar(number uint32) error {
	known, tables := s.snapshot(number)
	if err := s.out.sync(s.out.position()); err != nil {
		return err
	}
	var text bytes.Buffer
	text.Write(make([]byte, 4))
	form := gob.NewEncoder(&text)
	if err := errors.Join(form.Encode(known), form.Encode(tables)); err != nil {
		return err
	}
	data := text.Bytes()
	binary.BigEndian.PutUint32(data, crc32.Checksum(data[4:], castagnoli))
	f, err := s.disk.Open(s.out.path(number)+sidecarSuffix, os.O_RDWR|os.O_CREATE|os.O_TRUNC)
	if err != nil {
		return err
	}
	// Nobody waits for the disk: what is not there whole is made again.
	_, err = f.WriteAt(data, 0)
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	s.index.mu.Lock()
	defer s.index.mu.Unlock()
	s.segment(number).indexed = true
	return nil
}

func (s *RunFiles) snapshot(number uint32) (*sidecar, []sideTable) {
	s.index.mu.Lock()
	defer s.index.mu.Unlock()
	c, tables := &sidecar{Form: sidecarForm, Graves: append([]grave{}, s.segment(number).graves...)}, []sideTable{}
	documents := map[*runDocument]int{}
	for _, e := range s.index.order {
		for _, p := range e.content.parts {
			if p.segment == number {
				side := sideOf(e, c.document(documents, e.content.document))
				if e.content.open != nil {
					tables = append(tables, side.confine(e, number))
				}
				c.Runs = append(c.Runs, side)
				break
			}
		}
	}
	for _, d := range s.documents {
		if d.at.Segment == number {
			c.document(documents, d)
		}
	}
	for _, k := range s.index.keys {
		if k.segment == number && s.index.lives(&k, time.Now()) {
			c.Keys = append(c.Keys, sideKey{k.Key, k.RunID, k.Digest, k.StartedAt.UnixMicro()})
		}
	}
	return c, tables
}

func (c *sidecar) document(known map[*runDocument]int, d *runDocument) int {
	n, ok := known[d]
	if !ok {
		n = len(c.Documents)
		known[d] = n
		c.Documents = append(c.Documents, sideDocument{d.digest, d.at})
	}
	return n
}

func sideOf(e *runEntry[fileRun], document int) sideRun {
	r, c := &e.record, &e.content
	side := sideRun{
		ID: r.RunID, Workflow: r.WorkflowID, ResumedFrom: r.ResumedFrom,
		Started: r.StartedAt, Finished: r.FinishedAt, Status: uint8(r.Status), Damaged: e.damaged, Frames: e.frames, Bytes: e.bytes,
		First: c.first, Last: c.last, Document: document,
	}
	if r.StartedBy != nil {
		side.StartedBy = *r.StartedBy
	}
	if e.request != nil {
		side.Key, side.Digest = e.request.key, e.request.digest
	}
	for _, p := range c.parts {
		side.Parts = append(side.Parts, sidePart{p.segment, p.bytes})
	}
	return side
}

// confine makes what is told of a run that has not ended what a segment has of it, and returns
// where that is.
func (side *sideRun) confine(e *runEntry[fileRun], number uint32) sideTable {
	open, t := e.content.open, sideTable{ID: side.ID, First: side.First}
	side.Parts = slices.DeleteFunc(side.Parts, func(p sidePart) bool { return p.Segment != number })
	side.Bytes = 0
	for _, p := range side.Parts {
		side.Bytes += p.Bytes
	}
	for _, x := range open.extents {
		if x.Segment > number {
			side.Frames = x.Seq - 1
			break
		}
		if x.Segment == number {
			t.Extents = append(t.Extents, x)
		}
	}
	if side.From = side.Frames + 1; len(t.Extents) > 0 {
		side.From = t.Extents[0].Seq
	}
	if open.latest.Segment == number && side.Frames == e.frames {
		side.Latest = open.latest
	}
	for d, at := range open.values {
		if at.Segment == number {
			t.Values = append(t.Values, sideDocument{d, at})
		}
	}
	return t
}

// sidecarsAtOnce is how many sidecars are in memory: each of them takes megabytes where
// runs are short.
const sidecarsAtOnce = 2

// segments takes over what some segments hold.
func (l *loader) segments(numbers []uint32, last uint32) error {
	s := l.runs
	sidecars := s.readSidecars(numbers)
	for i, number := range numbers {
		g := s.segment(number)
		if sidecars[i] != nil && number != last {
			l.takeSidecar(number, sidecars[i])
			g.indexed = true
			continue
		}
		end, err := l.scan(number)
		if err != nil {
			return err
		}
		if number == last {
			if err := s.out.resume(number, end); err != nil {
				return err
			}
		}
	}
	return nil
}

// readSidecars reads those of some segments; nil stands for one that is not there.
func (s *RunFiles) readSidecars(numbers []uint32) []*sidecar {
	all := make([]*sidecar, len(numbers))
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i, number := range numbers {
		group.Go(func() error {
			all[i] = s.readSidecar(number)
			return nil
		})
	}
	_ = group.Wait() // none fails
	return all
}

func (s *RunFiles) readSidecar(number uint32) *sidecar {
	c, _ := s.openSidecar(number)
	return c
}

// openSidecar reads a sidecar and returns what decodes the tables behind it; nil if it is not
// there.
func (s *RunFiles) openSidecar(number uint32) (*sidecar, *gob.Decoder) {
	f, err := s.disk.Open(s.out.path(number)+sidecarSuffix, os.O_RDONLY)
	if err != nil {
		return nil, nil
	}
	defer func() { _ = f.Close() }() // it was only read
	size, err := f.Size()
	if err != nil || size < 4 {
		return nil, nil
	}
	data := make([]byte, size)
	if _, err := f.ReadAt(data, 0); err != nil && !errors.Is(err, io.EOF) {
		return nil, nil
	}
	if binary.BigEndian.Uint32(data) != crc32.Checksum(data[4:], castagnoli) {
		return nil, nil
	}
	c, form := &sidecar{}, gob.NewDecoder(bytes.NewReader(data[4:]))
	if form.Decode(c) != nil || c.Form != sidecarForm {
		return nil, nil
	}
	return c, form
}

// takeSidecar takes over what the sidecar of a segment tells.
func (l *loader) takeSidecar(number uint32, c *sidecar) {
	documents := make([]*runDocument, len(c.Documents))
	for i, d := range c.Documents {
		documents[i] = l.document(d.Digest)
		documents[i].at = d.At
	}
	for i := range c.Runs {
		side := &c.Runs[i]
		if side.Document < len(documents) {
			l.takeSide(l.ofSide(number, side, documents[side.Document]))
		}
	}
	for _, k := range c.Keys {
		l.runs.index.hold(heldKey{k.Key, k.RunID, k.Digest, time.UnixMicro(k.Started).UTC(), number})
	}
	for _, g := range c.Graves {
		l.delete(number, g.RunID, g.First)
	}
}

// takeSide takes over a run. Of one that has not ended, earlier segments have told the rest; or
// they know of its end already, since their sidecars are younger.
func (l *loader) takeSide(e *runEntry[fileRun]) {
	old := l.entries[e.record.RunID]
	switch {
	case old == nil || e.content.open == nil || old.content.first != e.content.first:
		l.put(e)
	case old.content.open != nil:
		continued(old, e)
	}
}

// continued adds what the next segment has of a run that has not ended.
func continued(e, next *runEntry[fileRun]) {
	if next.frames > e.frames {
		e.content.open.latest = next.content.open.latest
	}
	e.record.Status, e.record.FinishedAt = next.record.Status, next.record.FinishedAt
	e.frames, e.bytes, e.damaged = next.frames, e.bytes+next.bytes, e.damaged || next.damaged
	e.content.parts = append(e.content.parts, next.content.parts...)
	e.content.open.extents = append(e.content.open.extents, next.content.open.extents...)
}

func (l *loader) ofSide(number uint32, side *sideRun, d *runDocument) *runEntry[fileRun] {
	e := &runEntry[fileRun]{
		record: brief{
			RunID: side.ID, WorkflowID: l.intern(side.Workflow), Status: engine.Status(side.Status),
			StartedAt: side.Started, FinishedAt: side.Finished, ResumedFrom: side.ResumedFrom,
		},
		request: keyed(side.Key, side.Digest), frames: side.Frames, bytes: side.Bytes, damaged: side.Damaged,
		content: fileRun{first: side.First, last: side.Last, document: d, parts: make([]part, len(side.Parts))},
	}
	if by := side.StartedBy; by.Type != "" {
		e.record.StartedBy = &by
	}
	for i, p := range side.Parts {
		e.content.parts[i] = part{p.Segment, p.Bytes}
	}
	if e.running() {
		e.content.open = &openRun{extents: []extent{{Segment: number, Seq: side.From}}, latest: side.Latest}
	}
	return e
}
