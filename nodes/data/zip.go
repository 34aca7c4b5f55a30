package data

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/klauspost/compress/zip"

	"github.com/svcflow/svc/engine/limit"
	"github.com/svcflow/svc/engine/node"
)

type zipIn struct {
	Path string `port:"path" widget:"file" doc:"The archive, below the files folder on a server."`
}

type zipEntry struct {
	Name     string `port:"name"`
	Bytes    int    `port:"bytes"`
	Modified string `port:"modified"`
	Dir      bool   `port:"dir"`
}

type zipListOut struct {
	Entries []zipEntry `port:"entries" doc:"What is in the archive, in its order; modified is RFC 3339 in UTC."`
}

func (d disk) zipListNode() node.Node {
	list := func(_ context.Context, in zipIn) (out zipListOut, err error) {
		out.Entries = []zipEntry{}
		err = d.withArchive(in.Path, func(z *zip.Reader, _ int64) error {
			for _, f := range z.File {
				out.Entries = append(out.Entries, zipEntry{
					Name: entryName(f), Bytes: int(min(f.UncompressedSize64, 1<<62)), Modified: f.Modified.UTC().Format(time.RFC3339), Dir: f.Mode().IsDir(),
				})
			}
			return nil
		})
		return out, err
	}
	return node.Func("data.zip_list", "List ZIP", list).
		Aliases("archive, zip content, look into zip", "archiv, zip inhalt, zip anzeigen").
		Example(map[string]any{"path": "orders.zip"}).Doc(
		"Lists what is in a ZIP archive, such as `orders/2026.csv`, without unpacking it. How large entries are is what the archive says.")
}

// withArchive opens an archive, calls use with it, and closes it.
func (d disk) withArchive(path string, use func(z *zip.Reader, size int64) error) error {
	file, size, err := d.openFile(path)
	if err != nil {
		return err
	}
	defer file.Close() //nolint:errcheck // opened for reading only
	z, err := openArchive(file, size)
	if err != nil {
		return err
	}
	return use(z, size)
}

func entryName(f *zip.File) string { return strings.ToValidUTF8(f.Name, "\uFFFD") }

type zipExtractIn struct {
	zipIn

	Dir     string `port:"dir" doc:"The directory to unpack into; it is created."`
	Pattern string `port:"pattern" default:"*" doc:"Which entries: * stands for any text, ? for one character. Without a slash it is held against names only."`
}

type zipExtractOut struct {
	Files []string `port:"files" doc:"The files that were written, in the order of the archive."`
	Count int      `port:"count" doc:"How many that are."`
}

func (d disk) zipExtractNode() node.Node {
	return node.Func("data.zip_extract", "Unpack ZIP", d.zipExtract).
		Aliases("unzip, extract archive, decompress", "entpacken, zip auspacken, archiv entpacken").
		Example(map[string]any{"path": "orders.zip", "dir": "orders"}).Doc(
		"Unpacks a ZIP archive, or those entries that match a pattern such as `*.csv`. Files that are there already are replaced.\n\n" +
			"An entry that would lie outside of `dir`, a link, and what unpacks to more than 200 times its size fail with the name of the entry; " +
			"files that were written before stay. All together has to fit into the files folder.").
		Timeout(transferTimeout)
}

func (d disk) zipExtract(ctx context.Context, in zipExtractIn) (out zipExtractOut, err error) {
	dir, err := d.Clean(in.Dir)
	if err != nil {
		return out, err
	}
	if _, err := path.Match(in.Pattern, ""); err != nil {
		return out, wrong("the pattern %q is malformed; a [ needs its ]", cut(in.Pattern))
	}
	out.Files = []string{}
	err = d.withArchive(in.Path, func(z *zip.Reader, size int64) error {
		left := int64(limit.FilesBytes)
		if most := limit.ArchiveRatio * size; most > smallEntry {
			left = min(left, most)
		}
		for i, f := range z.File {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if f.Mode().IsDir() || !matches(in.Pattern, f.Name) {
				continue
			}
			name, n, err := d.unpack(ctx, dir, f, left)
			if err != nil {
				return err
			}
			left -= n
			out.Files = append(out.Files, name)
			node.Progress(ctx, i+1, len(z.File), "")
		}
		return nil
	})
	out.Count = len(out.Files)
	return out, err
}

func matches(pattern, name string) bool {
	if !strings.Contains(pattern, "/") {
		name = path.Base(name)
	}
	ok, _ := path.Match(pattern, name) // the pattern was validated before
	return ok
}

// unpack writes one entry of at most left bytes.
func (d disk) unpack(ctx context.Context, dir string, f *zip.File, left int64) (name string, n int64, err error) {
	switch {
	case !filepath.IsLocal(f.Name) || strings.Contains(f.Name, `\`):
		return "", 0, wrong("entry %q would lie outside of the directory, or has a name that is no path; nothing of that kind is unpacked", cut(f.Name))
	case !f.Mode().IsRegular():
		return "", 0, wrong("entry %q is a link or a device; nothing of that kind is unpacked", cut(f.Name))
	}
	if name, err = d.Clean(path.Join(dir, f.Name)); err != nil {
		return "", 0, err
	}
	r, err := f.Open()
	if err != nil {
		return "", 0, wrong("entry %q cannot be unpacked: %s", cut(f.Name), err)
	}
	defer r.Close()
	u := &unpacking{ctx: ctx, r: r, packed: int64(min(f.CompressedSize64, 1<<62)), left: left}
	_, err = d.Save(name, func(w io.Writer) error {
		_, err := io.Copy(w, u)
		return err
	})
	switch {
	case u.dense:
		return "", 0, tooMuch("entry %q unpacks to more than %d times its size", cut(f.Name), limit.ArchiveRatio)
	case u.over:
		return "", 0, tooMuch("entry %q: the archive unpacks to more than %d times its size, or %d bytes", cut(f.Name), limit.ArchiveRatio, limit.FilesBytes)
	case u.err != nil && ctx.Err() == nil:
		return "", 0, wrong("entry %q cannot be unpacked: %s", cut(f.Name), u.err)
	}
	return name, u.n, err
}

// unpacking reads an entry and fails if it is too large or a decompression bomb.
type unpacking struct {
	ctx          context.Context
	r            io.Reader
	packed, left int64
	n            int64
	dense, over  bool
	err          error
}

// Read implements [io.Reader].
func (u *unpacking) Read(p []byte) (int, error) {
	if u.ctx.Err() != nil {
		return 0, u.ctx.Err()
	}
	n, err := u.r.Read(p)
	u.n += int64(n)
	u.dense = u.packed >= 0 && tooDense(u.n, u.packed)
	u.over = u.n > u.left
	if u.dense || u.over {
		return 0, errors.New("too much")
	}
	if err != nil && err != io.EOF {
		u.err = err
	}
	return n, err
}

type zipCreateIn struct {
	Files []string `port:"files" doc:"The files to pack."`
	Path  string   `port:"path" widget:"file" doc:"The archive to write."`
	Base  *string  `port:"base,optional" doc:"The directory that names in the archive begin behind; they are the whole paths without it."`
}

type zipCreateOut struct {
	Path  string `port:"path" doc:"The archive, as the other file nodes take it."`
	Bytes int    `port:"bytes" doc:"How large it is."`
}

func (d disk) zipCreateNode() node.Node {
	return node.Func("data.zip_create", "Make ZIP", d.zipCreate).
		Aliases("zip, pack, compress, archive", "zippen, packen, archivieren, komprimieren").
		Example(map[string]any{"files": []any{"reports/a.csv", "reports/b.csv"}, "path": "reports.zip", "base": "reports"}).Doc(
		"Packs files into a ZIP archive: `reports/a.csv` with base = `reports` is called `a.csv` in it. The archive is whole or untouched.").
		Timeout(transferTimeout)
}

func (d disk) zipCreate(ctx context.Context, in zipCreateIn) (out zipCreateOut, err error) {
	if len(in.Files) > limit.ArchiveEntries {
		return out, tooMuch("there are %d files; an archive has at most %d", len(in.Files), limit.ArchiveEntries)
	}
	if out.Path, err = d.Clean(in.Path); err != nil {
		return out, err
	}
	base := "."
	if in.Base != nil && *in.Base != "" {
		if base, err = d.Clean(*in.Base); err != nil {
			return out, err
		}
	}
	out.Bytes, err = d.Save(out.Path, func(w io.Writer) error {
		z, taken := zip.NewWriter(w), map[string]bool{}
		for i, file := range in.Files {
			if err := d.pack(ctx, z, file, base, taken); err != nil {
				return err
			}
			node.Progress(ctx, i+1, len(in.Files), "")
		}
		return z.Close()
	})
	return out, err
}

func (d disk) pack(ctx context.Context, z *zip.Writer, file, base string, taken map[string]bool) error {
	name, err := d.Clean(file)
	if err != nil {
		return err
	}
	f, info, err := d.Open(name, os.O_RDONLY, 0)
	if err != nil {
		return d.Failed(name, err)
	}
	defer f.Close() //nolint:errcheck // opened for reading only
	inside := name
	if base != "." {
		below, ok := strings.CutPrefix(name, strings.TrimSuffix(base, "/")+"/")
		if !ok {
			return wrong("%q does not lie below base %q", cut(name), cut(base))
		}
		inside = below
	}
	if inside = strings.TrimLeft(inside, "/"); taken[inside] || !fs.ValidPath(inside) {
		return wrong("%q cannot be in the archive, or stands twice", cut(inside))
	}
	taken[inside] = true
	header, err := zip.FileInfoHeader(info)
	if err != nil {
		return readFailure(err)
	}
	header.Name, header.Method = inside, zip.Deflate
	w, err := z.CreateHeader(header)
	if err != nil {
		return err
	}
	u := &unpacking{ctx: ctx, r: f, packed: -1, left: limit.FilesBytes}
	if _, err = io.Copy(w, u); u.err != nil {
		return readFailure(u.err)
	}
	return err
}
