package ionode

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/nodes/charset"
)

type readIn struct {
	Path      string `port:"path" widget:"file" doc:"The file."`
	Encoding  string `port:"encoding" default:"auto" doc:"How the file is encoded: auto finds it; base64 puts the bytes into content; or a name, such as windows-1252 or shift_jis."`
	OnMissing string `port:"onMissing,optional,literal" enum:"fail|absent" doc:"What to do if the file does not exist: fail, or say so by exists. Not set, it fails unless exists is wired."`
	MaxBytes  int    `port:"maxBytes" default:"10485760" doc:"Largest file to read, in bytes; at most 104857600."`
}

type readOut struct {
	Content  *string `port:"content,optional" doc:"What is in the file; does not come if there is none."`
	Encoding string  `port:"encoding" enum:"text|base64" doc:"What content holds: text, or the bytes in base64."`
	Exists   bool    `port:"exists" doc:"Whether the file exists."`
	Bytes    int     `port:"bytes" doc:"Size of the file."`
}

// readNode returns the node io.file_read.
func (d disk) readNode() node.Node {
	n := node.FuncFor("io.file_read", "Read file", d.reader).
		Aliases("open file, load, cat", "datei lesen, laden, öffnen").
		Example(map[string]any{"path": "notes.txt"}).Doc(
		"Reads a file: as text, whose encoding is found, or in base64 if it is no text; `encoding` says which. A file that does not exist fails with `not_found`, unless something is wired to `exists`: then that is " +
			"false, and `content` does not come. `onMissing` says which of both if the wires are not to decide. Pipes, devices " +
			"and directories are refused; a file over `maxBytes` fails with `limit_exceeded`.\n\n" +
			"On a server paths are relative to its files folder, else to the working directory.\n\n" +
			"Example: `path` = `notes/today.txt`.")
	bind := n.Bind
	n.Bind = func(b node.Binding) (node.Bound, []node.Problem) {
		bound, problems := bind(b)
		bound.Outputs = slices.Clone(bound.Outputs)
		bound.Outputs[0].Optional = missingIsAbsent(b)
		return bound, problems
	}
	return n
}

// missingIsAbsent reports whether a missing file gives an absent output instead of a
// failure.
func missingIsAbsent(b node.Binding) bool {
	if way, given := b.Config["onMissing"].(string); given {
		return way == "absent"
	}
	return b.WiredOutput("exists")
}

func (d disk) reader(b node.Binding) (func(context.Context, readIn) (readOut, error), []node.Problem) {
	absent := missingIsAbsent(b)
	return func(ctx context.Context, in readIn) (readOut, error) { return d.read(ctx, in, absent) }, nil
}

func (d disk) read(ctx context.Context, in readIn, absent bool) (readOut, error) {
	if err := checkMaxBytes(in.MaxBytes, highestMaxBytes); err != nil {
		return readOut{}, err
	}
	name, err := d.In(ctx).Clean(in.Path)
	if err != nil {
		return readOut{}, err
	}
	data, err := d.load(ctx, name, in.MaxBytes)
	switch {
	case errors.Is(err, fs.ErrNotExist) && absent:
		return readOut{Encoding: encodingText}, nil
	case err != nil:
		return readOut{}, d.Failed(name, err)
	}
	size := len(data)
	done, err := compute(ctx, size)
	if err != nil {
		return readOut{}, err
	}
	defer done()
	content, encoding, err := textOf(data, in.Encoding)
	if err != nil {
		return readOut{}, permanent(node.CodeInvalidInput, "%q: %w", name, err)
	}
	return readOut{Content: &content, Encoding: encoding, Exists: true, Bytes: size}, nil
}

// textOf returns the content of a file, and whether that is text or base64. With the label
// auto it is text unless it has bytes that no text has; the encoding is found by a byte
// order mark, the file's own declaration, or its bytes.
func textOf(data []byte, label string) (content, encoding string, err error) {
	if label == encodingBase64 || label == charset.Auto && charset.IsBinary(data) && !utf8.Valid(data) {
		text := base64.StdEncoding.AppendEncode(make([]byte, 0, base64.StdEncoding.EncodedLen(len(data))), data)
		return value.Text(text), encodingBase64, nil
	}
	if label == charset.Auto && utf8.Valid(data) {
		return value.Text(bytes.TrimPrefix(data, []byte("\ufeff"))), encodingText, nil
	}
	content, found, replaced, err := charset.Text(data, label, charset.Declared(data))
	if err == nil && replaced > 0 {
		err = fmt.Errorf("%d characters are not valid in %s; name another encoding, or base64", replaced, found)
	}
	return content, encodingText, err
}

// load reads a file of at most limit bytes. The limit also holds for a file that grows in
// the meantime.
func (d disk) load(ctx context.Context, name string, limit int) ([]byte, error) {
	f, info, err := d.Open(name, os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // opened for reading only
	if info.Size() > int64(limit) {
		return nil, tooLarge(strconv.Quote(name), limit)
	}
	if err := node.Hold(ctx, 2*int(info.Size())); err != nil { // for the bytes and the text
		return nil, err
	}
	done, err := compute(ctx, int(info.Size()))
	if err != nil {
		return nil, err
	}
	defer done()
	data := make([]byte, info.Size(), info.Size()+1)
	n, err := io.ReadFull(f, data)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return data[:n], nil // the file has become shorter
	}
	if err != nil {
		return nil, err
	}
	more, longer, err := readAtMost(ctx, f, limit-n) // the file may have grown
	if longer {
		return nil, tooLarge(strconv.Quote(name), limit)
	}
	return append(data, more...), err
}

// computeFrom is the size from which a text is worth a CPU slot.
const computeFrom = 1 << 20

// compute acquires a CPU slot to work on n bytes, if they are many; see [node.Compute].
func compute(ctx context.Context, n int) (done func(), err error) {
	if n < computeFrom {
		return func() {}, nil
	}
	return node.Compute(ctx)
}

// readAtMost reads all of r, unless it is longer than limit, or than the run may hold.
func readAtMost(ctx context.Context, r io.Reader, limit int) (data []byte, longer bool, err error) {
	data, err = io.ReadAll(io.LimitReader(&claimed{Reader: r, ctx: ctx, left: unclaimed}, int64(limit)+1))
	return data, err == nil && len(data) > limit, err
}

// claimed is a reader that reserves the run's memory for what it reads.
type claimed struct {
	io.Reader

	ctx  context.Context
	left int // bytes that may be read before the next reservation
}

// claimBytes is how many bytes are reserved at a time. readTimes is how many copies of them
// exist: the growing buffer, and the text. The first unclaimed bytes are not reserved, so
// that small files do not cost a whole reservation.
const (
	claimBytes = 256 << 10
	readTimes  = 3
	unclaimed  = 16 << 10
)

// Read implements io.Reader.
func (c *claimed) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	if c.left -= n; c.left < 0 {
		c.left += claimBytes
		if held := node.Hold(c.ctx, readTimes*claimBytes); held != nil {
			return n, held
		}
	}
	return n, err
}

func tooLarge(what string, limit int) error {
	return permanent(node.CodeLimitExceeded, "%s is larger than %d bytes; raise maxBytes if that is what you want", what, limit)
}

func checkMaxBytes(n, most int) error {
	if n < 1 || n > most {
		return node.Errorf(node.CodeInvalidInput, "maxBytes is a number from 1 to %d", most)
	}
	return nil
}
