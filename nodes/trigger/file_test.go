package trigger_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes/nodetest"
	"github.com/svcflow/svc/nodes/trigger"
)

// rooted holds the files below a folder.
type rooted struct{ *os.Root }

// Clean implements [trigger.Files].
func (rooted) Clean(name string) (string, error) {
	if !filepath.IsLocal(name) {
		return "", errors.New("outside")
	}
	return filepath.ToSlash(filepath.Clean(name)), nil
}

func (rooted) Place(name string) string { return name }

func (rooted) Writer(f *os.File) io.Writer { return f }

func (r rooted) OpenFile(name string, flag int, perm fs.FileMode) (*os.File, error) {
	return r.Root.OpenFile(name, flag, perm)
}

// guard watches a folder as the service does, and stores the state of the trigger.
type guard struct {
	t      *testing.T
	dir    string
	away   string // a file in another folder
	source node.Watch

	mu      sync.Mutex
	told    []string
	keys    map[string]bool
	memory  []byte
	refuse  bool // storing firings fails
	forgets bool // firings are stored, but not the state
	stop    func()
}

func guardOf(t *testing.T, config record) *guard {
	t.Helper()
	dir := t.TempDir()
	root, err := os.OpenRoot(dir)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, root.Close()) })
	config["settleMs"] = 50
	source, err := nodetest.New(t, trigger.Plugin(trigger.Config{Files: rooted{root}})).Source("trigger.file", config)
	require.NoError(t, err)
	g := &guard{t: t, dir: dir, away: filepath.Join(t.TempDir(), "away"), source: source.(node.Watch), keys: map[string]bool{}}
	t.Cleanup(func() { g.close() })
	return g
}

// open starts watching, and returns when the existing files are known.
func (g *guard) open() {
	ctx, cancel := context.WithCancel(g.t.Context())
	over := make(chan struct{})
	go func() {
		defer close(over)
		for ctx.Err() == nil {
			g.mu.Lock()
			memory := g.memory
			g.mu.Unlock()
			_ = g.source.Run(ctx, time.Now(), memory, g.fire)
		}
	}()
	g.stop = func() { cancel(); <-over }
	g.until(func() bool { return g.memory != nil })
}

func (g *guard) close() {
	if g.stop != nil {
		g.stop()
		g.stop = nil
	}
}

func (g *guard) fire(firings []node.Firing, memory []byte) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.refuse && len(firings) > 0 {
		return errors.New("full")
	}
	for _, f := range firings {
		if !g.keys[f.Key] {
			g.keys[f.Key] = true
			g.told = append(g.told, fmt.Sprintf("%s %s %d", f.Outputs["event"], f.Outputs["path"], f.Outputs["bytes"]))
		}
	}
	if g.forgets && len(firings) > 0 {
		return errors.New("not kept")
	}
	g.memory = memory
	return nil
}

// until waits until f, which is called with the lock held, returns true.
func (g *guard) until(f func() bool) {
	g.t.Helper()
	require.Eventually(g.t, func() bool {
		g.mu.Lock()
		defer g.mu.Unlock()
		return f()
	}, time.Minute, 10*time.Millisecond)
}

// tells waits until exactly these events have fired, in any order.
func (g *guard) tells(want ...string) {
	g.t.Helper()
	slices.Sort(want)
	g.until(func() bool { return len(g.told) >= len(want) })
	g.mu.Lock()
	defer g.mu.Unlock()
	got := slices.Sorted(slices.Values(g.told))
	g.told = nil
	require.Equal(g.t, want, got)
}

// write creates or replaces a file in one step. With two steps, a slow machine may pause
// after the first for so long that the file counts as settled.
func (g *guard) write(name, text string) {
	g.t.Helper()
	at := filepath.Join(g.dir, name)
	require.NoError(g.t, os.MkdirAll(filepath.Dir(at), 0o755))
	f, err := os.OpenFile(at, os.O_WRONLY, 0)
	if errors.Is(err, fs.ErrNotExist) {
		require.NoError(g.t, os.WriteFile(g.away, []byte(text), 0o600))
		require.NoError(g.t, os.Rename(g.away, at))
		return
	}
	require.NoError(g.t, err)
	_, err = f.WriteString(text)
	require.NoError(g.t, errors.Join(err, f.Close()))
}

func TestFiles(t *testing.T) {
	g := guardOf(t, record{"dir": "in/", "pattern": "*.txt", "recursive": true, "events": []any{"created", "changed", "deleted"}})
	g.write("in/old.txt", "1")
	g.write("in/sub/old.txt", "1")
	g.open()
	g.write("in/new.txt", "12")
	g.write("in/new.csv", "12")
	g.write("new.txt", "12")
	g.tells("created in/new.txt 2")
	g.write("in/old.txt", "123")
	g.write("in/.svc-tmp-x.txt", "1")
	g.tells("changed in/old.txt 3")
	g.write("in/sub/deep/new.txt", "")
	g.tells("created in/sub/deep/new.txt 0")
	g.write("in/sub/deep/more.txt", "1")
	g.tells("created in/sub/deep/more.txt 1")
	require.NoError(t, os.Rename(filepath.Join(g.dir, "in/new.txt"), filepath.Join(g.dir, "in/moved.txt")))
	g.tells("deleted in/new.txt 0", "created in/moved.txt 2")
	require.NoError(t, os.RemoveAll(filepath.Join(g.dir, "in/sub/deep")))
	g.tells("deleted in/sub/deep/new.txt 0", "deleted in/sub/deep/more.txt 0")

	// Changes while nothing watches are found later.
	g.close()
	g.write("in/old.txt", "1234")
	g.write("in/while.txt", "1")
	require.NoError(t, os.Remove(filepath.Join(g.dir, "in/moved.txt")))
	g.open()
	g.tells("changed in/old.txt 4", "created in/while.txt 1", "deleted in/moved.txt 0")

	// If the folder is moved away, nothing fires, and the state is kept.
	require.NoError(t, os.Rename(filepath.Join(g.dir, "in"), filepath.Join(g.dir, "out")))
	require.ErrorContains(t, g.source.Run(t.Context(), time.Now(), g.memory, g.fire), "is not there")
	require.NoError(t, os.Rename(filepath.Join(g.dir, "out"), filepath.Join(g.dir, "in")))
	g.write("in/back.txt", "1")
	g.tells("created in/back.txt 1")
}

// TestFilesAreToldOnce makes the service fail before and after it has stored firings.
func TestFilesAreToldOnce(t *testing.T) {
	g := guardOf(t, record{"dir": "."})
	g.open()
	g.mu.Lock()
	g.refuse = true
	g.mu.Unlock()
	g.write("a", "1")
	g.write("b", "1")
	g.mu.Lock()
	g.refuse, g.forgets = false, true
	g.mu.Unlock()
	g.until(func() bool { return len(g.told) == 2 })
	g.mu.Lock()
	g.forgets = false
	g.mu.Unlock()
	g.write("c", "1")
	g.tells("created a 1", "created b 1", "created c 1")
	modified := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for range 2 { // the same file is created again
		g.write("d", "1")
		require.NoError(t, os.Chtimes(filepath.Join(g.dir, "d"), modified, modified))
		g.tells("created d 1")
		require.NoError(t, os.Remove(filepath.Join(g.dir, "d")))
		g.until(func() bool { return !bytes.Contains(g.memory, []byte(`"d"`)) })
	}
}

// TestManyFiles renames a hundred files per second, for three seconds, in a folder of ten
// thousand.
func TestManyFiles(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes seconds")
	}
	g := guardOf(t, record{"dir": "."})
	for i := range 10_000 {
		g.write(fmt.Sprint("f", i), "")
	}
	g.open()
	var want []string
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for i := range 300 {
		<-tick.C
		require.NoError(t, os.Rename(filepath.Join(g.dir, fmt.Sprint("f", i)), filepath.Join(g.dir, fmt.Sprint("g", i))))
		want = append(want, fmt.Sprintf("created g%d 0", i))
		if i == 150 {
			g.close()
			g.open()
		}
	}
	g.tells(want...)
}

func TestFileSettings(t *testing.T) {
	root, err := os.OpenRoot(t.TempDir())
	require.NoError(t, err)
	defer func() { require.NoError(t, root.Close()) }()
	h := nodetest.New(t, trigger.Plugin(trigger.Config{Files: rooted{root}}))
	for _, config := range []record{
		{"dir": ""}, {"dir": "../x"}, {"dir": "x", "pattern": "["}, {"dir": "x", "events": []any{}}, {"dir": "x", "settleMs": -1}, {"dir": "x", "settleMs": 3600001},
	} {
		require.Len(t, h.Problems("trigger.file", config), 1, config)
	}
	none := nodetest.New(t, trigger.Plugin(trigger.Config{}))
	source, err := none.Source("trigger.file", record{"dir": "x"})
	require.NoError(t, err)
	require.Equal(t, node.CodeUnavailable, node.CodeOf(source.(node.Watch).Run(t.Context(), time.Now(), nil, nil)))
}
