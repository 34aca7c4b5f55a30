package vfstest

import (
	"sync/atomic"
	"time"

	"github.com/svcflow/svc/store/internal/vfs"
)

// Slow is a file system whose syncs take some milliseconds, as on a real disk. It counts them.
type Slow struct {
	vfs.OS
	Syncs atomic.Int64
}

type slowFile struct {
	vfs.File
	disk *Slow
}

// Open implements [vfs.FS].
func (d *Slow) Open(name string, flag int) (vfs.File, error) {
	f, err := d.OS.Open(name, flag)
	return slowFile{File: f, disk: d}, err
}

// SyncDir implements [vfs.FS].
func (d *Slow) SyncDir(string) error {
	d.Syncs.Add(1)
	<-time.After(4 * time.Millisecond)
	return nil
}

func (f slowFile) Sync() error { return f.disk.SyncDir("") }
