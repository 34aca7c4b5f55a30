// Package archive reads ZIP archives as people have them: names in any encoding, with
// backslashes, twice, or outside of their directory, and entries that cannot be unpacked.
package archive

import (
	"bytes"
	"errors"
	"io"

	"github.com/klauspost/compress/zip"

	"github.com/svcflow/svc/engine/limit"
	"github.com/svcflow/svc/nodes/reading"
)

// Open reads the directory of an untrusted archive, up to [maxDirectory] bytes.
func Open(r io.ReaderAt, size int64) (*zip.Reader, error) {
	b := &boundedReader{r: r, left: maxDirectory}
	z, err := zip.NewReader(b, size)
	if b.exceeded || z != nil && len(z.File) > limit.ArchiveEntries {
		return nil, reading.TooMuch("the archive has more than %d entries", limit.ArchiveEntries)
	}
	if err != nil {
		return nil, reading.Invalid("the archive cannot be read: %s", reason(r, size, err))
	}
	b.left = -1 // entries have their own limits
	register(z)
	return z, nil
}

// maxDirectory is the largest directory of an archive, in bytes.
const maxDirectory = 64 << 20

// boundedReader reads at most left bytes; a negative left means no limit.
type boundedReader struct {
	r        io.ReaderAt
	left     int
	exceeded bool
}

// ReadAt implements [io.ReaderAt].
func (b *boundedReader) ReadAt(p []byte, at int64) (int, error) {
	if b.left >= 0 {
		if b.left -= len(p); b.left < 0 {
			b.left, b.exceeded = 0, true
			return 0, errors.New("too much to read")
		}
	}
	return b.r.ReadAt(p, at)
}

// reason says why the directory of an archive cannot be read.
func reason(r io.ReaderAt, size int64, err error) string {
	head := make([]byte, 8)
	n, _ := r.ReadAt(head, 0) // a short file is one of the reasons
	for _, other := range []struct{ magic, name string }{
		{"7z\xbc\xaf\x27\x1c", "a 7z archive"}, {"Rar!", "a RAR archive"}, {"\x1f\x8b", "gzip"}, {"BZh", "bzip2"}, {"\xfd7zXZ", "xz"}, {"\x28\xb5\x2f\xfd", "zstd"}, {"%PDF", "a PDF"},
	} {
		if bytes.HasPrefix(head[:n], []byte(other.magic)) {
			return "it is " + other.name + ", not ZIP"
		}
	}
	switch {
	case size == 0:
		return "the file is empty"
	case bytes.HasPrefix(head[:n], []byte("PK\x03\x04")):
		return "its end, with the list of its entries, is missing or damaged; the file may be cut off, so get it again"
	case bytes.HasPrefix(head[:n], []byte("PK\x07\x08")):
		return "it is one part of an archive in several parts; join them first"
	}
	return err.Error()
}
