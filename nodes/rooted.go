package nodes

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"strconv"
	"strings"
	"syscall"

	"github.com/svcflow/svc/engine/durable"
	"github.com/svcflow/svc/engine/node"
)

// rooted is the file system of a sandbox: the files below dir. It opens dir for each call,
// so dir may be created or replaced at any time.
type rooted struct{ dir string }

// Clean implements ionode.Files.
func (r rooted) Clean(name string) (string, error) {
	clean := path.Clean(name)
	if path.IsAbs(clean) || clean == ".." || strings.HasPrefix(clean, "../") {
		return "", outside(name)
	}
	return clean, notTemp(clean)
}

// Place implements ionode.Files. It does not reveal where the folder is.
func (r rooted) Place(name string) string { return strconv.Quote(name) + " in the files folder" }

// OpenFile implements ionode.Files.
func (r rooted) OpenFile(name string, flag int, perm fs.FileMode) (f *os.File, err error) {
	err = r.with(name, func(root *os.Root) error {
		f, err = root.OpenFile(name, flag, perm)
		return err
	})
	return f, err
}

// Stat implements ionode.Files.
func (r rooted) Stat(name string) (info fs.FileInfo, err error) {
	err = r.with(name, func(root *os.Root) error {
		info, err = root.Stat(name)
		return err
	})
	return info, err
}

// MkdirAll implements ionode.Files. It creates dir, too.
func (r rooted) MkdirAll(name string, perm fs.FileMode) error {
	if err := os.MkdirAll(r.dir, perm); err != nil {
		return err
	}
	return r.with(name, func(root *os.Root) error { return root.MkdirAll(name, perm) })
}

// Rename implements ionode.Files.
func (r rooted) Rename(oldname, newname string) error {
	return r.with(newname, func(root *os.Root) error { return root.Rename(oldname, newname) })
}

// Remove implements ionode.Files.
func (r rooted) Remove(name string) error {
	return r.with(name, func(root *os.Root) error { return root.Remove(name) })
}

// with calls use with dir. An error that is not from the operating system means a name, or
// a link, that leads out of dir.
func (r rooted) with(name string, use func(*os.Root) error) error {
	root, err := os.OpenRoot(r.dir)
	if err != nil {
		return err
	}
	defer root.Close() //nolint:errcheck // nothing was written
	err = use(root)
	if err != nil && !errors.As(err, new(syscall.Errno)) {
		return outside(name)
	}
	return err
}

// notTemp refuses the names of temporary files: files with such names are hidden, and
// removed later.
func notTemp(clean string) error {
	for part := range strings.SplitSeq(clean, "/") {
		if durable.IsTemp(part) {
			return node.Errorf(node.CodeForbidden, "%q: names that begin with %q are for files that are being written; use another one", clean, part[:len(".svc-tmp-")])
		}
	}
	return nil
}

func outside(name string) error {
	return node.Errorf(node.CodeForbidden, "%q lies outside the files folder; use a path relative to it, without .. at its beginning", name)
}
