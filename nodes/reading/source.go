package reading

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"io"
	"os"
	"strings"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes/charset"
	"github.com/svcflow/svc/nodes/folder"
)

// MaxWhole is the largest input that is read into memory, in bytes.
const MaxWhole = 64 << 20

// Source are the inputs of a node that reads text. Embed it, and wrap the node with
//
//	reading.Node(n, "path", "text", "base64")
//
// Nodes whose text has another name, such as html, embed [File] beside it.
type Source struct {
	Text *string `port:"text,optional" widget:"multiline" doc:"The text to read; or give path or base64."`
	File
}

// File are the inputs of a node that reads the bytes of text.
type File struct {
	Path     *string `port:"path,optional" widget:"file" doc:"The file to read, below the files folder on a server."`
	Base64   *string `port:"base64,optional" doc:"The bytes to read, in base64."`
	Encoding string  `port:"encoding" default:"auto" doc:"How the bytes of path or base64 are encoded: auto finds it; or a name, such as windows-1252, shift_jis, utf-16le or cp437."`
}

// Binary are the inputs of a node that reads a binary format.
type Binary struct {
	Path   *string `port:"path,optional" widget:"file" doc:"The file to read, below the files folder on a server; or give base64."`
	Base64 *string `port:"base64,optional" doc:"The bytes to read, in base64."`
}

// Input is an input in memory.
type Input struct {
	Data []byte
	// Decoded means that the data is text in UTF-8 already, whatever it declares.
	Decoded bool
	// Label is the encoding that the user named: charset.Auto or a name.
	Label string
}

// Whole reads the input into memory and reserves times as much memory, for parsing it.
func (s *Source) Whole(ctx context.Context, files folder.Files, times int) (Input, error) {
	return whole(ctx, files, s.Text, s.File, times)
}

// Whole is [Source.Whole] for a node whose text, if given, is not called text.
func (f *File) Whole(ctx context.Context, files folder.Files, text *string, times int) (Input, error) {
	return whole(ctx, files, text, *f, times)
}

// Whole reads the input into memory and reserves times as much memory, for parsing it.
func (b *Binary) Whole(ctx context.Context, files folder.Files, times int) ([]byte, error) {
	in, err := whole(ctx, files, nil, File{Path: b.Path, Base64: b.Base64}, times)
	return in.Data, err
}

func whole(ctx context.Context, files folder.Files, text *string, f File, times int) (Input, error) {
	if text != nil {
		if len(*text) > MaxWhole {
			return Input{}, tooLarge(int64(len(*text)))
		}
		return Input{Data: []byte(*text), Decoded: true}, node.Hold(ctx, (times+1)*len(*text))
	}
	r, size, err := open(ctx, files, f.Path, f.Base64)
	if err != nil {
		return Input{}, err
	}
	defer r.Close()
	if size > MaxWhole {
		return Input{}, tooLarge(size)
	}
	if err := node.Hold(ctx, (times+1)*int(size)); err != nil {
		return Input{}, err
	}
	data, err := io.ReadAll(io.LimitReader(r, MaxWhole+1))
	if err != nil {
		return Input{}, Failure(err)
	}
	if len(data) > MaxWhole {
		return Input{}, tooLarge(int64(len(data)))
	}
	return Input{Data: data, Label: f.Encoding}, nil
}

func tooLarge(bytes int64) error {
	return TooMuch("there are %d bytes to read; at most %d can be read at once", bytes, MaxWhole)
}

// Text decodes the input. declared is the encoding that the data names itself, or "".
// Characters that cannot be decoded are noted in notes. A byte order mark is left out.
func (in *Input) Text(notes *Notes, declared string) (string, error) {
	if in.Decoded {
		return strings.TrimPrefix(string(in.Data), "\ufeff"), nil
	}
	text, enc, replaced, err := charset.Text(in.Data, in.Label, declared)
	if err != nil {
		return "", Invalid("%w", err)
	}
	noteReplaced(notes, enc, replaced)
	return text, nil
}

func noteReplaced(notes *Notes, enc charset.Encoding, replaced int) {
	if replaced > 0 {
		notes.Repaired(0, "", "%d characters are not valid in %s and became U+FFFD; name another encoding", replaced, enc)
	}
}

// Stream returns the text of the input as a stream in UTF-8, and the size of the input in
// bytes. Callers convert errors of reading with [Failure].
func (s *Source) Stream(ctx context.Context, files folder.Files) (io.ReadCloser, int64, error) {
	if s.Text != nil {
		return io.NopCloser(strings.NewReader(strings.TrimPrefix(*s.Text, "\ufeff"))), int64(len(*s.Text)), nil
	}
	r, size, err := open(ctx, files, s.Path, s.Base64)
	if err != nil {
		return nil, 0, err
	}
	decoded, err := charset.NewReader(r, s.Encoding, "")
	if err != nil {
		_ = r.Close() // nothing was written
		return nil, 0, Invalid("%w", err)
	}
	return struct {
		io.Reader
		io.Closer
	}{decoded, r}, size, nil
}

// Bytes is an input with random access.
type Bytes interface {
	io.Reader
	io.ReaderAt
	io.Seeker
	io.Closer
}

// Open opens the input, and returns its size in bytes. Callers convert errors of reading
// with [Failure].
func (b *Binary) Open(ctx context.Context, files folder.Files) (Bytes, int64, error) {
	return open(ctx, files, b.Path, b.Base64)
}

func open(ctx context.Context, files folder.Files, path, encoded *string) (Bytes, int64, error) {
	switch {
	case path != nil && encoded != nil:
		return nil, 0, Invalid("there are two inputs to read, path and base64; give one of them")
	case path != nil:
		return Open(ctx, files, *path)
	case encoded == nil:
		return nil, 0, Invalid("there is nothing to read")
	}
	if err := node.Hold(ctx, base64.StdEncoding.DecodedLen(len(*encoded))); err != nil {
		return nil, 0, err
	}
	data, err := Base64(*encoded)
	if err != nil {
		return nil, 0, err
	}
	return inMemory{bytes.NewReader(data)}, int64(len(data)), nil
}

type inMemory struct{ *bytes.Reader }

// Close implements [io.Closer].
func (inMemory) Close() error { return nil }

// Open opens the file that a workflow names path. The run of ctx may use its own files, such
// as uploads, and those of the files folder.
func Open(ctx context.Context, files folder.Files, path string) (*os.File, int64, error) {
	d := folder.Disk{Files: files}.In(ctx)
	name, err := d.Clean(path)
	if err != nil {
		return nil, 0, err
	}
	f, info, err := d.Open(name, os.O_RDONLY, 0)
	if err != nil {
		return nil, 0, d.Failed(name, err)
	}
	return f, info.Size(), nil
}

// Base64 decodes base64 as people have it: standard or URL-safe, with or without padding
// and white space.
func Base64(text string) ([]byte, error) {
	text = strings.Map(func(r rune) rune {
		switch r {
		case ' ', '\t', '\r', '\n', '=':
			return -1
		case '-':
			return '+'
		case '_':
			return '/'
		}
		return r
	}, text)
	data, err := base64.RawStdEncoding.DecodeString(text)
	if err != nil {
		return nil, Invalid("the input is no base64: %w", err)
	}
	return data, nil
}

// Failure converts an error of reading an input to a node error, without the file's path on
// the server.
func Failure(err error) error {
	if known, ok := errors.AsType[*node.Error](err); ok {
		return known
	}
	if at, ok := errors.AsType[*os.PathError](err); ok {
		err = at.Err
	}
	return node.Errorf(node.CodeFailed, "the file cannot be read: %w", err)
}
