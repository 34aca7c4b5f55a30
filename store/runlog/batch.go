package runlog

import (
	"encoding/json"

	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/store/internal/runindex"
	"github.com/svcflow/svc/store/internal/runtext"
)

// batch collects lines of one run, which are written with one call.
type batch struct {
	runID  string
	text   []byte
	values map[run.Digest]logPos // of the value lines in text; positions are offsets in text
	last   logPos                // of the last start or frame line
	final  logPos                // of the end line

	summary  *runtext.Summary // of a batch with which a run begins
	document *runDocument
	inDoc    logPos // of the document line, if text has it
}

func (b *batch) reset(runID string) {
	*b = batch{runID: runID, text: b.text[:0]}
}

// offsetBy turns a position in a batch into its position in the log, where the batch is at.
func (p logPos) offsetBy(at logPos) logPos { return logPos{at.Segment, at.From + p.From, p.Size} }

// add appends a line and returns its position in the batch.
func (b *batch) add(l *line) (logPos, error) {
	from := len(b.text)
	text, err := appendLine(b.text, l)
	if err != nil {
		return logPos{}, err
	}
	b.text = text
	return logPos{From: uint32(from), Size: uint32(len(text) - from)}, nil
}

func (b *batch) has(d run.Digest) bool {
	_, ok := b.values[d]
	return ok
}

// value adds a value line.
func (b *batch) value(h *run.Reference) error {
	at, err := b.add(&line{run: b.runID, name: lineValue, about: runtext.FormatDigest(h.Digest), data: h.Text})
	if err != nil {
		return err
	}
	if b.values == nil {
		b.values = map[run.Digest]logPos{}
	}
	b.values[h.Digest] = at
	return nil
}

func (b *batch) frame(f *run.Frame) (err error) {
	b.last, err = b.add(&line{seq: f.Seq, run: b.runID, name: string(f.Name), about: runtext.About(f), data: f.Data})
	return err
}

// end adds the end line. The terminal frame must be the last line in the batch.
func (b *batch) end(e *runindex.Entry[fileRun], how runtext.Ending) error {
	end := lineOfEnd{Ending: how, RunID: b.runID, table: table{Extents: e.Content.open.extents, Values: map[string]logPos{}}}
	from := uint32(len(b.text))
	for d, p := range e.Content.open.values {
		end.Values[runtext.FormatDigest(d)] = p
	}
	for d, p := range b.values {
		end.Values[runtext.FormatDigest(d)] = logPos{From: from - p.From, Size: p.Size}
	}
	end.Terminal = logPos{From: from - b.last.From, Size: b.last.Size}
	data, err := json.Marshal(&end)
	if err != nil {
		return err
	}
	b.final, err = b.add(&line{seq: e.Frames + 2, run: b.runID, name: lineEnd, about: runtext.Nothing, data: data})
	return err
}

// batchOf returns the lines with which a run begins. It appends them to room.
func (s *Store) batchOf(text *runtext.StartText, name string, room []byte) (*batch, error) {
	b := &batch{runID: text.Summary.RunID, summary: &text.Summary, text: room[:0]}
	var err error
	s.index.Mu.Lock()
	if b.document = s.documents[text.Document.Digest]; b.document != nil {
		b.document.refs++ // keeps the document referenced while the batch is written
	}
	s.index.Mu.Unlock()
	if b.document == nil {
		b.document = &runDocument{digest: text.Document.Digest, refs: 1}
		b.inDoc, err = b.add(&line{run: noRun, name: lineDocument, about: text.Summary.Document, data: text.Document.Text})
		if err != nil {
			return nil, err
		}
	}
	for i := range text.Inputs.Holes {
		if h := &text.Inputs.Holes[i]; !b.has(h.Digest) {
			if err := b.value(h); err != nil {
				return nil, err
			}
		}
	}
	b.last, err = b.add(startLine(text, name))
	return b, err
}

// entry returns the index entry of the run that begins with the batch, which was written at at.
func (b *batch) entry(at logPos) *runindex.Entry[fileRun] {
	open := &openRun{}
	for d, p := range b.values {
		open.setValue(d, p.offsetBy(at))
	}
	if b.inDoc.Size > 0 {
		b.document.at = b.inDoc.offsetBy(at)
	}
	own := int64(at.Size - b.inDoc.Size)
	return &runindex.Entry[fileRun]{
		Record: runindex.BriefOf(b.summary), Request: runindex.RequestOf(b.summary), Bytes: own,
		Content: fileRun{first: b.last.offsetBy(at), document: b.document, open: open, parts: []part{{at.Segment, at.Segment, own}}},
	}
}
