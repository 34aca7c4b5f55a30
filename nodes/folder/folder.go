// Package folder is the nodes' access to files. It gives their errors consistent messages.
// Which files can be reached is decided by the [Files] that it is given.
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

// Files is the part of a file system that workflows may use. Its methods work like those of
// [os.Root]; names are slash-separated. A name outside is an error with the code forbidden.
type Files interface {
	// Clean returns the shortest form of name, which results contain. It does not access
	// the disk.
	Clean(name string) (string, error)
	// Place returns the place of name for messages, so that people can find the file.
	Place(name string) string
	OpenFile(name string, flag int, perm fs.FileMode) (*os.File, error)
	// Writer returns a writer for a file that OpenFile has opened. It enforces the quota:
	// when there is no space left, it returns an error with the code storage_full.
	Writer(f *os.File) io.Writer
	Stat(name string) (fs.FileInfo, error)
	// MkdirAll creates the directory name and its missing parents.
	MkdirAll(name string, perm fs.FileMode) error
	Rename(oldname, newname string) error
	Remove(name string) error
}

// CodeNotFound means that a file does not exist.
const CodeNotFound = "not_found"

// Shared is an optional interface of [Files] that many runs share: each run sees only its
// own files below [node.RunsDir].
type Shared interface {
	Files

	// WhenFull sets the function that is called when a workflow writes and the space is
	// used up. It removes something, and reports whether it could. It is not called
	// concurrently.
	WhenFull(makeRoom func() bool)
}

// Disk is the file system of a node.
type Disk struct {
	Files Files

	run *node.Workspace
}

// In returns the disk for the run of ctx, with that run's files.
func (d Disk) In(ctx context.Context) Disk {
	d.run = node.WorkspaceOf(ctx)
	return d
}

// Clean checks and cleans a path from a workflow.
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

// Check returns an error if the run may not use a path, which must be clean.
func (d Disk) Check(clean string) error {
	if _, shared := d.Files.(Shared); shared {
		return d.run.Check(clean)
	}
	return nil
}

// Open opens the regular file name. It refuses FIFOs, devices and directories. O_NONBLOCK
// prevents blocking on a FIFO that is created after the check.
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
		_ = f.Close() // opened for the check only
		return nil, nil, err
	}
	return f, info, nil
}

// NotRegular returns the error for something that is not a regular file.
func NotRegular(name string, info fs.FileInfo) error {
	if info.IsDir() {
		return node.Errorf(node.CodeInvalidInput, "%q is a directory; name a file in it", name)
	}
	return node.Errorf(node.CodeForbidden, "%q is no regular file; pipes, sockets and devices cannot be used", name)
}

// Failure converts an error of the file system. Its message has the path as the workflow
// knows it, never the path on the machine.
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

// Failed is [Failure] for a file that must exist: the message says where the file was
// expected.
func (d Disk) Failed(name string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return missing("there is no file %s", d.Files.Place(name))
	}
	return Failure(name, err)
}

func missing(format string, args ...any) error {
	return node.Permanent(node.Errorf(CodeNotFound, format, args...))
}

// Permissions returns the permissions of the file that will be replaced, so that a private
// file stays private, or the default permissions.
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
