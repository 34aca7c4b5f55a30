// Package folder is how nodes use files: through what decides which of them there are, and
// with the same words for what goes wrong. It decides nothing about what may be reached.
package folder

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"syscall"

	"github.com/svcflow/svc/engine/node"
)

// Files is the part of a file system that workflows may use. Its methods work
// like those of [os.Root]; names are slash-separated. What lies outside is an
// error with the code forbidden.
type Files interface {
	// Clean returns the shortest form of name, the one that results show. It
	// never looks at the disk.
	Clean(name string) (string, error)
	// Place is what messages call the place of name, for people to look there.
	Place(name string) string
	OpenFile(name string, flag int, perm fs.FileMode) (*os.File, error)
	// Writer returns what writes to a file that OpenFile has opened, up to where there is
	// no room for more: an error with the code storage_full.
	Writer(f *os.File) io.Writer
	Stat(name string) (fs.FileInfo, error)
	// MkdirAll creates the directory name and what is missing above it.
	MkdirAll(name string, perm fs.FileMode) error
	Rename(oldname, newname string) error
	Remove(name string) error
}

// CodeNotFound is the code of a file that is not there.
const CodeNotFound = "not_found"

// Shared is what [Files] are besides that many runs share: each of them sees its own files
// below [node.RunsDir] and no other's.
type Shared interface {
	Files

	// WhenFull sets what is called when there is no room for what a workflow writes, by one at a
	// time: it removes something, and reports whether it could.
	WhenFull(makeRoom func() bool)
}

// Disk is what nodes read from and write to.
type Disk struct {
	Files Files

	run *node.Workspace
}

// In returns the disk as the run of ctx sees it, with the files of that run.
func (d Disk) In(ctx context.Context) Disk {
	d.run = node.WorkspaceOf(ctx)
	return d
}

// Clean checks a path that a workflow gave.
func (d Disk) Clean(name string) (string, error) {
	if name == "" {
		return "", node.Errorf(node.CodeInvalidInput, "the path is empty")
	}
	clean, err := d.Files.Clean(name)
	if err != nil {
		return "", err
	}
	return clean, d.Check(clean)
}

// Check says why the run may not use a path, which is clean.
func (d Disk) Check(clean string) error {
	if _, shared := d.Files.(Shared); shared {
		return d.run.Check(clean)
	}
	return nil
}

// Open opens the regular file name. A FIFO, a device or a directory is refused,
// and O_NONBLOCK keeps one that slips in after the first look from blocking.
func (d Disk) Open(name string, flag int, perm fs.FileMode) (*os.File, fs.FileInfo, error) {
	if info, err := d.Files.Stat(name); err == nil && !info.Mode().IsRegular() {
		return nil, nil, NotRegular(name, info)
	}
	f, err := d.Files.OpenFile(name, flag|syscall.O_NONBLOCK, perm)
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = NotRegular(name, info)
	}
	if err != nil {
		_ = f.Close() // nothing was written
		return nil, nil, err
	}
	return f, info, nil
}

// NotRegular refuses what is no file.
func NotRegular(name string, info fs.FileInfo) error {
	if info.IsDir() {
		return node.Errorf(node.CodeInvalidInput, "%q is a directory; name a file in it", name)
	}
	return node.Errorf(node.CodeForbidden, "%q is no regular file; pipes, sockets and devices cannot be used", name)
}

// Failure words an error of the file system. It shows the path as the workflow
// knows it and never where that lies on the machine.
func Failure(name string, err error) error {
	var known *node.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &known):
		return err
	case errors.Is(err, fs.ErrNotExist):
		return missing("%q does not exist", name)
	case errors.Is(err, fs.ErrPermission):
		return node.Errorf(node.CodeForbidden, "%q: permission denied; Svc's user may not use this path", name)
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return node.Errorf(node.CodeStorageFull, "%q: the disk is full", name)
	}
	var at *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &at):
		err = at.Err
	case errors.As(err, &link):
		err = link.Err
	}
	return node.Errorf(node.CodeFailed, "%q: %w", name, err)
}

// Failed is [Failure] for a file that has to be there: it tells where it was looked for.
func (d Disk) Failed(name string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return missing("there is no file %s", d.Files.Place(name))
	}
	return Failure(name, err)
}

func missing(format string, args ...any) error {
	return node.Permanent(node.Errorf(CodeNotFound, format, args...))
}

// Permissions returns those of the file that is to be replaced, so that a
// private file stays private, or the usual ones.
func (d Disk) Permissions(name string) (fs.FileMode, error) {
	info, err := d.Files.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return 0o644, nil
	case err != nil:
		return 0, err
	case !info.Mode().IsRegular():
		return 0, NotRegular(name, info)
	}
	return info.Mode().Perm(), nil
}
