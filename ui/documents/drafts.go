package documents

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/svcflow/svc/engine/workflow"
)

// ErrTaken reports that another window has taken over a draft.
var ErrTaken = errors.New("another window has this draft open")

// Drafts is a folder of unsaved work. The window that edits a draft holds a lock on it, which
// the system releases when the process dies; so drafts left by a crash can be distinguished
// from those of open windows. It is safe for concurrent use, also by several processes. The
// zero value is not usable; see [OpenDrafts].
type Drafts struct{ dir string }

// OpenDrafts opens a folder of drafts, creating it if necessary.
func OpenDrafts(dir string) (*Drafts, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	return &Drafts{dir}, nil
}

// Begin returns a draft of a workflow that was opened or created. It writes no file before
// the first save.
func (d *Drafts) Begin(origin Origin) *Draft {
	return &Draft{files: filesOf{d.dir, uuid.NewString()}, origin: origin}
}

// Orphans returns the drafts that no window holds, newest first.
func (d *Drafts) Orphans() ([]OrphanDraft, error) {
	entries, err := os.ReadDir(d.dir)
	if err != nil {
		return nil, err
	}
	var all []OrphanDraft
	for _, e := range entries {
		end := filepath.Ext(e.Name())
		files := filesOf{d.dir, strings.TrimSuffix(e.Name(), end)}
		if end != textEnd {
			sweep(files, e)
		} else if !files.busy() {
			if left, there := look(files); there {
				all = append(all, left)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b OrphanDraft) int { return b.SavedAt.Compare(a.SavedAt) })
	return all, nil
}

// Find returns the draft of that name if no window holds it; see [Draft.Name].
func (d *Drafts) Find(name string) (left OrphanDraft, there bool) {
	all, err := d.Orphans()
	if err != nil {
		return OrphanDraft{}, false // no drafts can be read
	}
	i := slices.IndexFunc(all, func(l OrphanDraft) bool { return l.files.id == name })
	if i < 0 {
		return OrphanDraft{}, false
	}
	return all[i], true
}

// sweep removes files that a crash has left: a lock or a temporary file without a draft. It
// ignores recent ones, which may be in use.
func sweep(files filesOf, e fs.DirEntry) {
	info, err := e.Info()
	if err != nil || time.Since(info.ModTime()) < 24*time.Hour || files.busy() {
		return
	}
	name := filepath.Join(files.dir, e.Name())
	if _, err := os.Stat(files.text()); errors.Is(err, fs.ErrNotExist) && (name == files.key() || name == files.temp()) {
		_ = os.Remove(name) // else the next sweep tries again
	}
}

// OrphanDraft is a draft whose window is gone.
type OrphanDraft struct {
	Origin  Origin
	Name    string // of the workflow, or its id
	SavedAt time.Time
	// Damage is why the draft cannot be read; nil if it can be.
	Damage error

	files filesOf
}

// Read returns the last saved workflow.
func (l OrphanDraft) Read() (*workflow.Definition, error) {
	if l.Damage != nil {
		return nil, l.Damage
	}
	page, err := readPage(l.files.text())
	if err != nil {
		return nil, err
	}
	def, err := workflow.Decode(page.Definition, workflow.Limits{})
	if err != nil {
		return nil, fmt.Errorf("the draft of %q: %w", l.Name, err)
	}
	return def, nil
}

// Take returns the workflow and takes over its draft; [ErrTaken] if another window was
// faster.
func (l OrphanDraft) Take() (*Draft, *workflow.Definition, error) {
	lock, err := l.files.lock()
	if err != nil {
		return nil, nil, err
	}
	def, err := l.Read()
	if err != nil {
		return nil, nil, errors.Join(err, lock.Close())
	}
	return &Draft{files: l.files, origin: l.Origin, lock: lock}, def, nil
}

// Remove deletes the draft; [ErrTaken] if another window works on it.
func (l OrphanDraft) Remove() error {
	lock, err := l.files.lock()
	if err != nil {
		return err
	}
	return l.files.remove(lock)
}

// look reads the description of a draft. there is false if it was just deleted.
func look(files filesOf) (l OrphanDraft, there bool) {
	page, err := readPage(files.text())
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return OrphanDraft{}, false
	case err != nil:
		l = OrphanDraft{Damage: fmt.Errorf("the draft cannot be read: %w", err), files: files}
		if info, err := os.Stat(files.text()); err == nil {
			l.SavedAt = info.ModTime()
		}
		return l, true
	}
	return OrphanDraft{Origin: page.Origin, Name: page.Name, SavedAt: page.SavedAt, files: files}, true
}
