package trigger

import (
	"context"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"
)

// How often a folder is scanned: without notifications of the system, and with them. Scans
// are needed with them too, since some file systems send none, and some get lost.
const (
	blindLook = 5 * time.Second
	idleLook  = time.Minute
)

// ear receives the system's notifications of changes in folders.
type ear struct {
	watcher *fsnotify.Watcher // nil if the system has no notifications
	heard   chan struct{}
	over    sync.WaitGroup
	deaf    bool // at least one folder has no notifications
}

func listen() *ear {
	e := &ear{heard: make(chan struct{}, 1)}
	var err error
	if e.watcher, err = fsnotify.NewBufferedWatcher(64); err != nil {
		e.watcher, e.deaf = nil, true
		return e
	}
	e.over.Go(func() {
		events, errs := e.watcher.Events, e.watcher.Errors
		for events != nil || errs != nil {
			var ok bool
			select {
			case _, ok = <-events:
				if !ok {
					events = nil
				}
			case _, ok = <-errs: // the queue of notifications has overflowed
				if !ok {
					errs = nil
				}
			}
			select {
			case e.heard <- struct{}{}:
			default:
			}
		}
	})
	return e
}

// add subscribes to changes in a folder. Adding a folder twice costs nothing.
func (e *ear) add(dir string) {
	if e.watcher != nil && e.watcher.Add(dir) != nil {
		e.deaf = true // the folder does not exist, or there are too many watches
	}
}

// wait waits for a change, but at least for gap and at most for most. It returns false if
// ctx has ended.
func (e *ear) wait(ctx context.Context, most, gap time.Duration) bool {
	look := idleLook
	if e.deaf {
		look = blindLook
	}
	began := time.Now()
	select {
	case <-time.After(min(most, look)):
	case <-e.heard:
	case <-ctx.Done():
		return false
	}
	if rest := gap - time.Since(began); rest > 0 {
		select {
		case <-time.After(rest):
		case <-ctx.Done():
			return false
		}
	}
	return ctx.Err() == nil
}

func (e *ear) close() {
	if e.watcher != nil {
		_ = e.watcher.Close() // it holds nothing that could be lost
	}
	e.over.Wait()
}
