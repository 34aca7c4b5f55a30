package ui

import (
	"context"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"sync"

	"fyne.io/fyne/v2/lang"

	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/ui/job"
	"github.com/svcflow/svc/ui/poster"
	"github.com/svcflow/svc/ui/runview/valueview"
	"github.com/svcflow/svc/ui/wording"
)

// values is what views of values work with.
func (v *views) values() valueview.Config {
	return valueview.Config{
		Jobs: v.jobs, Copy: v.config.App.Clipboard().SetContent, Play: v.play,
		Media: func() poster.Place { return v.places.Here().Media },
	}
}

// play opens the file of media in the user's own program for it: a copy in a folder that goes
// with the window, so that nothing is opened whose name a workflow has made up.
func (v *views) play(m value.Media) {
	at := v.places.Here().Media
	if at == nil {
		return
	}
	v.jobs.Go(job.Telling(user{v.dialogs, v}, lang.L("Fetching the file…"), func(ctx context.Context) (func(), error) {
		folder, err := v.opened.folder()
		if err != nil {
			return nil, err
		}
		name, err := poster.Fetch(ctx, at, m, folder)
		if err != nil {
			return nil, errors.New(wording.Of(err.Error()))
		}
		return func() {
			if err := v.config.App.OpenURL(fileURL(name)); err != nil {
				v.Complain(err)
			}
		}, nil
	}))
}

// fileURL is the address of a file of this computer.
func fileURL(name string) *url.URL {
	name = filepath.ToSlash(name)
	if name[0] != '/' { // of Windows
		name = "/" + name
	}
	return &url.URL{Scheme: "file", Path: name}
}

// copies are files that were fetched to be opened.
type copies struct {
	mu  sync.Mutex
	dir string // "" before the first
}

// folder returns where they are.
func (c *copies) folder() (dir string, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.dir == "" {
		c.dir, err = os.MkdirTemp("", "svc-desktop-")
	}
	return c.dir, err
}

// clear removes them.
func (c *copies) clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.dir != "" {
		_ = os.RemoveAll(c.dir) // what another program still has open goes with the system's own
		c.dir = ""
	}
}
