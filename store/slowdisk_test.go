package store_test

import (
	"sync/atomic"
	"time"

	"github.com/svcflow/svc/store"
)

// slowDisk takes some milliseconds for what it puts on the disk, as disks do, and counts that.
type slowDisk struct {
	store.OSDisk
	syncs atomic.Int64
}

type slowFile struct {
	store.DiskFile
	disk *slowDisk
}

func (d *slowDisk) Open(name string, flag int) (store.DiskFile, error) {
	f, err := d.OSDisk.Open(name, flag)
	return slowFile{f, d}, err
}

func (d *slowDisk) SyncDir(string) error {
	d.syncs.Add(1)
	<-time.After(4 * time.Millisecond)
	return nil
}

func (f slowFile) Sync() error { return f.disk.SyncDir("") }
