// Package durable writes files atomically and durably: after a crash at any moment, of the
// program or of the machine, a file has the old content or the new one, and acknowledged
// writes are kept. It works on Linux, macOS and Windows, and also below an [os.Root]. It is
// independent of the rest of the project and keeps no state; everything in it is safe for
// concurrent use.
//
// It does no locking. If two goroutines replace a file at the same time, one wins.
package durable

import (
	"bytes"
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// FS is the part of a file system that is needed for writing. An [*os.Root] is one. If it
// has a method Writer(*os.File) io.Writer, files are written through the result.
type FS interface {
	OpenFile(name string, flag int, perm fs.FileMode) (*os.File, error)
	Rename(oldname, newname string) error
	Remove(name string) error
}

// Options say how a file is written. The zero value writes a file that only its owner can
// read, anywhere on the machine.
type Options struct {
	// Perm are the permissions; 0 means 0600. The umask applies, unless Exact is set.
	Perm  fs.FileMode
	Exact bool
	// Modified is the modification time of the file; zero means now. It needs an In with
	// the Chtimes method of an [*os.Root].
	Modified time.Time
	// Temp is the name, without a folder, of the temporary file. Callers that set it must
	// hold a lock for that name: an existing file with the name is the remains of a crash
	// and is replaced. If it is empty, a unique name is used; see [IsTemp].
	Temp string
	// In is the file system of the path; nil means that of the machine.
	In FS
}

// Replace writes text to the file at path and returns once it is on disk. At any moment the
// file is complete, with the old text or the new one. A link is replaced, not followed; see
// [Rewrite]. On failure it leaves no temporary file.
func Replace(path string, text []byte, o Options) error {
	p, err := Write(path, text, o)
	if err != nil {
		return err
	}
	return p.Commit()
}

// Pending is a text on disk that has not replaced its file yet. Callers must call Commit or
// Discard exactly once.
type Pending struct {
	in         FS
	temp, path string
}

// Write writes text to a temporary file next to path and returns once it is on disk. On
// failure it leaves no temporary file.
func Write(path string, text []byte, o Options) (*Pending, error) {
	return WriteFrom(path, bytes.NewReader(text), o)
}

// WriteFrom is [Write] for the content of r, which it copies in small pieces.
func WriteFrom(path string, r io.Reader, o Options) (*Pending, error) {
	p := &Pending{in: o.in(), path: path}
	p.temp = beside(path, o.Temp)
	if o.Temp == "" {
		p.temp = beside(path, tempPrefix+rand.Text())
	} else if err := gone(p.in.Remove(p.temp)); err != nil {
		return nil, err
	}
	f, err := p.in.OpenFile(p.temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, o.perm())
	if err != nil {
		return nil, err
	}
	_, err = io.Copy(writer(p.in, f), r)
	if err == nil && o.Exact {
		err = f.Chmod(o.perm())
	}
	if err == nil && !o.Modified.IsZero() {
		err = setTime(p.in, p.temp, o.Modified)
	}
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, errors.Join(err, p.Discard())
	}
	return p, nil
}

// Commit renames the temporary file to its path, and returns once that is on disk.
func (p *Pending) Commit() error {
	if err := rename(p.in, p.temp, p.path); err != nil {
		return errors.Join(err, p.Discard())
	}
	return syncDir(p.in, filepath.Dir(p.path))
}

// Discard removes the temporary file.
func (p *Pending) Discard() error { return gone(p.in.Remove(p.temp)) }

// Create makes a new file and returns once it is on disk. It appears complete or not at
// all. If the file exists already, Create does not change it, and the error wraps
// [fs.ErrExist]. The file system must support hard links. Temp and In are ignored.
func Create(path string, text []byte, o Options) error {
	o.Temp, o.In = "", nil
	p, err := Write(path, text, o)
	if err != nil {
		return err
	}
	if err := errors.Join(os.Link(p.temp, path), p.Discard()); err != nil { // unlike a rename, a link replaces nothing
		return err
	}
	return SyncDir(filepath.Dir(path))
}

// ErrNotPlain means that a path leads to something other than a regular file, such as a
// folder or a device.
var ErrNotPlain = errors.New("this is no regular file")

// Rewrite is [Replace] for a user's file. An existing file keeps its permissions and must
// be writable, a link stays a link, and a new file gets permissions according to the umask.
func Rewrite(path string, text []byte) error {
	target, err := filepath.EvalSymlinks(path)
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Lstat(path); err == nil {
			return errors.New("the link leads to a file that is gone")
		}
		return Replace(path, text, Options{Perm: 0o666})
	}
	if err != nil {
		return err
	}
	info, err := os.Stat(target)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return ErrNotPlain
	}
	f, err := os.OpenFile(target, os.O_WRONLY, 0) // rename does not check whether the file may be written
	if err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return Replace(target, text, Options{Perm: info.Mode().Perm(), Exact: true})
}

func (o Options) perm() fs.FileMode {
	if o.Perm == 0 {
		return 0o600
	}
	return o.Perm
}

func (o Options) in() FS {
	if o.In == nil {
		return machine{}
	}
	return o.In
}

// machine is the file system of the operating system.
type machine struct{}

func (machine) OpenFile(name string, flag int, perm fs.FileMode) (*os.File, error) {
	return os.OpenFile(name, flag, perm)
}
func (machine) Rename(oldname, newname string) error { return os.Rename(oldname, newname) }
func (machine) Remove(name string) error             { return os.Remove(name) }
func (machine) Chtimes(name string, atime, mtime time.Time) error {
	return os.Chtimes(name, atime, mtime)
}

// writer returns a writer to f. File systems may count bytes with a method Writer.
func writer(in FS, f *os.File) io.Writer {
	if counting, ok := in.(interface {
		Writer(f *os.File) io.Writer
	}); ok {
		return counting.Writer(f)
	}
	return f
}

func setTime(in FS, name string, modified time.Time) error {
	clock, ok := in.(interface {
		Chtimes(name string, atime, mtime time.Time) error
	})
	if !ok {
		return errors.ErrUnsupported
	}
	return clock.Chtimes(name, time.Time{}, modified)
}

// beside returns the path of name in the folder of path. It keeps slashes in path.
func beside(path, name string) string {
	dir, _ := filepath.Split(path)
	return dir + name
}

// gone drops the error of removing a file that does not exist.
func gone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// tempPrefix is the prefix of temporary file names.
const tempPrefix = ".svc-tmp-"

// TempName returns the name of a temporary file that ends with suffix; see [IsTemp].
func TempName(suffix string) string { return tempPrefix + suffix }

// IsTemp reports whether name, without a folder, is the name of a temporary file. Programs
// that let others name files must refuse such names, so that files with such names may be
// deleted. Case is ignored, because some file systems ignore it.
func IsTemp(name string) bool {
	return len(name) >= len(tempPrefix) && strings.EqualFold(name[:len(tempPrefix)], tempPrefix)
}
