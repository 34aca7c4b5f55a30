package nodes

import (
	"context"
	"io/fs"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/svcflow/svc/engine/limit"
	"github.com/svcflow/svc/engine/node"
)

// Quota limits what workflows store below a folder: bytes and entries, which are files and
// folders. It counts changes that are made through it, and with [Quota.Watch] also what is
// there already. It is safe for concurrent use.
type Quota struct {
	most struct{ bytes, entries int64 }

	mu             sync.Mutex
	bytes, entries int64
	recount        chan struct{} // of one: something was refused, and may be there no more
	makeRoom       func() bool   // nil if nobody does

	still   sync.RWMutex // read-locked while something is changed and counted; before mu
	changes atomic.Int64 // that were begun

	clearing sync.Mutex // held by the one who has room made; before mu
}

// NewQuota returns a quota of bytes and entries; 0 means the default of package limit.
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

// Watch counts the content of dir in the background, and again after a refusal, since users
// may have removed files. The returned function stops it.
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

// countTries is how often a count is tried while workflows change files, before it blocks
// them.
const countTries = 3

// count sets the used amounts to those below dir. If something is changed through q during a
// count, it is unknown whether the count includes the change. Then it is repeated, and the
// last try blocks all changes.
func (q *Quota) count(ctx context.Context, dir string) {
	for range countTries {
		q.still.Lock() // until no change is under way
		begun := q.changes.Load()
		q.still.Unlock()
		bytes, entries, err := lying(ctx, dir)
		if err != nil {
			return
		}
		q.still.Lock()
		same := q.changes.Load() == begun
		if same {
			q.set(bytes, entries)
		}
		q.still.Unlock()
		if same {
			return
		}
	}
	q.still.Lock()
	defer q.still.Unlock()
	if bytes, entries, err := lying(ctx, dir); err == nil {
		q.set(bytes, entries)
	}
}

// lying returns the bytes and the number of all files and folders below dir. Its error is
// ctx's.
func lying(ctx context.Context, dir string) (bytes, entries int64, err error) {
	err = filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		if err != nil || name == dir {
			return ctx.Err() // the rest is looked at all the same
		}
		if info, err := e.Info(); err == nil {
			entries++
			if info.Mode().IsRegular() {
				bytes += info.Size()
			}
		}
		return ctx.Err()
	})
	return bytes, entries, err
}

func (q *Quota) set(bytes, entries int64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.bytes, q.entries = bytes, entries
}

// change is called before something below the folder is changed and counted; the returned
// function after both.
func (q *Quota) change() (done func()) {
	q.still.RLock()
	q.changes.Add(1)
	return q.still.RUnlock
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
}

// withRoom calls f, and repeats it as long as f finds no room and room can be made. Other
// callers wait meanwhile, since the new room may be enough for them too.
func (q *Quota) withRoom(f func() error) error {
	err := f()
	q.mu.Lock()
	makeRoom := q.makeRoom
	q.mu.Unlock()
	if makeRoom == nil || node.CodeOf(err) != node.CodeStorageFull {
		return err
	}
	q.clearing.Lock()
	defer q.clearing.Unlock()
	for {
		if err = f(); node.CodeOf(err) != node.CodeStorageFull || !makeRoom() {
			return err
		}
	}
}

func (q *Quota) refused(what string, most int64, flag string) error {
	select {
	case q.recount <- struct{}{}:
	default:
	}
	return node.Errorf(node.CodeStorageFull, "the files folder may have "+what+", and has no room for more; remove some, or let the operator raise %s", most, flag)
}
