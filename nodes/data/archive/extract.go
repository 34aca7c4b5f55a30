package archive

import (
	"context"
	"errors"
	"io"
	"path"
	"strings"

	"github.com/klauspost/compress/zip"

	"github.com/svcflow/svc/engine/limit"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes/folder"
	"github.com/svcflow/svc/nodes/reading"
)

// Extraction unpacks entries of an archive.
type Extraction struct {
	Dir      string // where to, clean
	Pattern  string // which entries: see [Matches]
	Encoding string // of names; see [Entries]
	Disk     folder.Disk
	Notes    *reading.Notes
}

// Run unpacks the archive of size bytes, and returns the files in its order. They appear
// when all of them are written; after a failure nothing is left, and what was there before
// is unchanged. Entries that cannot be unpacked are dropped. Of entries with the same name the
// last one is taken.
func (x *Extraction) Run(ctx context.Context, z *zip.Reader, size int64) (files []string, err error) {
	batch := x.Disk.Batch()
	defer batch.Discard()
	left := int64(limit.FilesBytes)
	if most := limit.ArchiveRatio * size; most > smallEntry {
		left = min(left, most)
	}
	all, err := Entries(z, x.Encoding, x.Notes)
	if err != nil {
		return nil, err
	}
	entries := x.chosen(all)
	files = []string{}
	for i := range entries {
		if err := errors.Join(ctx.Err(), x.Notes.Err()); err != nil {
			return nil, err
		}
		name, n, err := x.unpack(ctx, batch, &entries[i], left)
		if err != nil {
			return nil, err
		}
		if left -= n; name != "" {
			files = append(files, name)
		}
		node.Progress(ctx, i+1, len(entries), "")
	}
	if err := x.Notes.Err(); err != nil {
		return nil, err
	}
	return files, batch.Commit()
}

// chosen returns the files to unpack, the last one of each name.
func (x *Extraction) chosen(entries []Entry) (files []Entry) {
	last, dirs := map[string]int{}, map[string]bool{}
	for i, e := range entries {
		if e.Dir || !Matches(x.Pattern, e.Name) {
			continue
		}
		clean := path.Clean(e.Name)
		last[clean] = i
		for dir := path.Dir(clean); dir != "." && dir != "/" && !dirs[dir]; dir = path.Dir(dir) {
			dirs[dir] = true
		}
	}
	noted := map[string]bool{}
	for i, e := range entries {
		clean := path.Clean(e.Name)
		at, chosen := last[clean]
		switch {
		case !chosen || e.Dir:
		case dirs[clean]:
			x.drop(e.Name, "other entries have its name as their directory")
		case at == i:
			files = append(files, e)
		case !noted[clean]:
			noted[clean] = true
			x.Notes.Repaired(0, e.Name, "the archive has the name more than once; the last entry is taken")
		}
	}
	return files
}

func (x *Extraction) drop(name, why string) {
	x.Notes.Dropped(0, name, "the entry cannot be unpacked: %s", why)
}

// Matches reports whether a name matches a pattern of [path.Match], which must be valid.
// Without a slash the pattern is compared with the last part of the name.
func Matches(pattern, name string) bool {
	if !strings.Contains(pattern, "/") {
		name = path.Base(name)
	}
	ok, _ := path.Match(pattern, name)
	return ok
}

// unpack writes one entry of at most left bytes. It returns no name if the entry is dropped.
func (x *Extraction) unpack(ctx context.Context, batch *folder.Batch, e *Entry, left int64) (name string, n int64, err error) {
	drop := func(why string) (string, int64, error) {
		x.drop(e.Name, why)
		return "", 0, nil
	}
	if why := e.Refused(); why != "" {
		return drop(why)
	}
	if name, err = x.Disk.Clean(path.Join(x.Dir, e.Name)); err != nil {
		return drop(message(err))
	}
	r, err := e.File.Open()
	if err != nil {
		return drop(damage(err))
	}
	defer r.Close()
	u := NewUnpacking(ctx, r, int64(min(e.File.CompressedSize64, 1<<62)), left)
	_, err = batch.Write(name, func(w io.Writer) error {
		_, err := io.Copy(w, u)
		return err
	})
	switch {
	case u.Dense:
		return "", 0, reading.TooMuch("entry %q unpacks to more than %d times its size", reading.Cut(e.Name), limit.ArchiveRatio)
	case u.Over:
		return "", 0, reading.TooMuch("entry %q: the archive unpacks to more than %d times its size, or %d bytes", reading.Cut(e.Name), limit.ArchiveRatio, limit.FilesBytes)
	case u.Err != nil && ctx.Err() == nil:
		return drop(damage(u.Err))
	}
	return name, u.N, err
}

// damage says what is wrong with the content of an entry.
func damage(err error) string {
	switch {
	case errors.Is(err, zip.ErrChecksum):
		return "its checksum is wrong; it is damaged"
	case errors.Is(err, zip.ErrFormat):
		return "its header is damaged, or lies outside of the archive"
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return "it is cut off"
	}
	return err.Error()
}

func message(err error) string {
	if known, ok := errors.AsType[*node.Error](err); ok {
		return known.Message
	}
	return err.Error()
}
