package runlog

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/store/internal/runindex"
	"github.com/svcflow/svc/store/internal/runtext"
	"github.com/svcflow/svc/store/internal/vfs"
)

// loader builds the index in memory when a log is opened: from segment indexes, and by scanning
// segments without one, which is usually only the last segment.
type loader struct {
	runs        *Store
	entries     map[string]*runindex.Entry[fileRun]
	found       []*runindex.Entry[fileRun]          // every entry ever added, in the order found, which is nearly the order of starts
	copies      map[string]*runindex.Entry[fileRun] // copied runs whose end line was not found yet
	orphans     map[string]*openRun                 // values of runs whose first line comes later
	tombstones  []byte                              // delete lines to append to the log
	openByStart map[uint64]*runindex.Entry[fileRun] // unfinished when found, by the position of the first line
	documents   map[run.Digest]*runDocument
	ids         map[string]string // interned workflow ids
	present     map[uint32]bool   // existing segments
	scanned     int               // number of scanned segments
	unreadable  bool              // part of the current segment cannot be read
	corrupt     bool              // damage was found that a power loss does not explain
}

// load builds the index.
func (s *Store) load() error {
	numbers, err := s.listSegments()
	if err != nil {
		return err
	}
	l := &loader{
		runs: s, entries: map[string]*runindex.Entry[fileRun]{}, copies: map[string]*runindex.Entry[fileRun]{},
		openByStart: map[uint64]*runindex.Entry[fileRun]{}, orphans: map[string]*openRun{}, documents: map[run.Digest]*runDocument{}, ids: map[string]string{},
		present: map[uint32]bool{},
	}
	for _, number := range numbers {
		l.present[number] = true
	}
	for some := range slices.Chunk(numbers, indexesAtOnce) {
		if err := l.segments(some, numbers[len(numbers)-1]); err != nil {
			return err
		}
	}
	l.enterAll()
	return l.writeTombstones()
}

// writeTombstones appends the collected delete lines, so that later starts need not find out again
// which runs were removed.
func (l *loader) writeTombstones() error {
	if len(l.tombstones) == 0 {
		return nil
	}
	s := l.runs
	at, err := s.write(l.tombstones)
	if err != nil {
		return err
	}
	s.out.markIndexed(at)
	for text := l.tombstones; len(text) > 0; {
		n := cutBehind(text)
		var first logPos
		if l, err := parseLine(text[:n]); err == nil && json.Unmarshal(l.data, &first) == nil {
			s.addTombstone(at.Segment, l.run, first)
		}
		text = text[n:]
	}
	return nil
}

// listSegments returns the numbers of the existing segments.
func (s *Store) listSegments() ([]uint32, error) {
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

// apply applies one line of the log.
func (l *loader) apply(at logPos, n *line) error {
	switch n.name {
	case lineDocument:
		if d, ok := runtext.ParseDigest(n.about); ok {
			l.documentFor(d).at = at
		}
	case lineStart, lineCopy:
		return l.applyStart(at, n)
	case lineWholeRun:
		return l.applyWholeRun(at, n)
	case lineKey:
		var k runindex.HeldKey
		if json.Unmarshal(n.data, &k) == nil {
			k.Segment = at.Segment
			l.runs.index.Hold(k)
		}
	case lineDelete:
		var first logPos
		if json.Unmarshal(n.data, &first) == nil {
			l.applyDelete(at.Segment, n.run, first)
		}
	default:
		l.applyToRun(at, n)
	}
	return nil
}

func (l *loader) documentFor(d run.Digest) *runDocument {
	doc := l.documents[d]
	if doc == nil {
		doc = &runDocument{digest: d}
		l.documents[d] = doc
	}
	return doc
}

// applyStart applies the first line of a run.
func (l *loader) applyStart(at logPos, n *line) error {
	t, err := readStart(n)
	if err != nil {
		return err
	}
	open := l.valuesBefore(n)
	if !l.hasValues(&fileRun{first: at, open: open}, n) {
		return nil
	}
	e := l.entry(&t.Summary, at)
	e.Content.open = open
	if old := l.entries[n.run]; old != nil {
		e.Damaged = old.Damaged // damage may have been found before this line
	}
	for _, p := range open.values {
		e.Bytes += int64(p.Size)
		e.Content.count(p)
	}
	if n.name == lineCopy {
		l.copies[n.run] = e
	} else {
		l.put(e)
	}
	return nil
}

func (l *loader) put(e *runindex.Entry[fileRun]) {
	l.entries[e.Record.RunID] = e
	l.found = append(l.found, e)
	if e.Content.open != nil {
		l.openByStart[e.Content.first.key()] = e
	}
}

func (l *loader) entry(summary *runtext.Summary, at logPos) *runindex.Entry[fileRun] {
	d, _ := runtext.ParseDigest(summary.Document) // a damaged digest names no known document
	e := &runindex.Entry[fileRun]{
		Record: runindex.BriefOf(summary), Request: runindex.RequestOf(summary), Bytes: int64(at.Size),
		Content: fileRun{first: at, document: l.documentFor(d), parts: []part{partAt(at)}},
	}
	e.Record.WorkflowID = l.intern(e.Record.WorkflowID)
	if e.Request != nil {
		k := e.HeldKey()
		k.Segment = at.Segment
		l.runs.index.Hold(k)
	}
	return e
}

// intern returns one copy of equal strings, since many runs have the same workflow.
func (l *loader) intern(text string) string {
	if same, ok := l.ids[text]; ok {
		return same
	}
	l.ids[text] = text
	return text
}

// applyToRun applies a line of a run that has begun.
func (l *loader) applyToRun(at logPos, n *line) {
	e := l.copies[n.run]
	if e == nil {
		e = l.entries[n.run]
	}
	if e != nil && n.name == lineVoid {
		l.applyVoid(e, n)
		return
	}
	if e == nil || e.Content.open == nil {
		d, ok := runtext.ParseDigest(n.about)
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
		if d, ok := runtext.ParseDigest(n.about); ok {
			e.Content.open.setValue(d, at)
			countLine(e, at)
		}
	case lineEnd:
		l.applyEnd(e, at, n)
	default:
		l.applyFrame(e, at, n)
	}
}

// countLine adds the bytes of a line to its run.
func countLine(e *runindex.Entry[fileRun], at logPos) {
	e.Content.count(at)
	e.Bytes += int64(at.Size)
}

// applyFrame applies a frame if it is the next one of its run. Any other frame comes after a gap
// that a power loss left.
func (l *loader) applyFrame(e *runindex.Entry[fileRun], at logPos, n *line) {
	if n.seq != e.Frames+1 || !runtext.IsFrameName(n.name) || !l.hasValues(&e.Content, n) {
		e.Content.open.apart = true
		return
	}
	if name := engine.EventName(n.name); name.Terminal() {
		f := run.ReadFrame(n.seq, name, n.data)
		how, err := runtext.EndingOf(&f)
		if err != nil {
			return
		}
		e.Content.open.apart = true
		// The run only ends with the end line, which follows.
		e.Content.last, e.Record.FinishedAt = at, runindex.MomentOf(how.FinishedAt)
		return
	}
	e.Content.open.add(at, n.seq)
	e.Count()
	countLine(e, at)
}

// hasValues reports whether all values that the line refers to are known. A power loss may have
// destroyed some.
func (l *loader) hasValues(c *fileRun, n *line) bool {
	var f run.Frame
	err := runtext.ParseAbout(&f, n.about, math.MaxInt)
	for i := range f.Holes {
		if _, ok := c.open.values[f.Holes[i].Digest]; !ok && f.Holes[i].Frame == 0 && !l.foldedHasValue(c, n.run, f.Holes[i].Digest) {
			return false
		}
	}
	return err == nil
}

// applyVoid takes back a terminal frame whose sync failed.
func (l *loader) applyVoid(e *runindex.Entry[fileRun], n *line) {
	var said table
	if json.Unmarshal(n.data, &said) != nil {
		return
	}
	open := &openRun{extents: said.Extents, apart: true}
	open.setValues(said.Values)
	e.Frames, e.Content.open, e.Content.last = n.seq-1, open, logPos{}
	e.Record.SetRunning(e.Frames)
}

// applyEnd applies an end line.
func (l *loader) applyEnd(e *runindex.Entry[fileRun], at logPos, n *line) {
	var told lineOfEnd
	if json.Unmarshal(n.data, &told) != nil || n.seq != e.Frames+2 || e.Content.last != told.Terminal.absolute(at) {
		return
	}
	countLine(e, e.Content.last)
	countLine(e, at)
	e.Frames++
	e.Content.last, e.Content.open = at, nil
	e.Record.End(told.Ending)
	if l.copies[n.run] == e {
		delete(l.copies, n.run)
		l.replace(e)
	}
}

// replace adds a run that may exist elsewhere in the log; a tombstone for the old one is queued.
func (l *loader) replace(e *runindex.Entry[fileRun]) {
	id := e.Record.RunID
	if old := l.entries[id]; old != nil {
		l.tombstones = append(l.tombstones, deleteLine(id, old.Content.first)...)
	}
	l.put(e)
}

// applyWholeRun applies a run that is stored in one line.
func (l *loader) applyWholeRun(at logPos, n *line) error {
	first, last, ok := splitWholeRun(n.data)
	if !ok {
		return runtext.ErrLine
	}
	t, err := readStart(&line{run: n.run, about: n.about, data: first})
	if err != nil {
		return err
	}
	f := run.ReadFrame(n.seq, engine.EventFailed, last)
	how, err := runtext.EndingOf(&f)
	if err != nil {
		return runtext.ErrLine
	}
	e := l.entry(&t.Summary, at)
	e.Content.last, e.Frames = at, n.seq
	e.Record.End(how)
	l.replace(e)
	return nil
}

// applyDelete applies a delete line: it forgets the run whose first line is at first.
func (l *loader) applyDelete(segment uint32, runID string, first logPos) {
	l.runs.addTombstone(segment, runID, first)
	if e := l.entries[runID]; e != nil && e.Content.first == first {
		delete(l.entries, runID)
	}
}

// enterAll moves the runs that were found into the index of the store.
func (l *loader) enterAll() {
	s := l.runs
	all := make([]*runindex.Entry[fileRun], 0, len(l.entries))
	for _, e := range l.found {
		id := e.Record.RunID
		if l.entries[id] != e {
			continue // removed, or replaced by a copy
		}
		if slices.ContainsFunc(e.Content.parts, l.missesSegment) {
			delete(l.entries, id) // only segments without live bytes are removed, so the run was removed, too
			continue
		}
		if e.Content.document.at.Size == 0 && !e.Damaged {
			if !l.corrupt { // its document was lost with the power, so its start was never acknowledged
				l.tombstones = append(l.tombstones, deleteLine(id, e.Content.first)...)
				delete(l.entries, id)
				continue
			}
			l.markDamaged(e)
		}
		if e.Content.open != nil {
			e.Content.last, e.Record.FinishedAt = logPos{}, 0
		}
		if e.Damaged && e.Running() {
			e.Record.FinishedAt = e.Record.StartedAt
		}
		all = append(all, e)
	}
	for _, e := range all {
		d := e.Content.document
		d.refs++
		s.documents[d.digest] = d
		s.countLive(e.Content.parts, 1)
	}
	for _, d := range s.documents {
		if d.at.Size > 0 {
			s.segment(d.at.Segment).live += int64(d.at.Size)
		}
	}
	s.index.AddAll(all, l.entries)
}

// repair restores the log after a failed sync. The operating system may have dropped the pages and
// report success the next time. So repair opens the file again, writes everything since the last
// good sync once more, and syncs. The log accepts no other line before that has succeeded. The
// caller holds mu.
func (l *logWriter) repair() error {
	if !l.broken || l.file == nil {
		return nil
	}
	f, err := l.disk.Open(l.path(l.number), os.O_RDWR)
	if err != nil {
		return err
	}
	if err := l.rewrite(f); err != nil {
		return errors.Join(err, f.Close())
	}
	l.retired = append(l.retired, l.file)
	l.file, l.broken, l.nameUnsynced = f, false, false
	l.synced = logPos{Segment: l.number, From: uint32(l.end)}
	return nil
}

// rewrite reads the log from synced on, checks its lines, and writes them to the same positions
// through f, a new descriptor of the same file.
func (l *logWriter) rewrite(f vfs.File) error {
	from := int64(0)
	if l.synced.Segment == l.number {
		from = int64(l.synced.From)
	}
	text := make([]byte, l.end-from)
	if _, err := f.ReadAt(text, from); err != nil {
		return err
	}
	for rest := text; len(rest) > 0; {
		size, ok := lineSize(rest)
		if ok = ok && size <= int64(len(rest)); ok {
			_, err := parseLine(rest[:size])
			ok = err == nil
		}
		if !ok {
			return fmt.Errorf("what the disk has failed to take of %s is lost; the runs have to be opened again: %w", segmentName(l.number), runtext.ErrLine)
		}
		rest = rest[size:]
	}
	if _, err := f.WriteAt(text, from); err != nil {
		return err
	}
	return errors.Join(f.Sync(), l.disk.SyncDir(l.dir))
}
