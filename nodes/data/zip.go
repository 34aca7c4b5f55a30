package data

import (
	"context"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"time"

	"github.com/klauspost/compress/zip"

	"github.com/svcflow/svc/engine/limit"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes/data/archive"
	"github.com/svcflow/svc/nodes/reading"
)

type zipIn struct {
	reading.Binary

	Encoding string `port:"encoding" default:"auto" doc:"How names are encoded that do not say it: auto finds it; or a name, such as cp437, cp850, shift_jis or gbk."`
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

// zipHelp is the part of the descriptions that says how names are read.
const zipHelp = "Names are UTF-8 if they say so or are valid, and cp437 otherwise, unless their bytes show another encoding such as Shift_JIS. Backslashes in names are taken as slashes. Both give a warning."

func (d disk) zipListNode() node.Node {
	list := func(ctx context.Context, in zipIn) (out zipListOut, err error) {
		out.Entries = []zipEntry{}
		err = d.withArchive(ctx, in, func(z *zip.Reader, _ int64) error {
			entries, err := archive.Entries(z, in.Encoding, reading.NotesOf(ctx))
			for i := range entries {
				e := &entries[i]
				out.Entries = append(out.Entries, zipEntry{
					Name: e.Name, Bytes: int(min(e.File.UncompressedSize64, 1<<62)), Modified: e.File.Modified.UTC().Format(time.RFC3339), Dir: e.Dir,
				})
			}
			return err
		})
		return out, err
	}
	return reading.Node(node.Func("data.zip_list", "List ZIP", list).
		Aliases("archive, zip content, look into zip", "archiv, zip inhalt, zip anzeigen").
		Example(map[string]any{"path": "orders.zip"}).Doc(
		"Lists what is in a ZIP archive, such as `orders/2026.csv`, without unpacking it. How large entries are is what the archive says. "+zipHelp), "path", "base64")
}

// withArchive opens an archive, calls use with it, and closes it.
func (d disk) withArchive(ctx context.Context, in zipIn, use func(z *zip.Reader, size int64) error) error {
	r, size, err := in.Open(ctx, d.Files)
	if err != nil {
		return err
	}
	defer r.Close()
	z, err := archive.Open(r, size)
	if err != nil {
		return err
	}
	return use(z, size)
}

type zipExtractIn struct {
	zipIn

	Dir     string `port:"dir" doc:"The directory to unpack into; it is created."`
	Pattern string `port:"pattern" default:"*" doc:"Which entries: * stands for any text, ? for one character. Without a slash it is compared with the last part of names."`
}

type zipExtractOut struct {
	Files []string `port:"files" doc:"The files that were written, in the order of the archive."`
	Count int      `port:"count" doc:"How many files were written."`
}

func (d disk) zipExtractNode() node.Node {
	return reading.Node(node.Func("data.zip_extract", "Unpack ZIP", d.zipExtract).
		Aliases("unzip, extract archive, decompress", "entpacken, zip auspacken, archiv entpacken").
		Example(map[string]any{"path": "orders.zip", "dir": "orders"}).Doc(
		"Unpacks a ZIP archive, or those entries that match a pattern such as `*.csv`. Existing files are replaced. "+zipHelp+"\n\n"+
			"Dropped are entries that would lie outside of `dir`, links, encrypted and damaged entries, and those packed in a way other than Deflate, bzip2 or zstd. "+
			"Of entries with the same name the last one is taken, with a warning. What unpacks to more than 200 times its size fails with the name of the entry. "+
			"All files appear at the end: a failure leaves no file, and existing files as they were. All together has to fit into the files folder.").
		Timeout(transferTimeout), "path", "base64")
}

func (d disk) zipExtract(ctx context.Context, in zipExtractIn) (out zipExtractOut, err error) {
	d.Disk = d.In(ctx)
	dir, err := d.Clean(in.Dir)
	if err != nil {
		return out, err
	}
	if _, err := path.Match(in.Pattern, ""); err != nil {
		return out, reading.Invalid("the pattern %q is malformed; a [ needs its ]", reading.Cut(in.Pattern))
	}
	x := archive.Extraction{Dir: dir, Pattern: in.Pattern, Encoding: in.Encoding, Disk: d.Disk, Notes: reading.NotesOf(ctx)}
	err = d.withArchive(ctx, in.zipIn, func(z *zip.Reader, size int64) (err error) {
		out.Files, err = x.Run(ctx, z, size)
		return err
	})
	out.Count = len(out.Files)
	return out, err
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
		return out, reading.TooMuch("there are %d files; an archive has at most %d", len(in.Files), limit.ArchiveEntries)
	}
	d.Disk = d.In(ctx)
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
			return reading.Invalid("%q does not lie below base %q", reading.Cut(name), reading.Cut(base))
		}
		inside = below
	}
	if inside = strings.TrimLeft(inside, "/"); taken[inside] || !fs.ValidPath(inside) {
		return reading.Invalid("%q cannot be in the archive, or stands twice", reading.Cut(inside))
	}
	taken[inside] = true
	header, err := zip.FileInfoHeader(info)
	if err != nil {
		return reading.Failure(err)
	}
	header.Name, header.Method = inside, zip.Deflate
	w, err := z.CreateHeader(header)
	if err != nil {
		return err
	}
	u := archive.NewUnpacking(ctx, f, -1, limit.FilesBytes)
	if _, err = io.Copy(w, u); u.Err != nil {
		return reading.Failure(u.Err)
	}
	return err
}
