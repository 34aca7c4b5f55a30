package folder

import (
	"bufio"
	"errors"
	"io"
	"os"
	"path"

	"github.com/svcflow/svc/engine/durable"
)

// bufferBytes is the size of the write buffer.
const bufferBytes = 64 << 10

// Save writes the output of write to the file name, atomically. It creates missing
// directories, and returns the number of bytes.
func (d Disk) Save(name string, write func(io.Writer) error) (int, error) {
	pending, n, err := d.stage(name, write)
	if err != nil {
		return 0, err
	}
	return n, Failure(name, pending.Commit())
}

// stage writes the output of write to a temporary file next to the file name.
func (d Disk) stage(name string, write func(io.Writer) error) (*durable.Pending, int, error) {
	perm, err := d.Permissions(name)
	if err != nil {
		return nil, 0, Failure(name, err)
	}
	if err := d.Files.MkdirAll(path.Dir(name), 0o755); err != nil {
		return nil, 0, Failure(path.Dir(name), err)
	}
	r, w := io.Pipe()
	written := make(chan error, 1)
	count := counter{w: w}
	go func() {
		err := buffered(&count, write)
		_ = w.CloseWithError(err) // never fails
		written <- err
	}()
	pending, err := durable.WriteFrom(name, r, durable.Options{Perm: perm, In: d.Files})
	_ = r.CloseWithError(err)                                   // ends the writer
	if failed := <-written; failed != nil && count.err == nil { // the failure is not one of the disk
		return nil, 0, failed
	}
	if err != nil {
		return nil, 0, Failure(name, err)
	}
	return pending, count.n, nil
}

// Append appends the output of write to the file name, which is created if needed, and
// returns the number of bytes appended.
func (d Disk) Append(name string, write func(w io.Writer, empty bool) error) (int, error) {
	if err := d.Files.MkdirAll(path.Dir(name), 0o755); err != nil {
		return 0, Failure(path.Dir(name), err)
	}
	f, info, err := d.Open(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return 0, Failure(name, err)
	}
	count := counter{w: d.Files.Writer(f)}
	err = buffered(&count, func(w io.Writer) error { return write(w, info.Size() == 0) })
	return count.n, Failure(name, errors.Join(err, f.Close()))
}

func buffered(w io.Writer, write func(io.Writer) error) error {
	b := bufio.NewWriterSize(w, bufferBytes)
	if err := write(b); err != nil {
		return err
	}
	return b.Flush()
}

// counter counts the bytes written to w.
type counter struct {
	w   io.Writer
	n   int
	err error // of w
}

// Write implements [io.Writer].
func (c *counter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n, c.err = c.n+n, err
	return n, err
}
