package documents

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"

	"github.com/svcflow/svc/engine/durable"
)

// Tab is the record of an open workflow: its origin, the name of its draft, which may not
// exist, its window, 0 being the first one, and whether it is in front there.
type Tab struct {
	Origin Origin `json:"origin,omitzero"`
	Draft  string `json:"draft,omitzero"`
	Front  bool   `json:"front,omitzero"`
	Window int    `json:"window,omitzero"`
}

// Tabs remember in a file which workflows are open, so that they can be opened again when
// the program is started the next time, however it has ended. One program at a time keeps
// them: it holds a lock, which the system frees when the process dies. In another they
// are empty, and remember nothing. They are safe for concurrent use if Set is not called
// twice at once. Their zero value is not usable; see [OpenTabs].
type Tabs struct {
	file string
	lock *flock.Flock // nil if another program has them
}

// OpenTabs returns the record in a file, which need not exist.
func OpenTabs(file string) (*Tabs, error) {
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return nil, err
	}
	lock := flock.New(file+lockEnd, flock.SetFlag(os.O_CREATE|os.O_RDWR), flock.SetPermissions(0o600))
	free, err := lock.TryLock()
	if err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	if !free {
		return &Tabs{}, lock.Close()
	}
	return &Tabs{file: file, lock: lock}, nil
}

// List returns the open workflows, in order. An unreadable file counts as empty: it holds no
// work.
func (t *Tabs) List() []Tab {
	if t.lock == nil {
		return nil
	}
	text, err := os.ReadFile(t.file)
	if err != nil {
		return nil
	}
	var raw []json.RawMessage
	if json.Unmarshal(text, &raw) != nil {
		return nil
	}
	var all []Tab
	for _, one := range raw {
		var tab Tab
		if json.Unmarshal(one, &tab) == nil {
			all = append(all, tab)
		}
	}
	return all[:min(len(all), mostTabs)]
}

// mostTabs is the maximum number of tabs to restore.
const mostTabs = 100

// Set records the open tabs, and returns once they are on the disk.
func (t *Tabs) Set(all []Tab) error {
	if t.lock == nil {
		return nil
	}
	text, err := json.Marshal(all)
	if err != nil {
		return err
	}
	return durable.Replace(t.file, text, durable.Options{})
}

// Close releases the tabs for another program.
func (t *Tabs) Close() error {
	if t.lock == nil {
		return nil
	}
	return t.lock.Close()
}
