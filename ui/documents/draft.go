package documents

import (
	"bytes"
	"encoding/json"
	"errors"
	"path/filepath"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"github.com/svcflow/svc/engine/durable"
	"github.com/svcflow/svc/engine/workflow"
)

// ErrEnded reports that a draft was saved after it had ended.
var ErrEnded = errors.New("this draft has ended: save the workflow itself")

// Draft stores unsaved work on one workflow. It does not touch the file or host that the
// workflow came from. It is safe for concurrent use: it can be saved in the background and
// discarded at any moment. See [Drafts.Begin] and [OrphanDraft.Take].
type Draft struct {
	files filesOf

	mu     sync.Mutex
	origin Origin
	lock   *flock.Flock // nil until the first save, and after the end
	last   []byte       // the last saved text
	ended  bool
}

// Name identifies the draft.
func (d *Draft) Name() string { return d.files.id }

// Origin returns where the workflow came from.
func (d *Draft) Origin() Origin {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.origin
}

// Moved records that the workflow is saved somewhere else now, or as another one. The next
// Save writes it.
func (d *Draft) Moved(to Origin) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.origin, d.last = to, nil
}

// Save saves the workflow, and returns once it is on the disk. After a crash at any moment
// either this state or the last one is there. After the draft has ended, Save returns
// [ErrEnded] and writes nothing.
func (d *Draft) Save(def *workflow.Definition) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.ended {
		return ErrEnded
	}
	text := def.AppendJSON(nil)
	if bytes.Equal(text, d.last) {
		return nil
	}
	if d.lock == nil {
		lock, err := d.files.lock()
		if err != nil {
			return err
		}
		d.lock = lock
	}
	name := def.Name
	if name == "" {
		name = def.ID
	}
	whole, err := json.Marshal(page{d.origin, name, time.Now().UTC(), text})
	if err != nil {
		return err
	}
	if err := durable.Replace(d.files.text(), whole, durable.Options{Temp: filepath.Base(d.files.temp())}); err != nil {
		return err
	}
	d.last = text
	return nil
}

// Discard ends the draft and deletes it, because the workflow was saved or is not wanted.
func (d *Draft) Discard() error { return d.end(d.files.remove) }

// Keep ends the draft but keeps its file, to be offered later, as when the system ends the
// user's session.
func (d *Draft) Keep() error { return d.end((*flock.Flock).Close) }

// end ends the draft. If it was ever saved, end calls do with its lock.
func (d *Draft) end(do func(lock *flock.Flock) error) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	lock := d.lock
	d.lock, d.last, d.ended = nil, nil, true
	if lock == nil {
		return nil
	}
	return do(lock)
}
