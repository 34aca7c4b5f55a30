package nodes

import (
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"sync"

	"github.com/svcflow/svc/engine/limit"
	"github.com/svcflow/svc/engine/node"
)

// metered is the file system of a sandbox with a quota.
type metered struct {
	rooted

	quota  *Quota
	making *sync.Mutex // so that nothing is counted twice
}

func (r rooted) within(q *Quota) metered { return metered{r, q, &sync.Mutex{}} }

// WhenFull implements [folder.Shared]: a server runs the workflows of many.
func (m metered) WhenFull(makeRoom func() bool) {
	m.quota.mu.Lock()
	defer m.quota.mu.Unlock()
	m.quota.makeRoom = makeRoom
}

// Clean implements ionode.Files.
func (m metered) Clean(name string) (string, error) {
	clean, err := m.rooted.Clean(name)
	switch {
	case err != nil:
		return "", err
	case len(clean) > limit.FilesPath:
		return "", tooLong("the path has %d bytes; it may have %d", len(clean), limit.FilesPath)
	case strings.Count(clean, "/") >= limit.FilesDepth:
		return "", tooLong("the path is %d folders deep; it may be %d", strings.Count(clean, "/")+1, limit.FilesDepth)
	}
	return clean, nil
}

func tooLong(format string, args ...any) error {
	err := node.Errorf(node.CodeLimitExceeded, format, args...)
	err.Permanent = true
	return err
}

// OpenFile implements ionode.Files.
func (m metered) OpenFile(name string, flag int, perm fs.FileMode) (f *os.File, err error) {
	if flag&(os.O_CREATE|os.O_TRUNC) == 0 {
		return m.rooted.OpenFile(name, flag, perm)
	}
	err = m.quota.withRoom(func() error {
		f, err = m.make(name, flag, perm)
		return err
	})
	return f, err
}

// make opens a file that it may make or cut off.
func (m metered) make(name string, flag int, perm fs.FileMode) (*os.File, error) {
	m.making.Lock()
	defer m.making.Unlock()
	defer m.quota.change()()
	bytes, entries := m.sizeOf(name), int64(0)
	if bytes < 0 {
		bytes, entries = 0, 1
	}
	if flag&os.O_TRUNC == 0 {
		bytes = 0
	}
	if err := m.quota.add(0, entries); err != nil {
		return nil, err
	}
	f, err := m.rooted.OpenFile(name, flag, perm)
	if err != nil {
		m.quota.free(0, entries)
		return nil, err
	}
	m.quota.free(bytes, 0)
	return f, nil
}

// sizeOf returns how many bytes a regular file has, 0 for what is none, -1 if nothing has that
// name.
func (m metered) sizeOf(name string) int64 {
	info, err := m.Stat(name)
	switch {
	case err != nil:
		return -1
	case !info.Mode().IsRegular():
		return 0
	}
	return info.Size()
}

// Writer implements ionode.Files: it writes to f what there is room for.
func (m metered) Writer(f *os.File) io.Writer { return &meteredWriter{f, m.quota} }

type meteredWriter struct {
	file  *os.File
	quota *Quota
}

// Write implements [io.Writer].
func (w *meteredWriter) Write(p []byte) (int, error) {
	more := int64(len(p))
	n, err := w.write(p)
	if n == 0 && node.CodeOf(err) == node.CodeStorageFull && more <= w.quota.most.bytes { // what is larger never fits
		err = w.quota.withRoom(func() (err error) {
			n, err = w.write(p)
			return err
		})
	}
	return n, err
}

func (w *meteredWriter) write(p []byte) (int, error) {
	defer w.quota.change()()
	if err := w.quota.add(int64(len(p)), 0); err != nil {
		return 0, err
	}
	n, err := w.file.Write(p)
	w.quota.free(int64(len(p)-n), 0)
	return n, err
}

// MkdirAll implements ionode.Files.
func (m metered) MkdirAll(name string, perm fs.FileMode) error {
	return m.quota.withRoom(func() error { return m.makeDirs(name, perm) })
}

func (m metered) makeDirs(name string, perm fs.FileMode) error {
	m.making.Lock()
	defer m.making.Unlock()
	defer m.quota.change()()
	missing := int64(0)
	for at := path.Clean(name); at != "." && m.sizeOf(at) < 0; at = path.Dir(at) {
		missing++
	}
	if err := m.quota.add(0, missing); err != nil {
		return err
	}
	if err := m.rooted.MkdirAll(name, perm); err != nil {
		m.quota.free(0, missing)
		return err
	}
	return nil
}

// Rename implements ionode.Files.
func (m metered) Rename(oldname, newname string) error {
	m.making.Lock()
	defer m.making.Unlock()
	defer m.quota.change()()
	replaced := m.sizeOf(newname)
	if err := m.rooted.Rename(oldname, newname); err != nil || replaced < 0 {
		return err
	}
	m.quota.free(replaced, 1)
	return nil
}

// Remove implements ionode.Files.
func (m metered) Remove(name string) error {
	m.making.Lock()
	defer m.making.Unlock()
	defer m.quota.change()()
	size := m.sizeOf(name)
	if err := m.rooted.Remove(name); err != nil {
		return err
	}
	m.quota.free(max(0, size), 1)
	return nil
}

// leastRoom is how much room is made for a file that grows by itself, if there is less.
const leastRoom = 1 << 20

// Room implements sqlnode.Bounded.
func (m metered) Room() int64 {
	wanted := min(leastRoom, m.quota.most.bytes)
	_ = m.quota.withRoom(func() error { // what is left is what there is
		err := m.quota.add(wanted, 0)
		if err == nil {
			m.quota.free(wanted, 0)
		}
		return err
	})
	m.quota.mu.Lock()
	defer m.quota.mu.Unlock()
	return max(0, m.quota.most.bytes-m.quota.bytes)
}

// Grown implements sqlnode.Bounded. The bytes are on the disk already, so none are refused.
func (m metered) Grown(bytes int64) {
	defer m.quota.change()()
	m.quota.free(-bytes, 0)
}
