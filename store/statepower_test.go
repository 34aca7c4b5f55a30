package store

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/enginetest/trials"
)

// outages are the losses of power that a store of state meets, and what may be found after
// them. What it promises changes while the disk stands still.
type outages struct {
	t      loud
	disk   *powerDisk
	random *rand.Rand // of what the disk does
	store  *StateFiles
	found  string

	kept     string         // all that was acknowledged
	refused  []string       // with what was refused since: it may be there all the same, until something else is
	counters map[string]int // as they were told to who counted
	settled  []string       // items that are seen for certain
	states   int
}

// loud ends the program where a test fails: others wait for whoever finds out.
type loud struct{ *testing.T }

// FailNow implements require.TestingT.
func (l loud) FailNow() { panic(l.Name() + " has failed") }

// TestStatePowerLoss lets the power fail after each call of a schedule of changes, some of
// which are made at once and some refused by the disk, and finds in whatever state the disk
// may then be what was acknowledged, with nothing or all of what was written last.
func TestStatePowerLoss(t *testing.T) {
	for seed := range uint64(trials.Count(t, trials.Kills, 2)) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			d := newPowerDisk()
			s := openState(t.TempDir(), d)
			s.log.from = 8 << 10
			o := &outages{t: loud{t}, disk: d, random: rand.New(rand.NewPCG(seed, 1)), store: s, found: t.TempDir(), counters: map[string]int{}}
			o.kept = dumpState(newStateTable())
			d.after = o.happen
			o.schedule(rand.New(rand.NewPCG(seed, 2)))
			require.Greater(t, o.states, 300)
		})
	}
}

// schedule makes changes, several at once.
func (o *outages) schedule(random *rand.Rand) {
	for n := range 40 {
		o.disk.still(func() {
			if random.IntN(6) == 0 {
				o.disk.fails = 1 + random.IntN(2)
			}
		})
		var all sync.WaitGroup
		o.store.group.lead <- struct{}{}
		for i := range 1 + random.IntN(5) {
			change := o.change(random, fmt.Sprint(n, "-", i))
			all.Go(func() {
				if err := change(o.t.Context()); err != nil && !errors.Is(err, syscall.EIO) {
					o.t.Error(err)
				}
			})
			for o.waiting() <= i {
				runtime.Gosched()
			}
		}
		<-o.store.group.lead
		all.Wait()
		o.disk.still(func() {
			if o.store.log.table != nil {
				o.kept, o.refused = dumpState(o.store.log.table), nil
			}
		})
	}
}

func (o *outages) waiting() int {
	o.store.group.mu.Lock()
	defer o.store.group.mu.Unlock()
	return len(o.store.group.waiting)
}

// change returns a change, which says what it was told.
func (o *outages) change(random *rand.Rand, name string) func(context.Context) error {
	key := StateKey{"w", fmt.Sprint("k", random.IntN(4))}
	if random.IntN(4) > 0 {
		return func(ctx context.Context) error { return o.count(ctx, key) }
	}
	return func(ctx context.Context) error { return o.see(ctx, name) }
}

func (o *outages) count(ctx context.Context, key StateKey) error {
	v, err := o.store.ChangeState(ctx, key, func(now StateValue) (StateValue, error) {
		return StateValue{Value: powerCount(countOf(now.Value) + 1)}, nil
	})
	if err == nil {
		o.disk.still(func() { o.counters[key.Key] = max(o.counters[key.Key], countOf(v.Value)) })
	}
	return err
}

// see has two lists seen in one step.
func (o *outages) see(ctx context.Context, name string) error {
	for _, key := range []string{"a", "b"} {
		if _, err := o.store.Lend(ctx, StateKey{"w", key}, Lent{Items: []string{name}, Keep: 1000, Holder: name}); err != nil {
			return err
		}
	}
	if err := o.store.Settle(ctx, name, true); err != nil {
		return err
	}
	o.disk.still(func() { o.settled = append(o.settled, name) })
	return nil
}

// powerCount is a counter, which is longer than a sector.
func powerCount(n int) []byte {
	return fmt.Appendf(nil, `"%s"`, strings.Repeat(fmt.Sprint(n, " "), 400))
}

func countOf(text []byte) int {
	first, _, _ := strings.Cut(strings.Trim(string(text), `"`), " ")
	n, _ := strconv.Atoi(first)
	return n
}

// happen lets the power fail in some ways, and in some more after another process has taken
// over from one that was killed.
func (o *outages) happen() {
	if now := o.store.log.table; now != nil && dumpState(now) != o.kept {
		o.refused = append(o.refused, dumpState(now)) // until it is acknowledged
	}
	for state := range 6 {
		choose := o.random.IntN
		if state < 2 {
			choose = func(n int) int { return state * (n - 1) } // nothing, everything
		}
		o.disk.outage(o.t.T, o.found, choose)
		o.check()
		o.states++
	}
	o.takeOver()
}

// check finds what is there, and goes on with it.
func (o *outages) check() {
	defer clearDir(o.t.T, o.found)
	s := openState(o.found, hastyDisk{})
	o.look(s)
	ctx, key := o.t.Context(), StateKey{"w", "k0"}
	next := powerCount(countOf(s.log.table.values[key].Value) + 1)
	_, err := s.ChangeState(ctx, key, func(StateValue) (StateValue, error) { return StateValue{Value: next}, nil })
	require.NoError(o.t, err)
	again := openState(o.found, hastyDisk{})
	v, err := again.State(ctx, key)
	require.NoError(o.t, err)
	require.Equal(o.t, next, v.Value)
	require.Equal(o.t, dumpState(s.log.table), dumpState(again.log.table))
}

// look finds what may be there.
func (o *outages) look(s *StateFiles) {
	_, err := s.State(o.t.Context(), StateKey{"w", "k0"})
	require.NoError(o.t, err)
	if known := append([]string{o.kept}, o.refused...); !slices.Contains(known, dumpState(s.log.table)) {
		require.Equal(o.t, known[len(known)-1], dumpState(s.log.table))
	}
	for key, n := range o.counters {
		require.GreaterOrEqual(o.t, countOf(s.log.table.values[StateKey{"w", key}].Value), n, key)
	}
	for _, item := range o.settled {
		require.Contains(o.t, s.log.table.lists[StateKey{"w", "a"}].seen, item)
		require.Contains(o.t, s.log.table.lists[StateKey{"w", "b"}].seen, item)
	}
}

// takeOver lets a process look that finds what a killed one has left, and then the power
// fail: what the first has told is there.
func (o *outages) takeOver() {
	defer clearDir(o.t.T, o.found)
	d := o.disk.copyTo(o.found)
	s := openState(o.found, d)
	if d.fails = o.random.IntN(2); d.fails > 0 {
		_, err := s.State(o.t.Context(), StateKey{"w", "k0"}) // what it could not put on the disk, it does not tell
		if d.fails == 0 {
			require.ErrorIs(o.t, err, syscall.EIO)
		}
	}
	d.fails = 0
	o.look(s)
	clearDir(o.t.T, o.found)
	d.outage(o.t.T, o.found, func(int) int { return 0 })
	after := openState(o.found, hastyDisk{})
	_, err := after.State(o.t.Context(), StateKey{"w", "k0"})
	require.NoError(o.t, err)
	require.Equal(o.t, dumpState(s.log.table), dumpState(after.log.table))
}

// copyTo returns a disk that is like this one, with its files in a directory.
func (d *powerDisk) copyTo(dir string) *powerDisk {
	to := newPowerDisk()
	var of func(f *powerFile) *powerFile
	of = func(f *powerFile) *powerFile {
		if f == nil {
			return nil
		}
		made := *f
		made.disk, made.before = to, of(f.before)
		made.data, made.safe = slices.Clone(f.data), slices.Clone(f.safe)
		made.dirty, made.lost = maps.Clone(f.dirty), maps.Clone(f.lost)
		return &made
	}
	for name, f := range d.files {
		to.files[filepath.Join(dir, filepath.Base(name))] = of(f)
	}
	return to
}

// dumpState returns all that a table knows.
func dumpState(table *stateTable) string {
	batch := stateBatch{}
	if err := batch.write(table.lines()); err != nil {
		return err.Error()
	}
	lines := strings.Split(string(batch.text), "\n")
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}
