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
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/run"
)

// sidecar is what the index has to know of a segment that is full, in a file beside it,
// so that nothing that is full is ever read to find out what it holds. It is no second
// truth: one that is missing or damaged is made anew from its segment.
type sidecar struct {
	Runs      []sideRun
	Documents []sideDocument
	Keys      []sideKey
	Graves    []grave
}

// sideRun is a run that has lines in a segment, with all that is known of it.
type sideRun struct {
	ID, Workflow, ResumedFrom string
	Key, Digest               string
	StartedBy                 run.StartedBy // its type is empty if nobody has
	Started, Finished         int64         // microseconds
	Status                    uint8
	Damaged                   bool
	Frames                    int
	Bytes                     int64
	First, Last               place
	Document                  int // among the documents
	Parts                     []sidePart
	Extents                   []extent // of one that has not ended
	Values                    []sideDocument
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
	known := s.snapshot(number)
	if err := s.out.sync(s.out.position()); err != nil {
		return err
	}
	var text bytes.Buffer
	text.Write(make([]byte, 4))
	if err := gob.NewEncoder(&text).Encode(known); err != nil {
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

func (s *RunFiles) snapshot(number uint32) *sidecar {
	s.index.mu.Lock()
	defer s.index.mu.Unlock()
	c := &sidecar{Graves: append([]grave{}, s.segment(number).graves...)}
	documents := map[*runDocument]int{}
	for _, e := range s.index.order {
		for _, p := range e.content.parts {
			if p.segment == number {
				c.Runs = append(c.Runs, sideOf(e, c.document(documents, e.content.document)))
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
	return c
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
		ID: r.RunID, Workflow: r.WorkflowID, ResumedFrom: r.ResumedFrom, Key: e.key, Digest: e.digest,
		Started: r.StartedAt.UnixMicro(), Status: uint8(r.Status), Damaged: e.damaged, Frames: e.frames, Bytes: e.bytes,
		First: c.first, Last: c.last, Document: document,
	}
	if r.StartedBy != nil {
		side.StartedBy = *r.StartedBy
	}
	if !r.FinishedAt.IsZero() {
		side.Finished = r.FinishedAt.UnixMicro()
	}
	for _, p := range c.parts {
		side.Parts = append(side.Parts, sidePart{p.segment, p.bytes})
	}
	if c.open != nil {
		side.Extents = append(side.Extents, c.open.extents...)
		for d, at := range c.open.values {
			side.Values = append(side.Values, sideDocument{d, at})
		}
	}
	return side
}

// readSidecars reads those of all segments; nil stands for one that is not there.
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
	f, err := s.disk.Open(s.out.path(number)+sidecarSuffix, os.O_RDONLY)
	if err != nil {
		return nil
	}
	defer func() { _ = f.Close() }() // it was only read
	size, err := f.Size()
	if err != nil || size < 4 {
		return nil
	}
	data := make([]byte, size)
	if _, err := f.ReadAt(data, 0); err != nil && !errors.Is(err, io.EOF) {
		return nil
	}
	if binary.BigEndian.Uint32(data) != crc32.Checksum(data[4:], castagnoli) {
		return nil
	}
	c := &sidecar{}
	if gob.NewDecoder(bytes.NewReader(data[4:])).Decode(c) != nil {
		return nil
	}
	return c
}

// takeSidecar takes over what the sidecar of a segment tells. Of runs that go on in later
// ones those tell more.
func (l *loader) takeSidecar(number uint32, c *sidecar) {
	documents := make([]*runDocument, len(c.Documents))
	for i, d := range c.Documents {
		documents[i] = l.document(d.Digest)
		documents[i].at = d.At
	}
	for i := range c.Runs {
		side := &c.Runs[i]
		if side.Document < len(documents) {
			l.put(l.ofSide(side, documents[side.Document]))
		}
	}
	for _, k := range c.Keys {
		l.runs.index.hold(heldKey{k.Key, k.RunID, k.Digest, time.UnixMicro(k.Started).UTC(), number})
	}
	for _, g := range c.Graves {
		l.delete(number, g.RunID, g.First)
	}
}

func (l *loader) ofSide(side *sideRun, d *runDocument) *runEntry[fileRun] {
	e := &runEntry[fileRun]{
		record: run.Record{
			RunID: side.ID, WorkflowID: l.intern(side.Workflow), Status: engine.Status(side.Status),
			StartedAt: time.UnixMicro(side.Started).UTC(), ResumedFrom: side.ResumedFrom,
		},
		key: side.Key, digest: side.Digest, frames: side.Frames, bytes: side.Bytes, damaged: side.Damaged,
		content: fileRun{first: side.First, last: side.Last, document: d, parts: make([]part, len(side.Parts))},
	}
	if side.StartedBy.Type != "" {
		e.record.StartedBy = &side.StartedBy
	}
	if side.Finished != 0 {
		e.record.FinishedAt = time.UnixMicro(side.Finished).UTC()
	}
	for i, p := range side.Parts {
		e.content.parts[i] = part{p.Segment, p.Bytes}
	}
	if e.running() {
		e.content.open = &openRun{extents: side.Extents}
		for _, v := range side.Values {
			e.content.open.setValue(v.Digest, v.At)
		}
	}
	return e
}
