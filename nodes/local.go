package nodes

import (
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/svcflow/svc/engine/node"
)

// local is the file system of the user's own machine: all of it. Names that are
// not absolute are relative to dir, those of the files of runs to runs.
type local struct{ dir, runs string }

// Clean implements ionode.Files.
func (l local) Clean(name string) (string, error) {
	clean := path.Clean(filepath.ToSlash(name))
	return clean, notTemp(clean)
}

// Place implements ionode.Files.
func (l local) Place(name string) string { return strconv.Quote(l.abs(name)) }

// OpenFile implements ionode.Files.
func (l local) OpenFile(name string, flag int, perm fs.FileMode) (*os.File, error) {
	return os.OpenFile(l.abs(name), flag, perm)
}

// Writer implements ionode.Files.
func (local) Writer(f *os.File) io.Writer { return f }

// Stat implements ionode.Files.
func (l local) Stat(name string) (fs.FileInfo, error) { return os.Stat(l.abs(name)) }

// MkdirAll implements ionode.Files.
func (l local) MkdirAll(name string, perm fs.FileMode) error { return os.MkdirAll(l.abs(name), perm) }

// Rename implements ionode.Files.
func (l local) Rename(oldname, newname string) error {
	return os.Rename(l.abs(oldname), l.abs(newname))
}

// Remove implements ionode.Files.
func (l local) Remove(name string) error { return os.Remove(l.abs(name)) }

// abs returns name as the operating system takes it.
func (l local) abs(name string) string {
	name = filepath.FromSlash(name)
	if filepath.IsAbs(name) {
		return name
	}
	if first, _, _ := strings.Cut(filepath.ToSlash(filepath.Clean(name)), "/"); first == node.RunsDir {
		return filepath.Join(l.runs, name)
	}
	return filepath.Join(l.dir, name)
}
