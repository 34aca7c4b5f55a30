package store

import (
	"encoding/json"

	"github.com/svcflow/svc/engine/run"
)

// batch is some lines of one run that are written at once.
type batch struct {
	runID  string
	text   []byte
	values map[run.Digest]place // of the lines in text; their places are offsets in it
	last   place                // of the last line that is the run's first, or a frame
	final  place                // of the line of its end

	summary  *runSummary // of a batch that a run begins with
	document *runDocument
	inDoc    place // of its line, if that is in text
}

func (b *batch) reset(runID string) {
	*b = batch{runID: runID, text: b.text[:0]}
}

// behind returns where a part of a batch stands that was written there.
func (p place) behind(at place) place { return place{at.Segment, at.From + p.From, p.Size} }

// add appends a line and returns where it stands in the batch.
func (b *batch) add(l *line) (place, error) {
	from := len(b.text)
	text, err := appendLine(b.text, l)
	if err != nil {
		return place{}, err
	}
	b.text = text
	return place{From: uint32(from), Size: uint32(len(text) - from)}, nil
}

func (b *batch) has(d run.Digest) bool {
	_, ok := b.values[d]
	return ok
}

// value adds a large value.
func (b *batch) value(h *run.Hole) error {
	at, err := b.add(&line{run: b.runID, name: lineValue, about: formatDigest(h.Digest), data: h.Text})
	if err != nil {
		return err
	}
	if b.values == nil {
		b.values = map[run.Digest]place{}
	}
	b.values[h.Digest] = at
	return nil
}

func (b *batch) frame(f *run.Frame) (err error) {
	b.last, err = b.add(&line{seq: f.Seq, run: b.runID, name: string(f.Name), about: AboutFrame(f), data: f.Data})
	return err
}

// end adds the line behind the terminal frame, which is the last one in the batch.
func (b *batch) end(e *runEntry[fileRun], how ending) error {
	end := lineOfEnd{ending: how, RunID: b.runID, table: table{Extents: e.content.open.extents, Values: map[string]place{}}}
	from := uint32(len(b.text))
	for d, p := range e.content.open.values {
		end.Values[formatDigest(d)] = p
	}
	for d, p := range b.values {
		end.Values[formatDigest(d)] = place{From: from - p.From, Size: p.Size}
	}
	end.Terminal = place{From: from - b.last.From, Size: b.last.Size}
	data, err := json.Marshal(&end)
	if err != nil {
		return err
	}
	b.final, err = b.add(&line{seq: e.frames + 2, run: b.runID, name: lineEnd, about: nothing, data: data})
	return err
}

// batchOf returns the lines with which a run begins, in room if there is enough of that.
func (s *RunFiles) batchOf(text *startText, name string, room []byte) (*batch, error) {
	b := &batch{runID: text.summary.RunID, summary: &text.summary, text: room[:0]}
	var err error
	s.index.mu.Lock()
	if b.document = s.documents[text.document.Digest]; b.document != nil {
		b.document.refs++ // so that it stays
	}
	s.index.mu.Unlock()
	if b.document == nil {
		b.document = &runDocument{digest: text.document.Digest, refs: 1}
		b.inDoc, err = b.add(&line{run: noRun, name: lineDocument, about: text.summary.Document, data: text.document.Text})
		if err != nil {
			return nil, err
		}
	}
	for i := range text.inputs.Holes {
		if h := &text.inputs.Holes[i]; !b.has(h.Digest) {
			if err := b.value(h); err != nil {
				return nil, err
			}
		}
	}
	b.last, err = b.add(startLine(text, name))
	return b, err
}

// entry returns the run that begins with a batch that was written there.
func (b *batch) entry(at place) *runEntry[fileRun] {
	open := &openRun{}
	for d, p := range b.values {
		open.setValue(d, p.behind(at))
	}
	if b.inDoc.Size > 0 {
		b.document.at = b.inDoc.behind(at)
	}
	own := int64(at.Size - b.inDoc.Size)
	return &runEntry[fileRun]{
		record: briefOf(b.summary), request: requestOf(b.summary), bytes: own,
		content: fileRun{first: b.last.behind(at), document: b.document, open: open, parts: []part{{at.Segment, at.Segment, own}}},
	}
}
