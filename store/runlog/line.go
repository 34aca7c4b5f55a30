package runlog

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"math"
	"slices"
	"strconv"

	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/store/internal/runtext"
	"github.com/svcflow/svc/store/internal/vfs"
)

// The log of runs consists of lines of text:
//
//	checksum length number run name about data
//
// The first three fields are 32 bits in hexadecimal: the CRC-32C of everything after the checksum,
// the number of bytes from the run's id to the end of the data, and a sequence number. A line ends
// with a line feed and contains no other. The name says what the line holds:
//
//	document  a workflow, shared by all runs that name its digest; its run is -
//	start     the start of a run; its frames follow
//	copy      the same, of a moved run that only counts once its end line is there
//	value     a large value of a run, stored once
//	end       how a run ended and where its lines are; its number is the last frame's plus 1
//	kept      a complete run that had ended when it was recorded
//	void      frames from this number on do not count, since their sync failed
//	delete    a tombstone: the run whose first line is at that position was removed
//	key       an idempotency key whose start line was removed
//
// Any other name is the name of a frame, whose number is the sequence number. For the field about
// see runtext.About: it says where large values belong in the data of a frame.
const (
	headSize = 27 // size of a line up to the id of its run

	lineDocument = "document"
	lineStart    = "start"
	lineCopy     = "copy"
	lineValue    = "value"
	lineEnd      = "end"
	lineWholeRun = "kept"
	lineVoid     = "void"
	lineDelete   = "delete"
	lineKey      = "key"

	noRun = "-"
)

// line is one record of the log.
type line struct {
	seq   int
	run   string
	name  string
	about string
	data  []byte
	size  int64 // of the whole line in the file
}

// appendLine appends a record to dst.
func appendLine(dst []byte, l *line) ([]byte, error) {
	if l.seq > math.MaxInt32 {
		return nil, fmt.Errorf("frame %d is more than a log can hold", l.seq)
	}
	from := len(dst)
	return endLine(append(beginLine(dst, l.seq, l.run, l.name, l.about), l.data...), from)
}

// beginLine appends the fields of a record to dst. The caller appends the data and then calls
// [endLine].
func beginLine(dst []byte, seq int, runID, name, about string) []byte {
	dst = append(appendHex(dst, 0), ' ')
	dst = append(appendHex(dst, 0), ' ')
	dst = append(appendHex(dst, uint32(seq)), ' ')
	dst = append(append(dst, runID...), ' ')
	dst = append(append(dst, name...), ' ')
	return append(append(dst, about...), ' ')
}

// endLine fills in length and checksum of the record that begins at from.
func endLine(dst []byte, from int) ([]byte, error) {
	length := len(dst) - from - headSize
	if length > math.MaxInt32 {
		return nil, fmt.Errorf("a frame of %d bytes is more than a log can hold", length)
	}
	dst = append(dst, '\n')
	appendHex(dst[:from+9], uint32(length)) // overwrites the zeros of beginLine
	appendHex(dst[:from], crc32.Checksum(dst[from+8:], vfs.Castagnoli))
	return dst, nil
}

func appendHex(dst []byte, n uint32) []byte {
	var b [4]byte
	binary.BigEndian.PutUint32(b[:], n)
	return hex.AppendEncode(dst, b[:])
}

// lineSize returns the size of the line that begins with head.
func lineSize(head []byte) (int64, bool) {
	if len(head) < headSize || head[8] != ' ' || head[17] != ' ' || head[26] != ' ' {
		return 0, false
	}
	length, err := strconv.ParseUint(string(head[9:17]), 16, 31)
	return headSize + int64(length) + 1, err == nil
}

// lineOf reports whether text begins like a line of the run.
func lineOf(text []byte, runID string) bool {
	return len(text) > headSize+len(runID) && text[headSize+len(runID)] == ' ' &&
		string(text[headSize:headSize+len(runID)]) == runID
}

// parseLine parses text, which must be exactly one line, and checks its checksum.
func parseLine(text []byte) (line, error) {
	if size, ok := lineSize(text); !ok || size != int64(len(text)) || text[len(text)-1] != '\n' {
		return line{}, runtext.ErrLine
	}
	var sum [8]byte
	appendHex(sum[:0], crc32.Checksum(text[8:], vfs.Castagnoli))
	if !bytes.Equal(sum[:], text[:8]) {
		return line{}, runtext.ErrLine
	}
	l, ok := cutLine(text)
	if !ok {
		return line{}, runtext.ErrLine
	}
	l.data = text[len(text)-1-len(l.data) : len(text)-1]
	return l, nil
}

// cutLine parses the fields of a line whose data may be incomplete. It does not check the checksum.
func cutLine(text []byte) (line, bool) {
	size, ok := lineSize(text)
	if !ok {
		return line{}, false
	}
	seq, err := strconv.ParseUint(string(text[18:26]), 16, 31)
	id, rest, ok1 := bytes.Cut(text[headSize:], []byte{' '})
	name, rest, ok2 := bytes.Cut(rest, []byte{' '})
	about, rest, ok3 := bytes.Cut(rest, []byte{' '})
	data := bytes.TrimSuffix(rest, []byte{'\n'})
	return line{int(seq), string(id), string(name), string(about), data, size}, err == nil && ok1 && ok2 && ok3
}

// startLine returns the first line of a run: its summary, a tab, which JSON never contains, and its
// inputs.
func startLine(t *runtext.StartText, name string) *line {
	data := append(t.Summary.Append(make([]byte, 0, runtext.SummaryRoom+len(t.Inputs.Data))), '\t')
	about := run.Frame{Holes: slices.Clone(t.Inputs.Holes)}
	for i := range about.Holes {
		about.Holes[i].At += len(data)
	}
	return &line{run: t.Summary.RunID, name: name, about: runtext.About(&about), data: append(data, t.Inputs.Data...)}
}

// readStart parses a start or copy line.
func readStart(l *line) (*runtext.StartText, error) {
	summary, rest, ok := bytes.Cut(l.data, []byte{'\t'})
	t := &runtext.StartText{}
	var err error
	if t.Summary, err = runtext.ReadSummary(summary); err != nil || !ok || t.Summary.RunID != l.run {
		return nil, fmt.Errorf("%w of version %d: %.80q", runtext.ErrLine, runtext.LogVersion, l.data)
	}
	about, err := l.frame()
	if err != nil {
		return nil, err
	}
	t.Inputs = run.Frame{Data: rest, Holes: about.Holes}
	for i := range t.Inputs.Holes {
		if t.Inputs.Holes[i].At -= len(summary) + 1; t.Inputs.Holes[i].At < 0 {
			return nil, runtext.ErrLine
		}
	}
	return t, nil
}

// frame returns the frame of a line.
func (l *line) frame() (run.Frame, error) { return runtext.FrameOf(l.seq, l.name, l.about, l.data) }
