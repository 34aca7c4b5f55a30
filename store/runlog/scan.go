package runlog

import (
	"bufio"
	"bytes"
	"errors"
	"hash/crc32"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/store/internal/runindex"
	"github.com/svcflow/svc/store/internal/runtext"
	"github.com/svcflow/svc/store/internal/vfs"
)

const (
	scanBuffer = 256 << 10
	// scanWhole is the longest line that is held in memory. Of longer lines only scanHead bytes are
	// held, and the checksum is computed while reading.
	scanWhole = 1 << 20
	scanHead  = 8 << 10
)

// scan applies the lines of a segment and returns the end of the last one.
func (l *loader) scan(number uint32) (int64, error) {
	s := l.runs
	f, err := s.disk.Open(s.out.path(number), os.O_RDONLY)
	if err != nil {
		return 0, err
	}
	defer func() { _ = f.Close() }() // only read
	size, err := f.Size()
	if err != nil {
		return 0, err
	}
	r := &scanner{file: f, size: size}
	r.seek(0)
	l.unreadable = false
	var end int64
	for r.at < size {
		at := r.at
		n, err := r.next()
		if err == nil {
			err = l.apply(logPos{number, uint32(at), uint32(r.at - at)}, n)
		}
		switch {
		case err == nil:
			end = r.at
		case errors.Is(err, runtext.ErrLine):
			region, torn, err := r.resync(at)
			if err != nil {
				return 0, err
			}
			l.unreadable = true
			if !torn {
				l.damage(number, at, region)
				end = r.at
			}
		default:
			return 0, err
		}
	}
	return end, nil
}

// scanner reads the lines of a segment in order.
type scanner struct {
	file vfs.File
	size int64
	r    *bufio.Reader
	at   int64
	text []byte // buffer of the last line that was not long; reused
}

func (r *scanner) seek(at int64) {
	section := io.NewSectionReader(r.file, at, r.size-at)
	if r.at = at; r.r == nil {
		r.r = bufio.NewReaderSize(section, scanBuffer)
	} else {
		r.r.Reset(section)
	}
}

// next reads a line. A long line comes without its data. The line is valid until the next call.
func (r *scanner) next() (*line, error) {
	head, err := r.r.Peek(headSize)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	size, ok := lineSize(head)
	if !ok || size > r.size-r.at {
		return nil, runtext.ErrLine
	}
	if size > scanWhole {
		return r.long(size)
	}
	r.text = slices.Grow(r.text[:0], int(size))[:size]
	if _, err := io.ReadFull(r.r, r.text); err != nil {
		return nil, err
	}
	n, err := parseLine(r.text)
	if err == nil {
		r.at += size
	}
	return &n, err
}

func (r *scanner) long(size int64) (*line, error) {
	head, err := r.r.Peek(scanHead)
	if err != nil {
		return nil, err
	}
	sum, begin := string(head[:8]), bytes.Clone(head)
	_, _ = r.r.Discard(8) // just peeked, so this cannot fail
	hash := crc32.New(vfs.Castagnoli)
	if _, err := io.CopyN(hash, r.r, size-8); err != nil {
		return nil, err
	}
	n, ok := cutLine(begin)
	if !ok || string(appendHex(nil, hash.Sum32())) != sum {
		return r.longAbout(size, sum, hash.Sum32())
	}
	r.at += size
	return &n, nil
}

// longAbout reads a line whose fields exceed scanHead. The terminal frame of a run with many nodes
// has such a line.
func (r *scanner) longAbout(size int64, sum string, got uint32) (*line, error) {
	if string(appendHex(nil, got)) != sum {
		return nil, runtext.ErrLine
	}
	text := make([]byte, size)
	if _, err := r.file.ReadAt(text, r.at); err != nil {
		return nil, err
	}
	n, err := parseLine(text)
	if err == nil {
		r.at += size
	}
	return &n, err
}

// resync skips bytes that begin at from and are not a valid line. It returns their beginning, and
// whether a crash explains them: bytes that were never written, or the end of the file. Valid lines
// contain no zeros; a single zero may be a flipped bit.
func (r *scanner) resync(from int64) (region []byte, torn bool, err error) {
	head := make([]byte, headSize)
	n, err := r.file.ReadAt(head, from)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, false, err
	}
	size, sized := lineSize(head[:n])
	r.seek(from)
	zeros, torn := 0, true
	for torn && r.at < r.size {
		part, err := r.r.Peek(int(min(r.size-r.at, scanBuffer)))
		if err != nil {
			return nil, false, err
		}
		if sized && size > r.at-from && int64(len(part)) >= size-(r.at-from) {
			part, torn = part[:size-(r.at-from)], false
		}
		if n := bytes.IndexByte(part, '\n'); n >= 0 {
			part, torn = part[:n+1], false
		}
		zeros += bytes.Count(part, []byte{0})
		region = append(region, part[:min(len(part), max(0, scanWhole-len(region)))]...)
		_, _ = r.r.Discard(len(part)) // just peeked, so this cannot fail
		r.at += int64(len(part))
	}
	if len(region) > 0 && (region[0] == 0 || region[len(region)-1] == 0) {
		torn = true // a flipped bit does not turn a digit or a line feed into a zero
	}
	return region, torn || zeros > 1, nil
}

// damage reports a region of a segment that cannot be read and marks its runs as damaged. Whatever
// kind of line it was, it contains the run's id, usually more than once.
func (l *loader) damage(number uint32, at int64, region []byte) {
	l.corrupt = true
	l.runs.log.Error("the log of runs is damaged", "file", segmentName(number), "offset", at, "bytes", len(region))
	ids := map[string]bool{}
	if n, ok := cutLine(region); ok {
		ids[n.run] = true
	}
	if _, rest, ok := bytes.Cut(region, []byte(`"runId":"`)); ok {
		id, _, _ := strings.Cut(string(rest[:min(len(rest), runtext.LongestRunID+1)]), `"`)
		ids[id] = true
	}
	known := false
	for id := range ids {
		if e := l.entries[id]; e != nil {
			l.markDamaged(e)
			known = true
		}
		delete(l.copies, id)
	}
	for id := range ids {
		if !known && runtext.IsRunID(id) && id != noRun {
			l.markDamaged(l.unknown(id, number, at, len(region)))
		}
	}
}

func (l *loader) markDamaged(e *runindex.Entry[fileRun]) {
	if !e.Damaged {
		e.Damaged = true
		l.runs.log.Error("a run cannot be read", "run", e.Record.RunID, "file", segmentName(e.Content.first.Segment))
	}
}

// unknown adds an entry for a run whose first line is damaged.
func (l *loader) unknown(id string, number uint32, at int64, size int) *runindex.Entry[fileRun] {
	e := &runindex.Entry[fileRun]{
		Record:  runindex.Brief{RunID: id, Status: engine.StatusFailed},
		Content: fileRun{first: logPos{number, uint32(at), uint32(size)}, document: l.documentFor(run.Digest{})},
	}
	l.put(e)
	return e
}
