package vfstest

import (
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/store/internal/vfs"
)

// Power is a file system that simulates power losses. Data, names and sizes that were not synced
// may or may not survive, sector by sector and in any order.
type Power struct {
	mu    sync.Mutex
	files map[string]*powerFile
	After func() // called after each change, with mu held
	Fails int    // number of coming Sync calls that fail
}

const sector = 512

type powerFile struct {
	disk    *Power
	before  *powerFile       // the file that had the name before; it may return until the directory is synced
	data    []byte           // as programs see it
	safe    []byte           // as it survives for certain
	dirty   map[int][][]byte // other contents that a sector may have after a power loss
	lost    map[int]bool     // sectors that a failed sync dropped; programs still see their data
	named   bool             // the name survives for certain
	removed bool             // removed, but the name may return
}

// NewPower returns a disk without files.
func NewPower() *Power { return &Power{files: map[string]*powerFile{}} }

// Still calls do while no file can change.
func (d *Power) Still(do func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	do()
}

func (d *Power) changed() {
	if d.After != nil {
		d.After()
	}
}

// Open implements [vfs.FS].
func (d *Power) Open(name string, flag int) (vfs.File, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	f := d.files[name]
	if f == nil || f.removed {
		if flag&os.O_CREATE == 0 {
			return nil, fs.ErrNotExist
		}
		f = &powerFile{disk: d, dirty: map[int][][]byte{}}
		d.files[name] = f
		d.changed()
	}
	return f, nil
}

// Replace writes a temporary file, which is ignored until it has its final name.
func (d *Power) Replace(name string, text []byte) error {
	d.mu.Lock()
	f := &powerFile{disk: d, dirty: map[int][][]byte{}}
	d.mu.Unlock()
	if _, err := f.WriteAt(text, 0); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	d.mu.Lock()
	f.before = d.files[name]
	f.named = f.before != nil && f.before.named // either the old or the new file has the name
	d.files[name] = f
	d.changed()
	d.mu.Unlock()
	return d.SyncDir(filepath.Dir(name))
}

// Remove implements [vfs.FS].
func (d *Power) Remove(name string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if f := d.files[name]; f != nil && !f.removed {
		f.removed = true
		d.changed()
		return nil
	}
	return fs.ErrNotExist
}

// SyncDir implements [vfs.FS].
func (d *Power) SyncDir(string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	for name, f := range d.files {
		f.before = nil
		if f.named = true; f.removed {
			delete(d.files, name)
		}
	}
	d.changed()
	return nil
}

func (f *powerFile) ReadAt(p []byte, at int64) (int, error) {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	n := 0
	if at < int64(len(f.data)) {
		n = copy(p, f.data[at:])
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

func (f *powerFile) WriteAt(p []byte, at int64) (int, error) {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	f.resize(max(int64(len(f.data)), at+int64(len(p))))
	copy(f.data[at:], p)
	for n := int(at) / sector; n*sector < int(at)+len(p); n++ {
		delete(f.lost, n)
		f.dirty[n] = append(f.dirty[n], slices.Clone(f.data[n*sector:min(len(f.data), (n+1)*sector)]))
	}
	f.disk.changed()
	return len(p), nil
}

func (f *powerFile) resize(size int64) {
	if more := size - int64(len(f.data)); more > 0 {
		f.data = append(f.data, make([]byte, more)...)
	}
	f.data = f.data[:size:size]
}

func (f *powerFile) Truncate(size int64) error {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	f.resize(size)
	f.disk.changed()
	return nil
}

func (f *powerFile) Allocate(size int64) error {
	if n, _ := f.Size(); n >= size {
		return nil
	}
	return f.Truncate(size)
}

func (f *powerFile) Size() (int64, error) {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	return int64(len(f.data)), nil
}

func (f *powerFile) Sync() error {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	failed := f.disk.Fails > 0
	if failed {
		f.disk.Fails--
		f.lost = map[int]bool{}
		for n := range f.dirty {
			f.lost[n] = true
		}
	}
	if f.dirty = map[int][][]byte{}; failed {
		return syscall.EIO
	}
	was := f.safe
	f.safe = slices.Clone(f.data)
	for n := range f.lost { // dropped by a failed sync, and not written by later ones
		if at := n * sector; at < len(f.safe) {
			clear(f.safe[at:min(len(f.safe), at+sector)])
			copy(f.safe[at:], was[min(at, len(was)):min(at+sector, len(was))])
		}
	}
	f.disk.changed()
	return nil
}

func (*powerFile) Close() error { return nil }

// Outage writes one of the possible states after a power loss to dir. choose returns a number below
// n.
func (d *Power) Outage(t *testing.T, dir string, choose func(n int) int) {
	t.Helper()
	names := slices.Sorted(maps.Keys(d.files))
	for _, name := range names {
		f := d.files[name]
		for f.before != nil && choose(2) == 0 {
			f = f.before
		}
		if !f.named && choose(2) == 0 || f.removed && choose(2) == 0 {
			continue
		}
		data := slices.Clone(f.safe)
		if len(data) != len(f.data) && choose(2) == 1 {
			data = append(data, make([]byte, max(0, len(f.data)-len(data)))...)[:len(f.data)]
		}
		for _, n := range slices.Sorted(maps.Keys(f.dirty)) {
			if which := choose(len(f.dirty[n]) + 1); which > 0 && n*sector < len(data) {
				copy(data[n*sector:], f.dirty[n][which-1])
			}
		}
		require.NoError(t, os.WriteFile(filepath.Join(dir, filepath.Base(name)), data, 0o600))
	}
}

// CopyTo returns a copy of the disk with all files moved to dir.
func (d *Power) CopyTo(dir string) *Power {
	to := NewPower()
	var of func(f *powerFile) *powerFile
	of = func(f *powerFile) *powerFile {
		if f == nil {
			return nil
		}
		made := *f
		made.disk, made.before = to, of(f.before)
		made.data, made.safe = slices.Clone(f.data), slices.Clone(f.safe)
		made.dirty, made.lost = maps.Clone(f.dirty), maps.Clone(f.lost)
		return &made
	}
	for name, f := range d.files {
		to.files[filepath.Join(dir, filepath.Base(name))] = of(f)
	}
	return to
}

// ClearDir removes what is in a directory.
func ClearDir(t *testing.T, dir string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, e := range entries {
		require.NoError(t, os.Remove(filepath.Join(dir, e.Name())))
	}
}
