// Package vfstest has file systems for tests: with faults, with losses of power, with little or slow disk.
package vfstest

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/store/internal/vfs"
)

// Faulty is a file system that fails on request, has limited space, and counts calls.
type Faulty struct {
	vfs.OS
	mu     sync.Mutex
	Fault  Fault
	Room   int64 // bytes left; negative means unlimited
	Calls  int
	Opened int   // currently open files
	Read   int64 // bytes
	Syncs  int   // of files and directories
}

// Fault defines which calls fail, and how.
type Fault struct {
	First, Last int // numbers of calls, from 1; none if Last is 0
	Err         error
	WritesOnly  bool // calls that only read succeed
	Short       bool // half of the data is written
}

// EachFault runs a scenario with each kind of fault at each call to the disk, once or until the disk
// is healed. The scenario returns how many calls it made.
func EachFault(t *testing.T, scenario func(t *testing.T, f Fault) (calls int)) {
	t.Helper()
	for name, f := range map[string]Fault{
		"full":           {Err: syscall.ENOSPC, WritesOnly: true},
		"short write":    {Err: syscall.ENOSPC, WritesOnly: true, Short: true},
		"broken":         {Err: syscall.EIO},
		"read-only":      {Err: syscall.EROFS, WritesOnly: true},
		"no descriptors": {Err: syscall.EMFILE},
	} {
		for _, forever := range []bool{false, true} {
			t.Run(fmt.Sprint(name, " forever ", forever), func(t *testing.T) {
				for first, last := 1, 0; ; first++ {
					f.First, f.Last = first, first
					if forever {
						f.Last = 1 << 30
					}
					if last = scenario(t, f); last < first {
						break
					}
				}
			})
		}
	}
}

// fails counts a call and returns its error.
func (d *Faulty) fails(writes bool) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.Calls++
	if d.Calls < d.Fault.First || d.Calls > d.Fault.Last || d.Fault.WritesOnly && !writes {
		return nil
	}
	return d.Fault.Err
}

// Heal ends all faults.
func (d *Faulty) Heal() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.Fault, d.Room = Fault{}, -1
}

// take reserves up to size bytes and returns how many there were. A negative size returns space.
func (d *Faulty) take(size int64) int64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.Room < 0 {
		return size
	}
	size = min(size, d.Room)
	d.Room -= size
	return size
}

// Open implements [vfs.FS].
func (d *Faulty) Open(name string, flag int) (vfs.File, error) {
	if err := d.fails(flag != os.O_RDONLY); err != nil {
		return nil, &os.PathError{Op: "open", Path: name, Err: err}
	}
	f, err := d.OS.Open(name, flag)
	if err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.Opened++
	return &faultyFile{File: f, disk: d}, nil
}

// Remove implements [vfs.FS].
func (d *Faulty) Remove(name string) error {
	if err := d.fails(true); err != nil {
		return err
	}
	if info, err := os.Stat(name); err == nil {
		defer d.take(-info.Size())
	}
	return d.OS.Remove(name)
}

// Replace implements [vfs.FS].
func (d *Faulty) Replace(name string, text []byte) error {
	if err := d.fails(true); err != nil {
		return err
	}
	return d.OS.Replace(name, text)
}

// SyncDir implements [vfs.FS].
func (d *Faulty) SyncDir(string) error {
	d.mu.Lock()
	d.Syncs++
	d.mu.Unlock()
	return d.fails(true)
}

type faultyFile struct {
	vfs.File
	disk *Faulty
}

func (f *faultyFile) ReadAt(p []byte, at int64) (int, error) {
	if err := f.disk.fails(false); err != nil {
		return 0, err
	}
	n, err := f.File.ReadAt(p, at)
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	f.disk.Read += int64(n)
	return n, err
}

func (f *faultyFile) WriteAt(p []byte, at int64) (int, error) {
	if err := f.disk.fails(true); err != nil {
		if f.disk.Fault.Short {
			p = p[:len(p)/2]
			n, _ := f.File.WriteAt(p, at)
			return n, err
		}
		return 0, err
	}
	size, err := f.File.Size()
	if err != nil {
		return 0, err
	}
	more := max(0, at+int64(len(p))-size)
	got := f.disk.take(more)
	n, err := f.File.WriteAt(p[:int64(len(p))-(more-got)], at)
	if err == nil && got < more {
		err = syscall.ENOSPC
	}
	return n, err
}

func (f *faultyFile) Size() (int64, error) {
	if err := f.disk.fails(false); err != nil {
		return 0, err
	}
	return f.File.Size()
}

func (f *faultyFile) Truncate(to int64) error {
	if err := f.disk.fails(true); err != nil {
		return err
	}
	size, err := f.File.Size()
	if err != nil {
		return err
	}
	f.disk.take(to - size)
	return f.File.Truncate(to)
}

// Allocate is not supported.
func (f *faultyFile) Allocate(int64) error { return errors.ErrUnsupported }

func (f *faultyFile) Sync() error { return f.disk.SyncDir("") }

func (f *faultyFile) Close() error {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	f.disk.Opened--
	return f.File.Close()
}

// Insist calls try, and once more after healing the disk if it fails. An error must be the injected
// one.
func (d *Faulty) Insist(t *testing.T, try func() error) {
	t.Helper()
	cause := d.Fault.Err
	if err := try(); err != nil {
		require.ErrorIs(t, err, cause)
		d.Heal()
		require.NoError(t, try())
	}
}
