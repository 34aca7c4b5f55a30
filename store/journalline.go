package store

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"strconv"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/run"
)

// A journal is a text file of lines, each a record of its own:
//
//	checksum length number name data
//
// The first three are 32 bits in hexadecimal: the CRC-32C of all that follows the
// checksum, how many bytes name, space and data take, and the number of the
// frame. The data is JSON. What comes before the first frame has the number 0:
//
//	run    what every search has to know (runSummary)
//	start  the rest of run.Start
//
// A terminal frame is followed by what tells how the run ended without a look at
// that frame, which may be big:
//
//	end    lineEnd, with the number after that of the terminal frame
const (
	journalVersion = 1
	headSize       = 27           // of a line, up to its name
	lineOverhead   = headSize + 2 // what is neither name nor data

	lineRun   = "run"
	lineStart = "start"
	lineFinal = "end"
)

// lineEnd is the data of the line behind a terminal frame.
type lineEnd struct {
	ending
	Offset int64 `json:"offset"` // of the terminal frame
}

// errLine says that there is no whole line with the right checksum and number.
var errLine = errors.New("not a line of a journal")

// line is one record of a journal.
type line struct {
	seq  int
	name string
	data []byte
	size int64 // in the file
}

// frame returns the frame that a line holds.
func (l *line) frame() run.Frame { return run.ReadFrame(l.seq, engine.EventName(l.name), l.data) }

// appendLine appends a record to dst.
func appendLine(dst []byte, seq int, name string, data []byte) ([]byte, error) {
	length := len(name) + 1 + len(data)
	if length > math.MaxUint32 || seq > math.MaxUint32 {
		return nil, fmt.Errorf("frame %d of %d bytes is more than a journal can hold", seq, len(data))
	}
	from := len(dst)
	dst = append(appendHex(dst, 0), ' ')
	dst = append(appendHex(dst, uint32(length)), ' ')
	dst = append(appendHex(dst, uint32(seq)), ' ')
	dst = append(append(dst, name...), ' ')
	dst = append(append(dst, data...), '\n')
	sum := crc32.Checksum(dst[from+8:], crc32.MakeTable(crc32.Castagnoli))
	appendHex(dst[:from], sum) // over the 0
	return dst, nil
}

func appendHex(dst []byte, n uint32) []byte {
	var b [4]byte
	binary.BigEndian.PutUint32(b[:], n)
	return hex.AppendEncode(dst, b[:])
}

// lineReader reads the lines of a part of a journal in order.
type lineReader struct {
	r   *bufio.Reader
	at  int64 // where the next line begins
	end int64
}

const readBuffer = 32 << 10

// readLines reads what stands between two offsets.
func readLines(f io.ReaderAt, from, end int64, buffer int) *lineReader {
	return &lineReader{bufio.NewReaderSize(io.NewSectionReader(f, from, end-from), buffer), from, end}
}

// peek returns the size of the next line without reading it, or io.EOF if there
// is none, or errLine.
func (l *lineReader) peek() (int64, error) {
	if l.at == l.end {
		return 0, io.EOF
	}
	head, err := l.r.Peek(headSize)
	if err != nil && !errors.Is(err, io.EOF) {
		return 0, err
	}
	size, ok := lineSize(head)
	if !ok || size > l.end-l.at {
		return 0, errLine
	}
	return size, nil
}

// lineSize returns the size of the line that begins with head.
func lineSize(head []byte) (int64, bool) {
	if len(head) < headSize {
		return 0, false
	}
	length, err := strconv.ParseUint(string(head[9:17]), 16, 32)
	return headSize + int64(length) + 1, err == nil
}

// next reads the line with the number seq. Its errors are those of peek.
func (l *lineReader) next(seq int) (line, error) {
	size, err := l.peek()
	if err != nil {
		return line{}, err
	}
	text := make([]byte, size)
	if _, err := io.ReadFull(l.r, text); err != nil {
		return line{}, err
	}
	got, err := parseLine(text)
	if err != nil {
		return line{}, err
	}
	if got.seq != seq {
		return line{}, errLine
	}
	l.at += size
	return got, nil
}

// skip passes over a line without looking at more than its length.
func (l *lineReader) skip() error {
	size, err := l.peek()
	if err == nil {
		_, err = l.r.Discard(int(size))
		l.at += size
	}
	return err
}

// parseLine reads text, which should be one whole line.
func parseLine(text []byte) (line, error) {
	if len(text) <= headSize || text[len(text)-1] != '\n' {
		return line{}, errLine
	}
	sum := appendHex(nil, crc32.Checksum(text[8:], crc32.MakeTable(crc32.Castagnoli)))
	if !bytes.Equal(sum, text[:8]) {
		return line{}, errLine
	}
	seq, err := strconv.ParseUint(string(text[18:26]), 16, 32)
	name, data, ok := bytes.Cut(text[headSize:len(text)-1], []byte{' '})
	if err != nil || !ok {
		return line{}, errLine
	}
	return line{seq: int(seq), name: string(name), data: data, size: int64(len(text))}, nil
}

// torn reports whether what stands between two offsets is what a crash leaves
// behind, and not damage. A process that dies leaves a line without its end. A
// machine leaves zeros, of which JSON has none, where it had not written yet: up
// to the end of a block or of the file. One zero alone may be a flipped bit.
func torn(f io.ReaderAt, from, end int64) (bool, error) {
	const block = 512
	r := bufio.NewReaderSize(io.NewSectionReader(f, from, end-from), readBuffer)
	head, _ := r.Peek(headSize) // its error comes again
	size, ok := lineSize(head)
	cut := len(head) < headSize || ok && size > end-from
	zeros := 0
	for at := from; ; at++ {
		switch b, err := r.ReadByte(); {
		case errors.Is(err, io.EOF):
			return cut || zeros > 0, nil
		case err != nil:
			return false, err
		case b == 0:
			cut = false
			zeros++
		case zeros > 1 && at%block == 0:
			return true, nil
		default:
			cut = cut && b != '\n'
			zeros = 0
		}
	}
}
