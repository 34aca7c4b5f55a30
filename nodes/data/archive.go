package data

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/klauspost/compress/zip"

	"github.com/svcflow/svc/engine/limit"
)

// transferTimeout is the timeout of nodes that read or write whole files.
const transferTimeout = 10 * time.Minute

// openArchive reads the directory of an untrusted archive, up to [maxDirectory] bytes.
func openArchive(r io.ReaderAt, size int64) (*zip.Reader, error) {
	b := &boundedReader{r: r, left: maxDirectory}
	z, err := zip.NewReader(b, size)
	if b.exceeded || z != nil && len(z.File) > limit.ArchiveEntries {
		return nil, tooMuch("the archive has more than %d entries", limit.ArchiveEntries)
	}
	if err != nil {
		return nil, wrong("the archive cannot be read: %s", err)
	}
	b.left = -1 // entries have their own limits
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

// checkArchive refuses an archive that unpacks to more than most bytes. It unpacks the archive
// and discards the output, since libraries trust the sizes in its directory, which may be
// wrong.
func checkArchive(ctx context.Context, r io.ReaderAt, size, most int64) error {
	z, err := openArchive(r, size)
	if err != nil {
		return err
	}
	for _, f := range z.File {
		n, err := unpackedSize(f, most)
		if err != nil {
			return wrong("entry %q cannot be unpacked: %s", cut(f.Name), err)
		}
		if most -= n; most < 0 {
			return tooMuch("entry %q: what is in the archive unpacks to more than %d bytes", cut(f.Name), limit.Unpacked)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}

func unpackedSize(f *zip.File, most int64) (int64, error) {
	r, err := f.Open()
	if err != nil {
		return 0, err
	}
	defer r.Close()
	return io.Copy(io.Discard, io.LimitReader(r, most+1))
}

// smallEntry is the size up to which the compression ratio does not matter.
const smallEntry = 1 << 20

// tooDense reports whether the compression ratio is that of a decompression bomb.
func tooDense(unpacked, packed int64) bool {
	return unpacked > smallEntry && unpacked/limit.ArchiveRatio > packed
}
