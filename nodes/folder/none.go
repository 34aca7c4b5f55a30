package folder

import (
	"io"
	"io/fs"
	"os"

	"github.com/svcflow/svc/engine/node"
)

// None is a file system without files.
type None struct{}

// Clean implements [Files].
func (None) Clean(string) (string, error) { return "", errNone() }

// Place implements [Files].
func (None) Place(name string) string { return name }

// OpenFile implements [Files].
func (None) OpenFile(string, int, fs.FileMode) (*os.File, error) { return nil, errNone() }

// Writer implements [Files].
func (None) Writer(f *os.File) io.Writer { return f }

// Stat implements [Files].
func (None) Stat(string) (fs.FileInfo, error) { return nil, errNone() }

// MkdirAll implements [Files].
func (None) MkdirAll(string, fs.FileMode) error { return errNone() }

// Rename implements [Files].
func (None) Rename(string, string) error { return errNone() }

// Remove implements [Files].
func (None) Remove(string) error { return errNone() }

func errNone() error {
	return node.Errorf(node.CodeForbidden, "workflows may not use files here")
}
