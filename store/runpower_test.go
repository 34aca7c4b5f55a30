package store

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/run"
)

// powerDisk is a disk whose power can fail after any call: what was not synced is there
// or not, sector by sector, in any order, and so are names and sizes of files.
type powerDisk struct {
	mu    sync.Mutex
	files map[string]*powerFile
	after func() // is called after each change, with mu held
	fails int    // so many calls of Sync to come fail
}

const sector = 512

type powerFile struct {
	disk    *powerDisk
	before  *powerFile       // which may still have the name, as long as that is not on the disk
	data    []byte           // as programs see it
	safe    []byte           // as it is on the disk for certain
	dirty   map[int][][]byte // what else a sector may hold by now
	lost    map[int]bool     // sectors that a failed sync has given up, though programs still see them
	named   bool             // the name is on the disk
	removed bool             // it is gone, but the name may still be there
}

func newPowerDisk() *powerDisk { return &powerDisk{files: map[string]*powerFile{}} }

// still calls do while nothing changes.
func (d *powerDisk) still(do func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	do()
}

func (d *powerDisk) changed() {
	if d.after != nil {
		d.after()
	}
}

func (d *powerDisk) Open(name string, flag int) (diskFile, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	f := d.files[name]
	if f == nil || f.removed {
		if flag&os.O_CREATE == 0 {
			return nil, fs.ErrNotExist
		}
		f = &powerFile{disk: d, dirty: map[int][][]byte{}}
		d.files[name] = f
		d.changed()
	}
	return f, nil
}

// Replace writes a file of another name, which does not matter until it has this one.
func (d *powerDisk) Replace(name string, text []byte) error {
	d.mu.Lock()
	f := &powerFile{disk: d, dirty: map[int][][]byte{}}
	d.mu.Unlock()
	if _, err := f.WriteAt(text, 0); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	d.mu.Lock()
	f.before = d.files[name]
	f.named = f.before != nil && f.before.named // one of the two has it
	d.files[name] = f
	d.changed()
	d.mu.Unlock()
	return d.SyncDir(filepath.Dir(name))
}

func (d *powerDisk) Remove(name string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if f := d.files[name]; f != nil && !f.removed {
		f.removed = true
		d.changed()
		return nil
	}
	return fs.ErrNotExist
}

func (d *powerDisk) SyncDir(string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	for name, f := range d.files {
		f.before = nil
		if f.named = true; f.removed {
			delete(d.files, name)
		}
	}
	d.changed()
	return nil
}

func (f *powerFile) ReadAt(p []byte, at int64) (int, error) {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	n := 0
	if at < int64(len(f.data)) {
		n = copy(p, f.data[at:])
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

func (f *powerFile) WriteAt(p []byte, at int64) (int, error) {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	f.resize(max(int64(len(f.data)), at+int64(len(p))))
	copy(f.data[at:], p)
	for n := int(at) / sector; n*sector < int(at)+len(p); n++ {
		delete(f.lost, n)
		f.dirty[n] = append(f.dirty[n], slices.Clone(f.data[n*sector:min(len(f.data), (n+1)*sector)]))
	}
	f.disk.changed()
	return len(p), nil
}

func (f *powerFile) resize(size int64) {
	if more := size - int64(len(f.data)); more > 0 {
		f.data = append(f.data, make([]byte, more)...)
	}
	f.data = f.data[:size:size]
}

func (f *powerFile) Truncate(size int64) error {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	f.resize(size)
	f.disk.changed()
	return nil
}

func (f *powerFile) Allocate(size int64) error {
	if n, _ := f.Size(); n >= size {
		return nil
	}
	return f.Truncate(size)
}

func (f *powerFile) Size() (int64, error) {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	return int64(len(f.data)), nil
}

func (f *powerFile) Sync() error {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	failed := f.disk.fails > 0
	if failed {
		f.disk.fails--
		f.lost = map[int]bool{}
		for n := range f.dirty {
			f.lost[n] = true
		}
	}
	if f.dirty = map[int][][]byte{}; failed {
		return syscall.EIO
	}
	was := f.safe
	f.safe = slices.Clone(f.data)
	for n := range f.lost { // it is not written, and no later call says so
		if at := n * sector; at < len(f.safe) {
			clear(f.safe[at:min(len(f.safe), at+sector)])
			copy(f.safe[at:], was[min(at, len(was)):min(at+sector, len(was))])
		}
	}
	f.disk.changed()
	return nil
}

func (*powerFile) Close() error { return nil }

// outage writes one of the states in which the disk may be found after a loss of power.
// choose returns a number below n.
func (d *powerDisk) outage(t *testing.T, dir string, choose func(n int) int) {
	t.Helper()
	names := slices.Sorted(maps.Keys(d.files))
	for _, name := range names {
		f := d.files[name]
		for f.before != nil && choose(2) == 0 {
			f = f.before
		}
		if !f.named && choose(2) == 0 || f.removed && choose(2) == 0 {
			continue
		}
		data := slices.Clone(f.safe)
		if len(data) != len(f.data) && choose(2) == 1 {
			data = append(data, make([]byte, max(0, len(f.data)-len(data)))...)[:len(f.data)]
		}
		for _, n := range slices.Sorted(maps.Keys(f.dirty)) {
			if which := choose(len(f.dirty[n]) + 1); which > 0 && n*sector < len(data) {
				copy(data[n*sector:], f.dirty[n][which-1])
			}
		}
		require.NoError(t, os.WriteFile(filepath.Join(dir, filepath.Base(name)), data, 0o600))
	}
}

// promise is what was acknowledged of a run, and what has been written of it.
type promise struct {
	created bool
	written int // frames that were handed over
	ended   bool
}

func powerID(n int) string { return fmt.Sprintf("01990000-0000-7000-8000-%012d", n) }

func powerFrames(n int) []run.Frame {
	var c run.Encoder
	var frames []run.Frame
	text := strings.Repeat(string(rune('a'+n)), 5000)
	for seq := 1; seq < 4; seq++ {
		e := engine.Event{
			Name: engine.EventNode, Seq: seq, RunID: powerID(n), NodeID: fmt.Sprint("n", seq), Status: engine.StatusSucceeded,
			Outputs: map[string]any{"text": text, "seq": seq},
		}
		kept, _ := c.Frame(&e)
		frames = append(frames, kept)
	}
	result := &engine.Result{RunID: powerID(n), WorkflowID: "w", Status: engine.StatusCompleted, Outputs: map[string]any{"all": text}}
	e := engine.Event{Name: engine.EventCompleted, Seq: 4, RunID: powerID(n), Result: result}
	kept, _ := c.Frame(&e)
	return append(frames, kept)
}

// TestPowerLoss lets the power fail after each call of a schedule, and finds, in whatever
// state the disk may then be, at least what was acknowledged, and nothing that was not
// written; what goes on from there holds, too.
func TestPowerLoss(t *testing.T) {
	seeds := uint64(2)
	if n, err := strconv.ParseUint(os.Getenv("SVC_KILLS"), 10, 64); err == nil {
		seeds = n // make kills
	}
	for seed := range seeds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 1)) // of what the disk does, which others may be at work on, too
			states := 0
			promises := map[int]*promise{}
			d := newPowerDisk()
			home, found := t.TempDir(), t.TempDir()
			s, err := openRuns(home, RunOptions{segment: 24 << 10}, d)
			require.NoError(t, err)
			d.after = func() {
				for state := range 6 {
					choose := random.IntN
					if state < 2 {
						choose = func(n int) int { return state * (n - 1) } // nothing, everything
					}
					d.outage(t, found, choose)
					checkOutage(t, found, promises)
					states++
				}
			}
			schedule(t, s, d, rand.New(rand.NewPCG(seed, 2)), promises)
			d.still(func() { d.after = nil })
			require.NoError(t, s.Close())
			require.Greater(t, states, 200)
		})
	}
}

// schedule runs three at a time, in any order, some of which are kept after the fact. What
// it promises, it says while the disk stands still.
func schedule(t *testing.T, s *RunFiles, d *powerDisk, random *rand.Rand, promises map[int]*promise) {
	t.Helper()
	open := map[int]Journal{}
	next := 0
	for range 45 {
		switch n := random.IntN(8); {
		case n == 0:
			result := &engine.Result{RunID: powerID(next), WorkflowID: "w", Status: engine.StatusCompleted, Outputs: map[string]any{"all": "x"}}
			kept := run.Start{RunID: powerID(next), Definition: version(1), Inputs: map[string]any{"a": "b c"}}
			require.Empty(t, s.Keep(t.Context(), []run.Kept{{Start: kept, Outcome: powerOutcome{result}}})) // nothing is promised
			next++
		case n < 3 && len(open) < 3:
			p := &promise{}
			d.still(func() { promises[next] = p })
			j, err := s.Create(t.Context(), run.Start{RunID: powerID(next), Definition: version(1 + next%2), Inputs: map[string]any{"a": "b c"}})
			require.NoError(t, err)
			d.still(func() { p.created = true })
			open[next] = j
			next++
		default:
			for _, n := range slices.Sorted(maps.Keys(open)) {
				if random.IntN(2) == 0 {
					continue
				}
				p := promises[n]
				f := powerFrames(n)[p.written]
				d.still(func() { p.written++ })
				require.NoError(t, open[n].Append(f))
				if f.Name.Terminal() {
					d.still(func() { p.ended = true })
					delete(open, n)
				}
			}
		}
	}
}

// powerOutcome is what came of a run that is kept.
type powerOutcome struct{ result *engine.Result }

func (o powerOutcome) ID() string                          { return o.result.RunID }
func (o powerOutcome) Status() engine.Status               { return o.result.Status }
func (o powerOutcome) FinishedAt() time.Time               { return o.result.FinishedAt }
func (o powerOutcome) Ended() int                          { return 0 }
func (o powerOutcome) Err() *engine.Failure                { return nil }
func (o powerOutcome) Result() *engine.Result              { return o.result }
func (o powerOutcome) AppendJSON(dst []byte, e int) []byte { return o.result.AppendJSON(dst, e) }

func openLogged(t testing.TB, dir string, log io.Writer) *RunFiles {
	t.Helper()
	s, err := openRuns(dir, RunOptions{segment: 24 << 10, Log: slog.New(slog.NewTextHandler(log, nil))}, hastyDisk{})
	require.NoError(t, err)
	return s
}

func checkOutage(t *testing.T, dir string, promises map[int]*promise) {
	t.Helper()
	defer clearDir(t, dir)
	var log strings.Builder
	s := openLogged(t, dir, &log)
	for n, p := range promises {
		id := powerID(n)
		record, err := s.Record(t.Context(), id)
		if errors.Is(err, ErrRunNotFound) && !p.created {
			continue
		}
		require.NoError(t, err, "run %d %+v\n%s", n, *p, log.String())
		start, err := s.Start(t.Context(), id)
		require.NoError(t, err)
		require.Equal(t, map[string]any{"a": "b c"}, start.Inputs)
		frames, err := s.Frames(t.Context(), id, 0, 1<<20)
		require.NoError(t, err)
		require.LessOrEqual(t, len(frames), p.written)
		if p.ended {
			require.Len(t, frames, 4, "run %d", n)
		}
		for i, want := range powerFrames(n)[:len(frames)] {
			require.Equal(t, want.Data, frames[i].Data)
			for _, h := range frames[i].Holes {
				if h.Frame == 0 {
					text, err := s.Value(t.Context(), id, h.Digest)
					require.NoError(t, err)
					require.Len(t, text, h.Size)
				}
			}
		}
		require.Equal(t, len(frames) == 4, record.Status != engine.StatusRunning)
		if record.Status == engine.StatusRunning && n%2 == 0 {
			j, err := s.Reopen(t.Context(), id)
			require.NoError(t, err)
			result := &engine.Result{RunID: id, WorkflowID: "w", Status: engine.StatusFailed}
			e := engine.Event{Name: engine.EventFailed, Seq: len(frames) + 1, RunID: id, Result: result}
			require.NoError(t, j.Append(run.NewFrame(&e, e.AppendJSON(nil, engine.NoElision))))
		}
	}
	require.NotContains(t, log.String(), "damaged")
	before, err := s.Records(t.Context(), run.Query{})
	require.NoError(t, err)
	require.NoError(t, s.Close())
	s = openLogged(t, dir, &log)
	after, err := s.Records(t.Context(), run.Query{})
	require.NoError(t, err)
	require.Equal(t, before, after)
	require.NotContains(t, log.String(), "damaged")
	require.NoError(t, s.Close())
}

func clearDir(t *testing.T, dir string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, e := range entries {
		require.NoError(t, os.Remove(filepath.Join(dir, e.Name())))
	}
}
