package csvtext

import (
	"bytes"
	"errors"
	"io"
	"slices"

	"github.com/svcflow/svc/engine/limit"
	"github.com/svcflow/svc/nodes/reading"
)

// bufferBytes is the size of the read buffer.
const bufferBytes = 256 << 10

// lines splits text into lines. A line ends with LF, CR LF, CR, or CR CR LF, which programs
// write that translate line ends twice.
type lines struct {
	r     io.Reader
	buf   []byte
	pos   int   // where the next line begins in buf
	lf    int   // the first LF of buf from pos on, or len(buf) if there is none
	err   error // of r; io.EOF at the end
	count int   // number of lines read
	marks bool  // U+FFFD was read
}

func newLines(r io.Reader) lines {
	l := lines{r: r, buf: make([]byte, 0, bufferBytes), lf: -1}
	l.fill()
	return l
}

// next returns the next line and its end. Both are valid until the next call.
func (l *lines) next() (line, end []byte, err error) {
	l.count++
	for {
		if l.lf < l.pos {
			l.lf = indexFrom(l.buf, l.pos, '\n')
		}
		if cr := bytes.IndexByte(l.buf[l.pos:l.lf], '\r'); cr >= 0 {
			if cr += l.pos; cr+3 <= len(l.buf) || l.err != nil {
				return l.take(cr, endsWith(l.buf[cr:]))
			}
		} else if l.lf < len(l.buf) {
			return l.take(l.lf, 1)
		} else if l.err != nil {
			return l.last()
		}
		if len(l.buf)-l.pos > limit.TableRow+2 {
			return nil, nil, l.tooLong(l.count)
		}
		l.fill()
	}
}

func indexFrom(buf []byte, from int, c byte) int {
	if i := bytes.IndexByte(buf[from:], c); i >= 0 {
		return from + i
	}
	return len(buf)
}

// endsWith returns the length of the line end at the beginning of text.
func endsWith(text []byte) int {
	for _, end := range []string{"\r\n", "\r\r\n"} {
		if bytes.HasPrefix(text, []byte(end)) {
			return len(end)
		}
	}
	return 1
}

// take returns the line up to at, whose end has n bytes.
func (l *lines) take(at, n int) (line, end []byte, err error) {
	line, end = l.buf[l.pos:at], l.buf[at:at+n]
	if l.pos = at + n; len(line) > limit.TableRow {
		return nil, nil, l.tooLong(l.count)
	}
	return line, end, nil
}

// last returns the last line if it has no end.
func (l *lines) last() (line, end []byte, err error) {
	if !errors.Is(l.err, io.EOF) {
		return nil, nil, reading.Failure(l.err)
	}
	if l.pos == len(l.buf) {
		l.count--
		return nil, nil, io.EOF
	}
	return l.take(len(l.buf), 0)
}

// fill reads more, until the buffer is full. It grows a buffer that one line fills.
func (l *lines) fill() {
	n := copy(l.buf, l.buf[l.pos:])
	l.buf, l.pos, l.lf = l.buf[:n], 0, -1
	if n == cap(l.buf) {
		l.buf = slices.Grow(l.buf, cap(l.buf))
	}
	for l.err == nil && len(l.buf) < cap(l.buf) {
		var k int
		k, l.err = l.r.Read(l.buf[len(l.buf):cap(l.buf)])
		l.buf = l.buf[:len(l.buf)+k]
	}
	l.marks = l.marks || bytes.Contains(l.buf[max(0, n-2):], []byte("\uFFFD"))
}

// restore makes text, which was the rest of the input, the next lines after line.
func (l *lines) restore(text []byte, line int) {
	l.buf, l.pos, l.lf, l.count = text, 0, -1, line
}

// peek returns up to n bytes that are not read yet.
func (l *lines) peek(n int) []byte {
	return l.buf[l.pos:min(len(l.buf), l.pos+n)]
}

func (l *lines) tooLong(line int) error {
	return reading.TooMuch("line %d: the row is longer than %d bytes; a quote may not be closed, or the delimiter be another one", line, limit.TableRow)
}
