package app

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"slices"
	"sync"
	"time"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/store"
)

const (
	// strayAge is how long files of unrecorded runs are kept.
	strayAge = 24 * time.Hour
	// idleAge is how long such files must be unchanged before they are deleted for lack of space.
	idleAge = time.Hour
	// sweepFiles is the interval of the search for files of deleted runs.
	sweepFiles = time.Hour
)

// folders counts the users of the folders of runs: the runs themselves and runs that resume them.
type folders struct {
	mu    sync.Mutex
	users map[string]int

	leaving []string // runs to delete next for space; only makeRoom uses it
}

func (f *folders) use(runIDs []string, by int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.users == nil {
		f.users = map[string]int{}
	}
	for _, id := range runIDs {
		if f.users[id] += by; f.users[id] == 0 {
			delete(f.users, id)
		}
	}
}

func (f *folders) used(runID string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.users[runID] > 0
}

// working returns ctx with the workspace of a run, if runs have files here. Callers must call leave
// at the end of the run.
func (a *App) working(ctx context.Context, runID string, earlier ...string) (_ context.Context, leave func()) {
	if !a.keepsFiles() {
		return ctx, func() {}
	}
	all := append([]string{runID}, earlier...)
	a.folders.use(all, 1)
	w := node.NewWorkspace(runID, earlier...)
	return node.WithWorkspace(ctx, w), func() {
		if w.Scratched() {
			a.removeScratch(runID)
		}
		a.folders.use(all, -1)
	}
}

// removeScratch removes the temporary files of the nodes of a run.
func (a *App) removeScratch(runID string) {
	dir := path.Join(node.RunsDir, runID)
	if err := a.removeDir(path.Join(dir, node.ScratchName)); err != nil {
		a.log.Warn("what nodes of a run have left in their scratch folder cannot be removed", "run", runID, "error", err)
	}
	_ = a.files.Files.Remove(dir) // unless there are other files in it
}

// sweep removes what a crash has left in scratch folders, and the files of deleted runs, until the
// App is closed.
func (a *App) sweep() {
	if err := a.sweepScratch(); err != nil {
		a.log.Warn("what a crash has left in scratch folders cannot be removed", "error", err)
	}
	for {
		if err := a.sweepOnce(); err != nil {
			a.log.Warn("files of runs that are kept no more cannot be removed", "error", err)
		}
		select {
		case <-time.After(sweepFiles):
		case <-a.life.Done():
			return
		}
	}
}

// sweepScratch removes scratch folders of runs that are recorded here and not in use. Runs that are
// not recorded here may be running in another service.
func (a *App) sweepScratch() error {
	all, err := a.runFolders()
	for _, e := range all {
		if _, unknown := a.runs.Record(a.life, e.Name()); unknown != nil || a.folders.used(e.Name()) {
			continue
		}
		if _, missing := a.files.Files.Stat(path.Join(node.RunsDir, e.Name(), node.ScratchName)); missing == nil {
			a.removeScratch(e.Name())
		}
	}
	return err
}

func (a *App) sweepOnce() error {
	all, err := a.runFolders()
	for _, e := range all {
		if time.Since(e.ModTime()) < strayAge || a.folders.used(e.Name()) {
			continue
		}
		if _, unknown := a.runs.Record(a.life, e.Name()); errors.Is(unknown, store.ErrRunNotFound) {
			err = errors.Join(err, a.removeFiles(e.Name()))
		}
	}
	return err
}

// runFolders returns the folders of runs.
func (a *App) runFolders() (all []fs.FileInfo, err error) {
	f, err := a.files.Files.OpenFile(node.RunsDir, os.O_RDONLY, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	all, err = f.Readdir(-1)
	_ = f.Close() // it was only read
	return all, err
}

// makeRoom deletes the run with files that ended first. It reports whether there was one.
func (a *App) makeRoom() bool {
	looked := false
	for {
		if len(a.folders.leaving) == 0 {
			if looked {
				return false
			}
			a.folders.leaving, looked = a.leaving(), true
		}
		if len(a.folders.leaving) == 0 {
			return false
		}
		id := a.folders.leaving[0]
		a.folders.leaving = a.folders.leaving[1:]
		if a.folders.used(id) {
			continue
		}
		err := a.DeleteRun(context.WithoutCancel(a.life), id)
		if errors.Is(err, store.ErrRunNotFound) {
			err = a.removeFiles(id)
		}
		if err == nil {
			a.log.Info("a run had to make room for files of others", "run", id)
			return true
		}
		if !errors.Is(err, store.ErrRunRunning) {
			a.log.Warn("a run cannot make room for files of others", "run", id, "error", err)
		}
	}
}

// leaving returns the runs that may be deleted for space, in the order of their ends.
func (a *App) leaving() (runIDs []string) {
	all, err := a.runFolders()
	if err != nil {
		a.log.Warn("the files of runs cannot be listed", "error", err)
		return nil
	}
	ended := map[string]time.Time{}
	for _, e := range all {
		r, err := a.runs.Record(context.WithoutCancel(a.life), e.Name())
		switch {
		case a.folders.used(e.Name()) || err == nil && r.Status.GoesOn():
			continue
		case err == nil:
			ended[e.Name()] = r.FinishedAt
		case errors.Is(err, store.ErrRunDamaged), errors.Is(err, store.ErrRunNotFound) && time.Since(e.ModTime()) > idleAge:
			ended[e.Name()] = e.ModTime()
		default:
			continue
		}
		runIDs = append(runIDs, e.Name())
	}
	slices.SortFunc(runIDs, func(x, y string) int { return cmp.Or(ended[x].Compare(ended[y]), cmp.Compare(x, y)) })
	return runIDs
}
