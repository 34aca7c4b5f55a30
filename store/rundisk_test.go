package store_test

import (
	"errors"
	"os"
	"sync"
	"syscall"

	"github.com/svcflow/svc/store"
)

// testDisk is a disk that fails when a test wants it to, has as much room as it is
// given, and counts.
type testDisk struct {
	store.OSDisk
	mu    sync.Mutex
	fault fault
	room  int64 // left for new bytes; negative for no bound
	calls int
	open  int   // files that are open
	read  int64 // bytes
	syncs int   // of files and directories
}

// fault says which calls fail, and how.
type fault struct {
	first, last int // calls, counted from 1; none if last is 0
	err         error
	writesOnly  bool // what only reads goes on working
	short       bool // half of what should be written is
}

// fails counts a call and returns its error.
func (d *testDisk) fails(writes bool) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.calls++
	if d.calls < d.fault.first || d.calls > d.fault.last || d.fault.writesOnly && !writes {
		return nil
	}
	return d.fault.err
}

// heal ends all faults.
func (d *testDisk) heal() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.fault, d.room = fault{}, -1
}

// take returns how many of size bytes there is room for; negative sizes give some
// back.
func (d *testDisk) take(size int64) int64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.room < 0 {
		return size
	}
	size = min(size, d.room)
	d.room -= size
	return size
}

func (d *testDisk) Open(name string, flag int) (store.DiskFile, error) {
	if err := d.fails(flag != os.O_RDONLY); err != nil {
		return nil, &os.PathError{Op: "open", Path: name, Err: err}
	}
	f, err := d.OSDisk.Open(name, flag)
	if err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.open++
	return &testFile{f, d}, nil
}

func (d *testDisk) Remove(name string) error {
	if err := d.fails(true); err != nil {
		return err
	}
	if info, err := os.Stat(name); err == nil {
		defer d.take(-info.Size())
	}
	return d.OSDisk.Remove(name)
}

func (d *testDisk) Replace(name string, text []byte) error {
	if err := d.fails(true); err != nil {
		return err
	}
	return d.OSDisk.Replace(name, text)
}

func (d *testDisk) SyncDir(string) error {
	d.mu.Lock()
	d.syncs++
	d.mu.Unlock()
	return d.fails(true)
}

type testFile struct {
	store.DiskFile
	disk *testDisk
}

func (f *testFile) ReadAt(p []byte, at int64) (int, error) {
	if err := f.disk.fails(false); err != nil {
		return 0, err
	}
	n, err := f.DiskFile.ReadAt(p, at)
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	f.disk.read += int64(n)
	return n, err
}

func (f *testFile) WriteAt(p []byte, at int64) (int, error) {
	if err := f.disk.fails(true); err != nil {
		if f.disk.fault.short {
			p = p[:len(p)/2]
			n, _ := f.DiskFile.WriteAt(p, at)
			return n, err
		}
		return 0, err
	}
	size, err := f.DiskFile.Size()
	if err != nil {
		return 0, err
	}
	more := max(0, at+int64(len(p))-size)
	got := f.disk.take(more)
	n, err := f.DiskFile.WriteAt(p[:int64(len(p))-(more-got)], at)
	if err == nil && got < more {
		err = syscall.ENOSPC
	}
	return n, err
}

func (f *testFile) Size() (int64, error) {
	if err := f.disk.fails(false); err != nil {
		return 0, err
	}
	return f.DiskFile.Size()
}

func (f *testFile) Truncate(to int64) error {
	if err := f.disk.fails(true); err != nil {
		return err
	}
	size, err := f.DiskFile.Size()
	if err != nil {
		return err
	}
	f.disk.take(to - size)
	return f.DiskFile.Truncate(to)
}

// Allocate is what no such disk can.
func (f *testFile) Allocate(int64) error { return errors.ErrUnsupported }

func (f *testFile) Sync() error { return f.disk.SyncDir("") }

func (f *testFile) Close() error {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	f.disk.open--
	return f.DiskFile.Close()
}
