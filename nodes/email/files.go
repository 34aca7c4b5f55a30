package email

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"syscall"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes/eml"
	"github.com/svcflow/svc/nodes/folder"
	"github.com/svcflow/svc/nodes/service"
)

// Files is the part of a file system that workflows may use. Its methods work
// like those of [os.Root]; names are slash-separated. Names that lead outside are an
// error with the code forbidden.
type Files interface {
	// Clean returns the shortest form of name, the one that results show. It
	// never looks at the disk.
	Clean(name string) (string, error)
	OpenFile(name string, flag int, perm fs.FileMode) (*os.File, error)
	// Writer returns a writer to a file that OpenFile has opened. It fails with the code
	// storage_full when the quota is used up.
	Writer(f *os.File) io.Writer
	// MkdirAll creates the directory name and what is missing above it.
	MkdirAll(name string, perm fs.FileMode) error
}

// storage reads and writes attachments.
type storage struct {
	files Files
	run   *node.Workspace
}

// in returns the storage as the run of ctx sees it.
func (s storage) in(ctx context.Context) storage {
	s.run = node.WorkspaceOf(ctx)
	return s
}

// clean checks a path that a workflow gave.
func (s storage) clean(name string) (string, error) {
	switch {
	case s.files == nil:
		return "", node.Errorf(node.CodeForbidden, "workflows may not use files here")
	case name == "":
		return "", node.Errorf(node.CodeInvalidInput, "the path of an attachment is empty")
	}
	clean, err := s.files.Clean(name)
	if _, shared := s.files.(folder.Shared); err == nil && shared {
		err = s.run.Check(clean)
	}
	return clean, err
}

// load reads an attachment of at most limit bytes.
func (s storage) load(name string, limit int) ([]byte, error) {
	name, err := s.clean(name)
	if err != nil {
		return nil, err
	}
	f, err := s.open(name, os.O_RDONLY)
	if err != nil {
		return nil, fileFailure(name, err)
	}
	defer f.Close() //nolint:errcheck // nothing was written
	data, err := io.ReadAll(io.LimitReader(f, int64(limit)+1))
	if err != nil {
		return nil, fileFailure(name, err)
	}
	if len(data) > limit {
		return nil, tooHeavy()
	}
	return data, nil
}

// saveAll saves the attachments of a message in dir, unless that is empty, and
// describes them.
func (s storage) saveAll(dir string, id messageID, attachments []eml.Attachment) ([]eml.Described, error) {
	described := make([]eml.Described, 0, len(attachments))
	for i, a := range attachments {
		out := a.Describe()
		if dir != "" {
			saved, err := s.save(dir, eml.FileName(id.String(), i+1, a.Filename), a.Data)
			if err != nil {
				return nil, err
			}
			out.Path = &saved
		}
		described = append(described, out)
	}
	return described, nil
}

func (s storage) save(dir, name string, data []byte) (string, error) {
	dir, err := s.clean(dir)
	if err != nil {
		return "", err
	}
	if err := s.files.MkdirAll(dir, 0o755); err != nil {
		return "", fileFailure(dir, err)
	}
	name = path.Join(dir, name)
	f, err := s.open(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC)
	if err != nil {
		return "", fileFailure(name, err)
	}
	_, err = s.files.Writer(f).Write(data)
	return name, fileFailure(name, errors.Join(err, f.Close()))
}

// open opens a regular file. O_NONBLOCK keeps a pipe from blocking before it is
// found to be one.
func (s storage) open(name string, flag int) (*os.File, error) {
	f, err := s.files.OpenFile(name, flag|syscall.O_NONBLOCK, 0o644)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = node.Errorf(node.CodeForbidden, "%q is no regular file", name)
	}
	if err != nil {
		_ = f.Close() // nothing was written
		return nil, err
	}
	return f, nil
}

// fileFailure words an error of the file system. It shows the path as the workflow
// knows it and never where that lies on the machine.
func fileFailure(name string, err error) error {
	var known *node.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &known):
		return known
	case errors.Is(err, fs.ErrNotExist):
		return permanent(service.CodeNotFound, "the file %q does not exist", name)
	case errors.Is(err, fs.ErrPermission):
		return node.Errorf(node.CodeForbidden, "%q: permission denied; Svc's user may not use this path", name)
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return node.Errorf(node.CodeStorageFull, "%q: the disk is full", name)
	}
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		err = at.Err
	}
	return node.Errorf(node.CodeFailed, "%q: %w", name, err)
}
