// Package durable puts files on the disk so that they are whole or untouched: a crash
// at any moment, of the program or of the machine, leaves the old content or the new
// one, and what was acknowledged stays. It works on Linux, macOS and Windows, below an
// [os.Root] too, knows nothing else of the project, and keeps no state: all of it may be
// used by several goroutines.
//
// It locks nothing. Of two who replace a file at the same moment, one wins.
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

// FS is the part of a file system that is written to. An [*os.Root] is one. If it has a
// method Writer(*os.File) io.Writer, that writes.
type FS interface {
	OpenFile(name string, flag int, perm fs.FileMode) (*os.File, error)
	Rename(oldname, newname string) error
	Remove(name string) error
}

// Options say how a file is written. Their zero value is a file that only its owner can
// read, anywhere on the machine.
type Options struct {
	// Perm are the permissions; 0 means 0600. They are subject to the umask, unless
	// they are Exact.
	Perm  fs.FileMode
	Exact bool
	// Modified is the time that the file gets; zero means now. In has to have the method
	// Chtimes of an [*os.Root] for it.
	Modified time.Time
	// Temp is the name, without a folder, of the file that is written first. Who gives
	// one holds a lock over it: what has that name is the leftover of a crash, and is
	// replaced. Empty means a name of its own; see [IsTemp].
	Temp string
	// In is where the path lies; nil means the file system of the machine.
	In FS
}

// Replace returns once text is the file at path, on the disk. At any moment the file is
// complete, with the old text or the new one. A link is replaced, not followed; see
// [Rewrite]. It leaves nothing behind when it fails.
func Replace(path string, text []byte, o Options) error {
	p, err := Write(path, text, o)
	if err != nil {
		return err
	}
	return p.Commit()
}

// Pending is a text on the disk that is not yet the file that it is for. Whoever has one
// calls Commit or Discard, once.
type Pending struct {
	in         FS
	temp, path string
}

// Write returns once text is on the disk, next to the file that it will be. It leaves
// nothing behind when it fails.
func Write(path string, text []byte, o Options) (*Pending, error) {
	return WriteFrom(path, bytes.NewReader(text), o)
}

// WriteFrom is [Write] for all that r has to read, of which little is in memory at any
// moment.
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

// Commit makes the text the file, and returns once that is on the disk.
func (p *Pending) Commit() error {
	if err := rename(p.in, p.temp, p.path); err != nil {
		return errors.Join(err, p.Discard())
	}
	return syncDir(p.in, filepath.Dir(p.path))
}

// Discard removes the text.
func (p *Pending) Discard() error { return gone(p.in.Remove(p.temp)) }

// Create makes a new file and returns once it is on the disk. It appears complete or not
// at all; if there is a file already, the error wraps [fs.ErrExist] and the file stays
// as it is. The file system has to have hard links. Temp names its own file always, and
// In is not looked at.
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

// ErrNotPlain says that a path leads to a folder, a device or the like.
var ErrNotPlain = errors.New("this is no regular file")

// Rewrite is [Replace] for a file of the user: one that is there keeps its permissions
// and has to be writable, a link stays a link, and a new file is as the umask wants it.
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
	f, err := os.OpenFile(target, os.O_WRONLY, 0) // renaming does not ask whether it may be written
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

// writer returns what writes to f: a file system may have a method Writer for that, which
// counts.
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

// beside returns the path of name in the folder of path, with slashes if path has them.
func beside(path, name string) string {
	dir, _ := filepath.Split(path)
	return dir + name
}

// gone takes the error of removing something that may not be there.
func gone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// tempPrefix begins the names of files that are being written.
const tempPrefix = ".svc-tmp-"

// IsTemp reports whether a name, without a folder, is one that files have while they are
// written. Whoever lets others name files refuses such names, so that what has one is
// nobody's; the case of letters does not count, as on some systems.
func IsTemp(name string) bool {
	return len(name) >= len(tempPrefix) && strings.EqualFold(name[:len(tempPrefix)], tempPrefix)
}
