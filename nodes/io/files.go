package ionode

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
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

// Codes of the file nodes besides the engine's own.
const (
	codeNotFound    = "not_found"
	codeStorageFull = node.CodeStorageFull
)

// disk carries the file nodes.
type disk struct{ files Files }

// clean checks a path that a workflow gave.
func (d disk) clean(name string) (string, error) {
	if name == "" {
		return "", node.Errorf(node.CodeInvalidInput, "the path is empty")
	}
	return d.files.Clean(name)
}

// open opens the regular file name. A FIFO, a device or a directory is refused,
// and O_NONBLOCK keeps one that slips in after the first look from blocking.
func (d disk) open(name string, flag int, perm fs.FileMode) (*os.File, fs.FileInfo, error) {
	if info, err := d.files.Stat(name); err == nil && !info.Mode().IsRegular() {
		return nil, nil, notRegular(name, info)
	}
	f, err := d.files.OpenFile(name, flag|syscall.O_NONBLOCK, perm)
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = notRegular(name, info)
	}
	if err != nil {
		_ = f.Close() // nothing was written
		return nil, nil, err
	}
	return f, info, nil
}

func notRegular(name string, info fs.FileInfo) error {
	if info.IsDir() {
		return node.Errorf(node.CodeInvalidInput, "%q is a directory; name a file in it", name)
	}
	return node.Errorf(node.CodeForbidden, "%q is no regular file; pipes, sockets and devices cannot be used", name)
}

// failure words an error of the file system. It shows the path as the workflow
// knows it and never where that lies on the machine.
func failure(name string, err error) error {
	var known *node.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &known):
		return err
	case errors.Is(err, fs.ErrNotExist):
		return permanent(codeNotFound, "%q does not exist", name)
	case errors.Is(err, fs.ErrPermission):
		return node.Errorf(node.CodeForbidden, "%q: permission denied; Svc's user may not use this path", name)
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return node.Errorf(codeStorageFull, "%q: the disk is full", name)
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

// failed is [failure] for a file that has to be there: it tells where it was looked for.
func (d disk) failed(name string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return permanent(codeNotFound, "there is no file %s", d.files.Place(name))
	}
	return failure(name, err)
}

// permanent returns an error that the same inputs will meet again.
func permanent(code, format string, args ...any) error {
	err := node.Errorf(code, format, args...)
	err.Permanent = true
	return err
}

type resolveIn struct {
	BaseDir      string `port:"base_dir" doc:"Directory to start from."`
	RelativePath string `port:"relative_path" doc:"Path below it."`
}

type resolveOut struct {
	ResolvedPath string `port:"resolved_path" doc:"Both joined, without . and .. in between."`
}

// resolveNode is io.resolve_path.
func (d disk) resolveNode() node.Node {
	return node.Func("io.resolve_path", "Resolve path", d.resolve).
		Aliases("join path, file name, relative", "pfad, dateiname, zusammensetzen").
		Example(map[string]any{"base_dir": "reports"}).Doc(
		"Joins a directory and a path and removes `.` and `..`. It looks at names only, not at the disk. An absolute " +
			"`relative_path` stands for itself. On a server a path that leaves the files folder is refused with the code `forbidden`.\n\n" +
			"Example: `base_dir` = `reports/2026`, `relative_path` = `../index.txt` gives `reports/index.txt`.")
}

func (d disk) resolve(_ context.Context, in resolveIn) (resolveOut, error) {
	name := in.RelativePath
	if !path.IsAbs(name) {
		name = path.Join(in.BaseDir, name)
	}
	resolved, err := d.clean(name)
	return resolveOut{resolved}, err
}

// noFiles is a file system without files.
type noFiles struct{}

func (noFiles) Clean(string) (string, error)                        { return "", errNoFiles() }
func (noFiles) Place(name string) string                            { return name }
func (noFiles) OpenFile(string, int, fs.FileMode) (*os.File, error) { return nil, errNoFiles() }
func (noFiles) Writer(f *os.File) io.Writer                         { return f }
func (noFiles) Stat(string) (fs.FileInfo, error)                    { return nil, errNoFiles() }
func (noFiles) MkdirAll(string, fs.FileMode) error                  { return errNoFiles() }
func (noFiles) Rename(string, string) error                         { return errNoFiles() }
func (noFiles) Remove(string) error                                 { return errNoFiles() }

func errNoFiles() error {
	return node.Errorf(node.CodeForbidden, "workflows may not use files here")
}
