package nodes

import (
	"context"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/svcflow/svc/engine/limit"
	"github.com/svcflow/svc/engine/node"
)

// Quota bounds what workflows keep below a folder: bytes and entries, which are files and
// folders. It counts what is written, made and removed through it, and what lies there
// already when it is told to; see [Quota.Watch]. It is safe for concurrent use.
type Quota struct {
	most struct{ bytes, entries int64 }

	mu             sync.Mutex
	bytes, entries int64
	changed        struct{ bytes, entries int64 } // since a count began
	counting       bool
	recount        chan struct{} // of one: something was refused, and may be there no more
}

// NewQuota returns a quota of so many bytes and entries; of 0, what limit says.
func NewQuota(bytes int64, entries int) *Quota {
	q := &Quota{recount: make(chan struct{}, 1)}
	q.most.bytes, q.most.entries = limit.FilesBytes, limit.FilesEntries
	if bytes > 0 {
		q.most.bytes = bytes
	}
	if entries > 0 {
		q.most.entries = int64(entries)
	}
	return q
}

// between is the least time between two counts.
const between = 10 * time.Second

// Watch counts what lies below dir, in the background, and again after something was
// refused, since people remove files, too. The returned function ends that.
func (q *Quota) Watch(dir string) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var watching sync.WaitGroup
	watching.Go(func() {
		for {
			q.count(ctx, dir)
			select {
			case <-ctx.Done():
				return
			case <-time.After(between):
			}
			select {
			case <-ctx.Done():
				return
			case <-q.recount:
			}
		}
	})
	return func() {
		cancel()
		watching.Wait()
	}
}

// count replaces what is known by what lies below dir. What workflows do meanwhile is added:
// what they make is not looked at.
func (q *Quota) count(ctx context.Context, dir string) {
	q.mu.Lock()
	q.counting, q.changed.bytes, q.changed.entries = true, 0, 0
	q.mu.Unlock()
	began := time.Now()
	var bytes, entries int64
	err := filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		if err != nil || name == dir {
			return ctx.Err() // the rest is looked at all the same
		}
		info, err := e.Info()
		if err == nil && info.ModTime().Before(began) {
			entries++
			if info.Mode().IsRegular() {
				bytes += info.Size()
			}
		}
		return ctx.Err()
	})
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.counting = false; err == nil {
		q.bytes, q.entries = max(0, bytes+q.changed.bytes), max(0, entries+q.changed.entries)
	}
}

// add counts bytes and entries, or refuses them if they are too many.
func (q *Quota) add(bytes, entries int64) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case bytes > 0 && q.bytes+bytes > q.most.bytes:
		return q.refused("%d bytes", q.most.bytes, "--files-bytes")
	case entries > 0 && q.entries+entries > q.most.entries:
		return q.refused("%d files and folders", q.most.entries, "--files-entries")
	}
	q.move(bytes, entries)
	return nil
}

// free gives back what was added.
func (q *Quota) free(bytes, entries int64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.move(-bytes, -entries)
}

func (q *Quota) move(bytes, entries int64) {
	q.bytes, q.entries = max(0, q.bytes+bytes), max(0, q.entries+entries)
	if q.counting {
		q.changed.bytes, q.changed.entries = q.changed.bytes+bytes, q.changed.entries+entries
	}
}

func (q *Quota) refused(what string, most int64, flag string) error {
	select {
	case q.recount <- struct{}{}:
	default:
	}
	return node.Errorf(node.CodeStorageFull, "the files folder may have "+what+", and has no room for more; remove some, or let the operator raise %s", most, flag)
}

// metered is the file system of a sandbox with a quota.
type metered struct {
	rooted

	quota  *Quota
	making *sync.Mutex // so that nothing is counted twice
}

func (r rooted) within(q *Quota) metered { return metered{r, q, &sync.Mutex{}} }

// Shared implements [folder.Shared]: a server runs the workflows of many.
func (metered) Shared() {}

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
func (m metered) OpenFile(name string, flag int, perm fs.FileMode) (*os.File, error) {
	if flag&(os.O_CREATE|os.O_TRUNC) == 0 {
		return m.rooted.OpenFile(name, flag, perm)
	}
	m.making.Lock()
	defer m.making.Unlock()
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
	if err := w.quota.add(int64(len(p)), 0); err != nil {
		return 0, err
	}
	n, err := w.file.Write(p)
	w.quota.free(int64(len(p)-n), 0)
	return n, err
}

// MkdirAll implements ionode.Files.
func (m metered) MkdirAll(name string, perm fs.FileMode) error {
	m.making.Lock()
	defer m.making.Unlock()
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
	size := m.sizeOf(name)
	if err := m.rooted.Remove(name); err != nil {
		return err
	}
	m.quota.free(max(0, size), 1)
	return nil
}
