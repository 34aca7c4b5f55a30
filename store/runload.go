package store

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/run"
)

// loader finds out what a log holds: from the sidecars of its segments, and by reading
// those that have none, which is the last one as a rule.
type loader struct {
	runs    *RunFiles
	entries map[string]*runEntry[fileRun]
	found   []*runEntry[fileRun]          // all that were ever in entries, in their order: it is nearly that of their starts
	copies  map[string]*runEntry[fileRun] // of runs, that have no end yet
	orphans map[string]*openRun           // values of runs whose first line is yet to come
	gone    []byte                        // lines that have to say that a run is kept no more
	begun   map[uint64]*runEntry[fileRun] // that had not ended when they were found, by where they begin
	docs    map[run.Digest]*runDocument
	ids     map[string]string // of workflows, each once
	there   map[uint32]bool   // segments
	read    int               // segments
	lost    bool              // something in the segment cannot be read
	hurt    bool              // damage was found that is not what a crash leaves
}

// load enters what is in the directory.
func (s *RunFiles) load() error {
	numbers, err := s.listSegments()
	if err != nil {
		return err
	}
	l := &loader{
		runs: s, entries: map[string]*runEntry[fileRun]{}, copies: map[string]*runEntry[fileRun]{},
		begun: map[uint64]*runEntry[fileRun]{}, orphans: map[string]*openRun{}, docs: map[run.Digest]*runDocument{}, ids: map[string]string{},
		there: map[uint32]bool{},
	}
	for _, number := range numbers {
		l.there[number] = true
	}
	for some := range slices.Chunk(numbers, sidecarsAtOnce) {
		if err := l.segments(some, numbers[len(numbers)-1]); err != nil {
			return err
		}
	}
	l.enterAll()
	return l.buryGone()
}

// buryGone writes down what is kept no more, so that later starts need not find that out.
func (l *loader) buryGone() error {
	if len(l.gone) == 0 {
		return nil
	}
	s := l.runs
	at, err := s.write(l.gone)
	if err != nil {
		return err
	}
	s.out.known(at)
	for text := l.gone; len(text) > 0; {
		n := cutBehind(text)
		var first place
		if l, err := parseLine(text[:n]); err == nil && json.Unmarshal(l.data, &first) == nil {
			s.bury(at.Segment, l.run, first)
		}
		text = text[n:]
	}
	return nil
}

// listSegments returns the numbers of the segments there are.
func (s *RunFiles) listSegments() ([]uint32, error) {
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return nil, err
	}
	var numbers []uint32
	for _, entry := range entries {
		if n := segmentNumber(entry.Name()); n > 0 && !entry.IsDir() {
			numbers = append(numbers, n)
		}
		if strings.HasSuffix(entry.Name(), ".run") {
			return nil, fmt.Errorf("%s is a run as earlier versions kept it, which this one does not read: move the files *.run out of %s", entry.Name(), s.dir)
		}
	}
	slices.Sort(numbers)
	return numbers, nil
}

// take takes over a line.
func (l *loader) take(at place, n *line) error {
	switch n.name {
	case lineDocument:
		if d, ok := parseDigest(n.about); ok {
			l.document(d).at = at
		}
	case lineStart, lineCopy:
		return l.begin(at, n)
	case lineKept:
		return l.kept(at, n)
	case lineKey:
		var k heldKey
		if json.Unmarshal(n.data, &k) == nil {
			k.segment = at.Segment
			l.runs.index.hold(k)
		}
	case lineDelete:
		var first place
		if json.Unmarshal(n.data, &first) == nil {
			l.delete(at.Segment, n.run, first)
		}
	default:
		l.follow(at, n)
	}
	return nil
}

func (l *loader) document(d run.Digest) *runDocument {
	doc := l.docs[d]
	if doc == nil {
		doc = &runDocument{digest: d}
		l.docs[d] = doc
	}
	return doc
}

// begin takes over the first line of a run.
func (l *loader) begin(at place, n *line) error {
	t, err := readStart(n)
	if err != nil {
		return err
	}
	open := l.valuesBefore(n)
	if !l.has(&fileRun{first: at, open: open}, n) {
		return nil
	}
	e := l.entry(&t.summary, at)
	e.content.open = open
	if old := l.entries[n.run]; old != nil {
		e.damaged = old.damaged // by what stands before this line
	}
	for _, p := range open.values {
		e.bytes += int64(p.Size)
		e.content.count(p)
	}
	if n.name == lineCopy {
		l.copies[n.run] = e
	} else {
		l.put(e)
	}
	return nil
}

func (l *loader) put(e *runEntry[fileRun]) {
	l.entries[e.record.RunID] = e
	l.found = append(l.found, e)
	if e.content.open != nil {
		l.begun[e.content.first.key()] = e
	}
}

func (l *loader) entry(summary *runSummary, at place) *runEntry[fileRun] {
	d, _ := parseDigest(summary.Document) // a damaged one is nowhere
	e := &runEntry[fileRun]{
		record: briefOf(summary), request: requestOf(summary), bytes: int64(at.Size),
		content: fileRun{first: at, document: l.document(d), parts: []part{partAt(at)}},
	}
	e.record.WorkflowID = l.intern(e.record.WorkflowID)
	if e.request != nil {
		k := e.heldKey()
		k.segment = at.Segment
		l.runs.index.hold(k)
	}
	return e
}

// intern returns text, of which many runs have the same, as one.
func (l *loader) intern(text string) string {
	if same, ok := l.ids[text]; ok {
		return same
	}
	l.ids[text] = text
	return text
}

// follow takes over a line that belongs to a run which has begun.
func (l *loader) follow(at place, n *line) {
	e := l.copies[n.run]
	if e == nil {
		e = l.entries[n.run]
	}
	if e != nil && n.name == lineVoid {
		l.void(e, n)
		return
	}
	if e == nil || e.content.open == nil {
		d, ok := parseDigest(n.about)
		if n.name == lineValue && ok {
			if l.orphans[n.run] == nil {
				l.orphans[n.run] = &openRun{}
			}
			l.orphans[n.run].setValue(d, at)
		}
		return
	}
	switch n.name {
	case lineValue:
		if d, ok := parseDigest(n.about); ok {
			e.content.open.setValue(d, at)
			countLine(e, at)
		}
	case lineEnd:
		l.end(e, at, n)
	default:
		l.frame(e, at, n)
	}
}

// countLine counts the bytes of a line of a run.
func countLine(e *runEntry[fileRun], at place) {
	e.content.count(at)
	e.bytes += int64(at.Size)
}

// frame takes over a frame if it is the next one of its run. One that is not belongs to
// what was lost with the power.
func (l *loader) frame(e *runEntry[fileRun], at place, n *line) {
	if n.seq != e.frames+1 || !isFrameName(n.name) || !l.has(&e.content, n) {
		e.content.open.apart = true
		return
	}
	if name := engine.EventName(n.name); name.Terminal() {
		f := run.ReadFrame(n.seq, name, n.data)
		how, err := endingOf(&f)
		if err != nil {
			return
		}
		e.content.open.apart = true
		// It counts once the line of its end, which follows, is there.
		e.content.last, e.record.FinishedAt = at, momentOf(how.FinishedAt)
		return
	}
	e.content.open.add(at, n.seq)
	e.count()
	countLine(e, at)
}

// has reports whether the values that belong into a line of the run that begins there are
// known. Where they are not, they were lost with the power.
func (l *loader) has(c *fileRun, n *line) bool {
	var f run.Frame
	err := parseAbout(&f, n.about, math.MaxInt)
	for i := range f.Holes {
		if _, ok := c.open.values[f.Holes[i].Digest]; !ok && f.Holes[i].Frame == 0 && !l.folds(c, n.run, f.Holes[i].Digest) {
			return false
		}
	}
	return err == nil
}

// void takes back the end of a run, which was not taken.
func (l *loader) void(e *runEntry[fileRun], n *line) {
	var said table
	if json.Unmarshal(n.data, &said) != nil {
		return
	}
	open := &openRun{extents: said.Extents, apart: true}
	open.setValues(said.Values)
	e.frames, e.content.open, e.content.last = n.seq-1, open, place{}
	e.record.goOn(e.frames)
}

// end takes over how a run ended.
func (l *loader) end(e *runEntry[fileRun], at place, n *line) {
	var told lineOfEnd
	if json.Unmarshal(n.data, &told) != nil || n.seq != e.frames+2 || e.content.last != told.Terminal.absolute(at) {
		return
	}
	countLine(e, e.content.last)
	countLine(e, at)
	e.frames++
	e.content.last, e.content.open = at, nil
	e.record.end(told.ending)
	if l.copies[n.run] == e {
		delete(l.copies, n.run)
		l.replace(e)
	}
}

// replace takes over a run that may be there already, elsewhere in the log.
func (l *loader) replace(e *runEntry[fileRun]) {
	id := e.record.RunID
	if old := l.entries[id]; old != nil {
		l.gone = append(l.gone, deleteLine(id, old.content.first)...)
	}
	l.put(e)
}

// kept takes over a run in one line.
func (l *loader) kept(at place, n *line) error {
	first, last, ok := cutKept(n.data)
	if !ok {
		return errLine
	}
	t, err := readStart(&line{run: n.run, about: n.about, data: first})
	if err != nil {
		return err
	}
	f := run.ReadFrame(n.seq, engine.EventFailed, last)
	how, err := endingOf(&f)
	if err != nil {
		return errLine
	}
	e := l.entry(&t.summary, at)
	e.content.last, e.frames = at, n.seq
	e.record.end(how)
	l.replace(e)
	return nil
}

// delete forgets a run, if it is the one that begins there.
func (l *loader) delete(segment uint32, runID string, first place) {
	l.runs.bury(segment, runID, first)
	if e := l.entries[runID]; e != nil && e.content.first == first {
		delete(l.entries, runID)
	}
}

// enterAll makes known what was found.
func (l *loader) enterAll() {
	s := l.runs
	all := make([]*runEntry[fileRun], 0, len(l.entries))
	for _, e := range l.found {
		id := e.record.RunID
		if l.entries[id] != e {
			continue // it is kept no more, or elsewhere
		}
		if slices.ContainsFunc(e.content.parts, l.lacks) {
			delete(l.entries, id) // a segment goes when nothing in it is kept
			continue
		}
		if e.content.document.at.Size == 0 && !e.damaged {
			if !l.hurt { // its first lines were lost with the power, so nobody was told of it
				l.gone = append(l.gone, deleteLine(id, e.content.first)...)
				delete(l.entries, id)
				continue
			}
			l.hurtRun(e)
		}
		if e.content.open != nil {
			e.content.last, e.record.FinishedAt = place{}, 0
		}
		if e.damaged && e.running() {
			e.record.FinishedAt = e.record.StartedAt
		}
		all = append(all, e)
	}
	for _, e := range all {
		d := e.content.document
		d.refs++
		s.documents[d.digest] = d
		s.weigh(e.content.parts, 1)
	}
	for _, d := range s.documents {
		if d.at.Size > 0 {
			s.segment(d.at.Segment).live += int64(d.at.Size)
		}
	}
	s.index.addAll(all, l.entries)
}
