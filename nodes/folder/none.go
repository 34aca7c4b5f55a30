package folder

import (
	"io"
	"io/fs"
	"os"

	"github.com/svcflow/svc/engine/node"
)

// None is a file system without files.
type None struct{}

func (None) Clean(string) (string, error)                        { return "", errNone() }
func (None) Place(name string) string                            { return name }
func (None) OpenFile(string, int, fs.FileMode) (*os.File, error) { return nil, errNone() }
func (None) Writer(f *os.File) io.Writer                         { return f }
func (None) Stat(string) (fs.FileInfo, error)                    { return nil, errNone() }
func (None) MkdirAll(string, fs.FileMode) error                  { return errNone() }
func (None) Rename(string, string) error                         { return errNone() }
func (None) Remove(string) error                                 { return errNone() }

func errNone() error {
	return node.Errorf(node.CodeForbidden, "workflows may not use files here")
}
