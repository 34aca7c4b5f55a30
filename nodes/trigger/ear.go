package trigger

import (
	"context"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"
)

// How often a folder is looked through if the system tells nothing, and if it can tell of
// changes, in case that one gets lost: some file systems tell of none.
const (
	blindLook = 5 * time.Second
	idleLook  = time.Minute
)

// ear hears that something has happened in folders.
type ear struct {
	watcher *fsnotify.Watcher // nil if the system can tell nothing
	heard   chan struct{}
	over    sync.WaitGroup
	deaf    bool // to one of the folders
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
			case _, ok = <-errs: // more has happened than could be told
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

// add lets e hear of what happens in a folder. A folder that is known already is no work.
func (e *ear) add(dir string) {
	if e.watcher != nil && e.watcher.Add(dir) != nil {
		e.deaf = true // there is none, or too many
	}
}

// wait waits until something has happened, but no less than gap, and no longer than most. It
// reports whether ctx goes on.
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
