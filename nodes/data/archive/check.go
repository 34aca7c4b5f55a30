package archive

import (
	"context"
	"io"

	"github.com/klauspost/compress/zip"

	"github.com/svcflow/svc/engine/limit"
	"github.com/svcflow/svc/nodes/reading"
)

// Check refuses an archive that unpacks to more than most bytes. It unpacks the archive and
// discards the output, since libraries trust the sizes in its directory, which may be wrong.
func Check(ctx context.Context, r io.ReaderAt, size, most int64) error {
	z, err := Open(r, size)
	if err != nil {
		return err
	}
	for _, f := range z.File {
		n, err := unpackedSize(f, most)
		if err != nil {
			return reading.Invalid("entry %q cannot be unpacked: %s", reading.Cut(f.Name), damage(err))
		}
		if most -= n; most < 0 {
			return reading.TooMuch("entry %q: what is in the archive unpacks to more than %d bytes", reading.Cut(f.Name), limit.Unpacked)
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
