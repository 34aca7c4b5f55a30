package charset

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"unicode/utf8"
)

// peeked is how many bytes are looked at to find an encoding.
const peeked = 64 << 10

// NewReader is [Text] for data of any size. Without a mark, a label and a declaration, the
// encoding is found when the first byte that is not ASCII is read, from the 64 KiB there.
// Found returns it after reading.
func NewReader(r io.Reader, label, declared string) (*Reader, error) {
	b := bufio.NewReaderSize(r, peeked)
	head, err := b.Peek(peeked)
	if err != nil && !errors.Is(err, io.EOF) && len(head) == 0 {
		return nil, err
	}
	e, mark, err := choose(head, label, declared)
	if err != nil {
		return nil, err
	}
	if _, err := b.Discard(mark); err != nil {
		return nil, err
	}
	out := &Reader{found: e}
	if mark == 0 && e.enc == nil && (label == "" || label == Auto) && ascii(head) {
		out.r = &undecided{b: b, reader: out}
	} else {
		out.r = e.Reader(b)
	}
	return out, nil
}

// Reader decodes a stream. It is not safe for concurrent use.
type Reader struct {
	r     io.Reader
	found Encoding
}

// Found returns the encoding of what was read so far.
func (r *Reader) Found() Encoding { return r.found }

// Read implements [io.Reader].
func (r *Reader) Read(p []byte) (int, error) { return r.r.Read(p) }

// undecided passes ASCII on, until there is a byte that shows the encoding.
type undecided struct {
	b       *bufio.Reader
	reader  *Reader
	decided io.Reader
}

// Read implements [io.Reader].
func (u *undecided) Read(p []byte) (int, error) {
	if u.decided != nil {
		return u.decided.Read(p)
	}
	if len(p) == 0 {
		return 0, nil
	}
	if u.b.Buffered() == 0 {
		if _, err := u.b.Peek(1); err != nil {
			return 0, err
		}
	}
	head, err := u.b.Peek(min(len(p), u.b.Buffered()))
	if err != nil {
		return 0, err
	}
	if plain := asciiPrefix(head); plain > 0 {
		return io.ReadFull(u.b, p[:plain])
	}
	all, _ := u.b.Peek(peeked) // what is there is enough
	u.reader.found = Find(all)
	u.decided = u.reader.found.Reader(u.b)
	return u.decided.Read(p)
}

// asciiPrefix returns how many bytes at the beginning of data are ASCII.
func asciiPrefix(data []byte) int {
	n := 0
	for ; n+8 <= len(data); n += 8 {
		if binary.LittleEndian.Uint64(data[n:])&0x8080808080808080 != 0 {
			break
		}
	}
	for n < len(data) && data[n] < utf8.RuneSelf {
		n++
	}
	return n
}
