package trigger

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unicode/utf8"

	"github.com/svcflow/svc/engine/durable"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes/service"
)

// folder watches a folder by scanning it. The system's notifications, if available, trigger
// additional scans.
type folder struct {
	files        Files
	dir, pattern string
	recursive    bool
	events       []string
	settle       time.Duration
}

// fileState is compared to find out whether a file has changed.
type fileState struct {
	modified int64 // in nanoseconds since 1970
	bytes    int64
}

func (s fileState) text() string {
	return strconv.FormatInt(s.modified, 36) + " " + strconv.FormatInt(s.bytes, 36)
}

// filed is the state of a folder that a trigger remembers.
type filed struct {
	Of    string            `json:"of"`
	Turn  int               `json:"turn"` // number of scans with changes
	Files map[string]string `json:"files"`
}

// restless is a file that has changed since the last scan.
type restless struct {
	state string // "" if it was deleted
	since time.Time
}

// run implements [node.Watch].
func (f *folder) run(ctx context.Context, _ time.Time, memory []byte, fire func([]node.Firing, []byte) error) error {
	if f.files == nil {
		return node.Errorf(node.CodeUnavailable, "there are no files here")
	}
	var k filed
	of := "file " + nameFor(f.dir, f.pattern, strconv.FormatBool(f.recursive))
	first := memory == nil || json.Unmarshal(memory, &k) != nil || k.Of != of
	ear := listen()
	defer ear.close()
	unsettled := map[string]restless{}
	for {
		began := time.Now()
		now, err := f.scan(ctx, ear)
		if err != nil {
			return err
		}
		wait := longestSettle
		if first {
			first, k = false, filed{Of: of, Files: textsOf(now)}
			err = fire(nil, k.memory())
		} else {
			var firings []node.Firing
			var changed bool
			if firings, wait, changed = f.changes(&k, now, unsettled); changed {
				err = fire(firings, k.memory())
			}
		}
		if err != nil {
			return err // the stored state is loaded again
		}
		if !ear.wait(ctx, wait, max(f.settle/4, 100*time.Millisecond, min(10*time.Since(began), 10*time.Second))) {
			return ctx.Err()
		}
	}
}

func (k *filed) memory() []byte {
	text, _ := json.Marshal(k) // it consists of texts and a number
	return text
}

func textsOf(now map[string]fileState) map[string]string {
	texts := make(map[string]string, len(now))
	for name, s := range now {
		texts[name] = s.text()
	}
	return texts
}

// changes returns the changes that have settled, after storing them in k, and the time until
// the next change settles. changed reports whether k has changed.
func (f *folder) changes(k *filed, now map[string]fileState, unsettled map[string]restless) (firings []node.Firing, wait time.Duration, changed bool) {
	at := time.Now()
	wait = longestSettle
	settled := func(name, state string) bool {
		r, seen := unsettled[name]
		if !seen || r.state != state {
			r = restless{state, at}
			unsettled[name] = r
		}
		if left := f.settle - at.Sub(r.since); left > 0 {
			wait = min(wait, left)
			return false
		}
		delete(unsettled, name)
		return true
	}
	tell := func(name, event string, s fileState) {
		changed = true
		if f.wants(event) {
			firings = append(firings, f.firing(k.Turn, name, event, s))
		}
	}
	for name, s := range now {
		state, event := s.text(), fileChanged
		before, known := k.Files[name]
		if known && before == state {
			delete(unsettled, name)
			continue
		}
		if !known {
			event = fileCreated
		}
		if settled(name, state) {
			tell(name, event, s)
			k.Files[name] = state
		}
	}
	for name := range k.Files {
		if _, there := now[name]; !there && settled(name, "") {
			tell(name, fileDeleted, fileState{})
			delete(k.Files, name)
		}
	}
	for name := range unsettled {
		if _, there := now[name]; !there && k.Files[name] == "" {
			delete(unsettled, name) // it was created and deleted before it settled
		}
	}
	if changed {
		k.Turn++
	}
	slices.SortFunc(firings, func(a, b node.Firing) int {
		x, y := a.Outputs, b.Outputs
		return strings.Compare(x["modified"].(string)+x["path"].(string), y["modified"].(string)+y["path"].(string))
	})
	return firings, wait, changed
}

// firing returns the firing for a change of a file. Its key is the same if the change is
// found again after a crash, and different if the same file is created again later.
func (f *folder) firing(turn int, name, event string, s fileState) node.Firing {
	modified := ""
	if event != fileDeleted {
		modified = time.Unix(0, s.modified).UTC().Format(timeLayout)
	}
	return node.Firing{
		Key:     nameFor(strconv.Itoa(turn), name, event, s.text()),
		Outputs: map[string]any{"path": name, "event": event, "bytes": int(s.bytes), "modified": modified},
	}
}

// mostFiles is how many files a scan may find.
const mostFiles = 100_000

// scan lists the files of the folder.
func (f *folder) scan(ctx context.Context, ear *ear) (map[string]fileState, error) {
	now := map[string]fileState{}
	todo := []string{f.dir}
	for first := true; len(todo) > 0; first = false {
		dir := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		below, err := f.visit(ctx, dir, ear, now)
		switch {
		case errors.Is(err, fs.ErrNotExist) && first:
			return nil, node.Errorf(service.CodeNotFound, "the folder %q is not there; it is waited for", f.dir)
		case errors.Is(err, fs.ErrNotExist): // it was deleted during the scan
		case err != nil && ctx.Err() == nil && !errors.As(err, new(*node.Error)):
			return nil, &node.Error{Code: node.CodeUnavailable, Message: "the folder " + strconv.Quote(dir) + " cannot be read", Err: err}
		case err != nil:
			return nil, err
		}
		if f.recursive {
			todo = append(todo, below...)
		}
	}
	return now, nil
}

// ofRuns returns an error for the paths of files that runs make for themselves: these do
// not trigger runs.
func ofRuns(name string) error { return (*node.Workspace)(nil).Check(name) }

func (f *folder) visit(ctx context.Context, dir string, ear *ear, now map[string]fileState) (below []string, err error) {
	open, err := f.files.OpenFile(dir, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer open.Close() //nolint:errcheck // opened for reading only
	ear.add(open.Name())
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		entries, err := open.ReadDir(256)
		for _, e := range entries {
			name := path.Join(dir, e.Name())
			if !utf8.ValidString(name) || durable.IsTemp(e.Name()) || ofRuns(name) != nil {
				continue
			}
			if e.IsDir() {
				below = append(below, name)
			} else if err := f.meet(name, e, now); err != nil {
				return nil, err
			}
		}
		if errors.Is(err, io.EOF) {
			return below, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// meet records a file, or the target of a link. It skips everything that is not a regular
// file, and files that were deleted in the meantime.
func (f *folder) meet(name string, e fs.DirEntry, now map[string]fileState) error {
	if ok, _ := path.Match(f.pattern, e.Name()); !ok {
		return nil
	}
	var info fs.FileInfo
	var err error
	switch {
	case e.Type()&fs.ModeSymlink != 0:
		info, err = f.files.Stat(name)
	case e.Type().IsRegular():
		info, err = e.Info()
	default:
		return nil
	}
	if err != nil || !info.Mode().IsRegular() {
		return nil //nolint:nilerr // it was deleted, or is a link to outside
	}
	if len(now) >= mostFiles {
		return node.Permanent(node.Errorf(node.CodeLimitExceeded, "there are more than %d files in the folder; choose a narrower pattern", mostFiles))
	}
	now[name] = fileState{info.ModTime().UnixNano(), info.Size()}
	return nil
}
