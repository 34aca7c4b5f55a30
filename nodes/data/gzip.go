package data

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"io"

	"github.com/klauspost/compress/gzip"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes/data/archive"
	"github.com/svcflow/svc/nodes/reading"
)

type gzipIn struct {
	reading.Binary

	To *string `port:"to,optional" widget:"file" doc:"The file to write; the result comes out as base64 if it is not given."`
}

type gzipOut struct {
	Path   *string `port:"path" doc:"The file, as the other file nodes take it."`
	Base64 *string `port:"base64" doc:"The result as base64, if it went into no file."`
	Bytes  int     `port:"bytes" doc:"How many bytes the result has."`
}

func (d disk) gzipNode() node.Node {
	return fromBytes(node.Func("data.gzip", "Compress", func(ctx context.Context, in gzipIn) (gzipOut, error) {
		return d.convert(ctx, in, func(w io.Writer, r io.Reader, _ int64) error {
			z := gzip.NewWriter(w)
			_, err := io.Copy(z, r)
			return errors.Join(err, z.Close())
		})
	}).
		Aliases("gzip, compress, gz, pack", "gzip, komprimieren, gz, packen").
		Example(map[string]any{"base64": "aGVsbG8="}).Timeout(transferTimeout).Doc(
		"Compresses a file, or bytes as base64, with gzip: from `path` = `log.txt` to `to` = `log.txt.gz`."))
}

func (d disk) gunzipNode() node.Node {
	return reading.Node(node.Func("data.gunzip", "Decompress", func(ctx context.Context, in gzipIn) (gzipOut, error) {
		return d.convert(ctx, in, func(w io.Writer, r io.Reader, size int64) error {
			return archive.Gunzip(ctx, w, r, size, reading.NotesOf(ctx))
		})
	}).
		Aliases("gunzip, decompress, gz, unpack", "gunzip, dekomprimieren, gz, entpacken").
		Example(map[string]any{"base64": "H4sIAAAAAAAA/8tIzcnJBwCGphA2BQAAAA=="}).Timeout(transferTimeout).Doc(
		"Decompresses what gzip has compressed: from `path` = `log.txt.gz` to `to` = `log.txt`. Several members are unpacked one after the other; bytes after the last one are ignored, with a warning unless they are zeros. "+
			"What unpacks to more than 200 times its size is refused, and so is more than 64 MiB unless it goes into a file."), "path", "base64")
}

// fromBytes lets n refuse a config with both path and base64, or with neither.
func fromBytes(n node.Node) node.Node {
	bind := n.Bind
	n.Bind = func(b node.Binding) (node.Bound, []node.Problem) {
		bound, problems := bind(b)
		given := func(port string) bool { return b.Config[port] != nil || b.Wired(port) }
		if given("path") == given("base64") {
			problems = append(problems, node.Invalid("path", "give either path or base64 to read"))
		}
		return bound, problems
	}
	return n
}

// convert passes the input through to, and writes the result to a file or returns it as
// base64.
func (d disk) convert(ctx context.Context, in gzipIn, to func(w io.Writer, r io.Reader, size int64) error) (out gzipOut, err error) {
	r, size, err := in.Open(ctx, d.Files)
	if err != nil {
		return out, err
	}
	defer r.Close()
	if in.To == nil {
		b := &boundedBuffer{ctx: ctx}
		if err := to(b, r, size); err != nil {
			return out, err
		}
		text := base64.StdEncoding.EncodeToString(b.Bytes())
		return gzipOut{Base64: &text, Bytes: b.Len()}, nil
	}
	d.Disk = d.In(ctx)
	name, err := d.Clean(*in.To)
	if err != nil {
		return out, err
	}
	out.Path = &name
	out.Bytes, err = d.Save(name, func(w io.Writer) error { return to(w, r, size) })
	return out, err
}

// boundedBuffer is a buffer of at most maxText bytes.
type boundedBuffer struct {
	bytes.Buffer

	ctx context.Context
}

// Write implements [io.Writer].
func (b *boundedBuffer) Write(p []byte) (int, error) {
	if b.Len()+len(p) > maxText {
		return 0, reading.TooMuch("the result has more than %d bytes; write it into a file by to", maxText)
	}
	if err := node.Hold(b.ctx, 3*len(p)); err != nil {
		return 0, err
	}
	return b.Buffer.Write(p)
}
