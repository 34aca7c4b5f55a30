package documents

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/svcflow/svc/engine/durable"
)

// Entry is a recent workflow.
type Entry struct {
	Origin Origin    `json:"origin"`
	Name   string    `json:"name"`
	Opened time.Time `json:"opened"`
}

// Missing reports whether the file of e was deleted. It looks at the disk; for stored
// workflows it is always false.
func (e Entry) Missing() bool {
	if e.Origin.File == "" {
		return false
	}
	_, err := os.Stat(e.Origin.File)
	return errors.Is(err, fs.ErrNotExist)
}

// Recent is the list of what was opened recently, kept in a file. It is safe for
// concurrent use; of two programs that change it at the same moment, one wins. Its zero
// value is not usable; see [OpenRecent].
type Recent struct {
	file string
	mu   sync.Mutex
}

// mostRecent is the maximum number of entries.
const mostRecent = 20

// OpenRecent returns the list in a file, which need not exist. An unreadable file counts as
// an empty list: the list is not worth an error.
func OpenRecent(file string) *Recent { return &Recent{file: file} }

// Add moves or adds a workflow to the head of the list. A workflow without an origin is
// ignored.
func (r *Recent) Add(origin Origin, name string) error {
	if origin.IsNew() {
		return nil
	}
	origin.Digest = "" // it belongs to the open document, not to the host
	return r.change(func(entries []Entry) []Entry {
		entries = without(entries, origin)
		entries = slices.Insert(entries, 0, Entry{origin, name, time.Now().UTC()})
		return entries[:min(len(entries), mostRecent)]
	})
}

// Remove removes a workflow from the list.
func (r *Recent) Remove(origin Origin) error {
	return r.change(func(entries []Entry) []Entry { return without(entries, origin) })
}

// List returns the entries, last opened first.
func (r *Recent) List() []Entry {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.read()
}

// change reads the list first, because another window may have written it.
func (r *Recent) change(how func([]Entry) []Entry) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	text, err := json.Marshal(how(r.read()))
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(r.file), 0o700); err != nil {
		return err
	}
	return durable.Replace(r.file, text, durable.Options{})
}

func (r *Recent) read() []Entry {
	text, err := os.ReadFile(r.file)
	if err != nil {
		return nil
	}
	var raw []json.RawMessage
	if json.Unmarshal(text, &raw) != nil {
		return nil
	}
	var entries []Entry
	for _, one := range raw {
		var e Entry
		if json.Unmarshal(one, &e) == nil && !e.Origin.IsNew() {
			entries = append(entries, e)
		}
	}
	return entries[:min(len(entries), mostRecent)]
}

func without(entries []Entry, origin Origin) []Entry {
	return slices.DeleteFunc(entries, func(e Entry) bool { return e.Origin.Same(origin) })
}
