package archive

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"strings"

	"github.com/klauspost/compress/gzip"

	"github.com/svcflow/svc/engine/limit"
	"github.com/svcflow/svc/nodes/reading"
)

// Unpacking reads unpacked data, and fails if it is too large or a decompression bomb.
type Unpacking struct {
	N           int64 // bytes read
	Dense, Over bool  // the ratio, or the size, is too large
	Err         error // of the data

	ctx          context.Context
	r            io.Reader
	packed, left int64
}

// NewUnpacking returns a reader of at most left bytes that are unpacked from packed bytes. A
// negative packed means no limit of the ratio.
func NewUnpacking(ctx context.Context, r io.Reader, packed, left int64) *Unpacking {
	return &Unpacking{ctx: ctx, r: r, packed: packed, left: left}
}

// Read implements [io.Reader].
func (u *Unpacking) Read(p []byte) (int, error) {
	if u.ctx.Err() != nil {
		return 0, u.ctx.Err()
	}
	n, err := u.r.Read(p)
	u.N += int64(n)
	u.Dense = u.packed >= 0 && tooDense(u.N, u.packed)
	u.Over = u.N > u.left
	if u.Dense || u.Over {
		return 0, errors.New("too much")
	}
	if err != nil && err != io.EOF {
		u.Err = err
	}
	return n, err
}

// smallEntry is the size up to which the compression ratio does not matter.
const smallEntry = 1 << 20

// tooDense reports whether the compression ratio is that of a decompression bomb.
func tooDense(unpacked, packed int64) bool {
	return unpacked > smallEntry && unpacked/limit.ArchiveRatio > packed
}

// Gunzip writes what the size bytes of r unpack to. All members are unpacked. Zeros after
// them are ignored, as tapes have them; other bytes are ignored and noted.
func Gunzip(ctx context.Context, w io.Writer, r io.Reader, size int64, notes *reading.Notes) error {
	b := bufio.NewReaderSize(r, 64<<10)
	head, _ := b.Peek(8) // the reader reports errors
	begin := string(head)
	z, err := gzip.NewReader(b)
	if err != nil {
		return reading.Invalid("it is no gzip: %s", notGzip(begin, err))
	}
	u := NewUnpacking(ctx, &members{z: z, b: b, notes: notes}, size, limit.FilesBytes)
	_, err = io.Copy(w, u)
	switch {
	case u.Dense:
		return reading.TooMuch("it unpacks to more than %d times its size", limit.ArchiveRatio)
	case u.Over:
		return reading.TooMuch("it unpacks to more than %d bytes", limit.FilesBytes)
	case u.Err != nil && ctx.Err() == nil:
		return reading.Invalid("it is damaged: %s", u.Err)
	}
	return err
}

func notGzip(head string, err error) string {
	for _, other := range []struct{ magic, name string }{{"PK", "ZIP"}, {"BZh", "bzip2"}, {"\xfd7zXZ", "xz"}, {"\x28\xb5\x2f\xfd", "zstd"}, {"7z\xbc\xaf", "7z"}} {
		if strings.HasPrefix(head, other.magic) {
			return "it is " + other.name
		}
	}
	return err.Error()
}

// members reads the members of a gzip file.
type members struct {
	z     *gzip.Reader
	b     *bufio.Reader
	notes *reading.Notes
	begun bool
	done  bool
}

// Read implements [io.Reader].
func (m *members) Read(p []byte) (int, error) {
	for !m.done {
		if !m.begun {
			m.z.Multistream(false)
			m.begun = true
		}
		n, err := m.z.Read(p)
		if !errors.Is(err, io.EOF) {
			return n, err
		}
		if err := m.next(); err != nil {
			return n, err
		}
		if n > 0 {
			return n, nil
		}
	}
	return 0, io.EOF
}

// next begins the next member, or ends the reading.
func (m *members) next() error {
	head, err := m.b.Peek(2)
	if err != nil && err != io.EOF {
		return err
	}
	if string(head) == "\x1f\x8b" {
		m.begun = false
		return m.z.Reset(m.b)
	}
	m.done = true
	return m.ignoreRest()
}

// ignoreRest reads what follows the members.
func (m *members) ignoreRest() error {
	count, zeros := 0, true
	buf := make([]byte, 32<<10)
	for {
		n, err := m.b.Read(buf)
		count += n
		zeros = zeros && len(bytes.Trim(buf[:n], "\x00")) == 0
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
	}
	if !zeros {
		m.notes.Repaired(0, "", "%d bytes after the end of the compressed data are no gzip; they are ignored", count)
	}
	return nil
}
