package statelog

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/svcflow/svc/store/internal/vfs/vfstest"

	"github.com/svcflow/svc/store"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/enginetest/trials"
)

// outages are the losses of power that a store of state meets, and what may be found after
// them. What it promises changes while the disk stands still.
type outages struct {
	t      loud
	disk   *vfstest.Power
	random *rand.Rand // of what the disk does
	store  *Store
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
			d := vfstest.NewPower()
			s := OpenState(t.TempDir(), d)
			s.log.from = 8 << 10
			o := &outages{t: loud{t}, disk: d, random: rand.New(rand.NewPCG(seed, 1)), store: s, found: t.TempDir(), counters: map[string]int{}}
			o.kept = dumpState(newStateTable())
			d.After = o.happen
			o.schedule(rand.New(rand.NewPCG(seed, 2)))
			require.Greater(t, o.states, 300)
		})
	}
}

// schedule makes changes, several at once.
func (o *outages) schedule(random *rand.Rand) {
	for n := range 40 {
		o.disk.Still(func() {
			if random.IntN(6) == 0 {
				o.disk.Fails = 1 + random.IntN(2)
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
		o.disk.Still(func() {
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
	key := store.StateKey{WorkflowID: "w", Key: fmt.Sprint("k", random.IntN(4))}
	if random.IntN(4) > 0 {
		return func(ctx context.Context) error { return o.count(ctx, key) }
	}
	return func(ctx context.Context) error { return o.see(ctx, name) }
}

func (o *outages) count(ctx context.Context, key store.StateKey) error {
	v, err := o.store.ChangeState(ctx, key, func(now store.StateValue) (store.StateValue, error) {
		return store.StateValue{Value: powerCount(countOf(now.Value) + 1)}, nil
	})
	if err == nil {
		o.disk.Still(func() { o.counters[key.Key] = max(o.counters[key.Key], countOf(v.Value)) })
	}
	return err
}

// see has two lists seen in one step.
func (o *outages) see(ctx context.Context, name string) error {
	for _, key := range []string{"a", "b"} {
		if _, err := o.store.Lend(ctx, store.StateKey{WorkflowID: "w", Key: key}, store.Lent{Items: []string{name}, Keep: 1000, Holder: name}); err != nil {
			return err
		}
	}
	if err := o.store.Settle(ctx, name, true); err != nil {
		return err
	}
	o.disk.Still(func() { o.settled = append(o.settled, name) })
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
		o.disk.Outage(o.t.T, o.found, choose)
		o.check()
		o.states++
	}
	o.takeOver()
}

// check finds what is there, and goes on with it.
func (o *outages) check() {
	defer vfstest.ClearDir(o.t.T, o.found)
	s := OpenState(o.found, vfstest.Hasty{})
	o.look(s)
	ctx, key := o.t.Context(), store.StateKey{WorkflowID: "w", Key: "k0"}
	next := powerCount(countOf(s.log.table.values[key].Value) + 1)
	_, err := s.ChangeState(ctx, key, func(store.StateValue) (store.StateValue, error) { return store.StateValue{Value: next}, nil })
	require.NoError(o.t, err)
	again := OpenState(o.found, vfstest.Hasty{})
	v, err := again.State(ctx, key)
	require.NoError(o.t, err)
	require.Equal(o.t, next, v.Value)
	require.Equal(o.t, dumpState(s.log.table), dumpState(again.log.table))
}

// look finds what may be there.
func (o *outages) look(s *Store) {
	_, err := s.State(o.t.Context(), store.StateKey{WorkflowID: "w", Key: "k0"})
	require.NoError(o.t, err)
	if known := append([]string{o.kept}, o.refused...); !slices.Contains(known, dumpState(s.log.table)) {
		require.Equal(o.t, known[len(known)-1], dumpState(s.log.table))
	}
	for key, n := range o.counters {
		require.GreaterOrEqual(o.t, countOf(s.log.table.values[store.StateKey{WorkflowID: "w", Key: key}].Value), n, key)
	}
	for _, item := range o.settled {
		require.Contains(o.t, s.log.table.lists[store.StateKey{WorkflowID: "w", Key: "a"}].seen, item)
		require.Contains(o.t, s.log.table.lists[store.StateKey{WorkflowID: "w", Key: "b"}].seen, item)
	}
}

// takeOver lets a process look that finds what a killed one has left, and then the power
// fail: what the first has told is there.
func (o *outages) takeOver() {
	defer vfstest.ClearDir(o.t.T, o.found)
	d := o.disk.CopyTo(o.found)
	s := OpenState(o.found, d)
	if d.Fails = o.random.IntN(2); d.Fails > 0 {
		_, err := s.State(o.t.Context(), store.StateKey{WorkflowID: "w", Key: "k0"}) // what it could not put on the disk, it does not tell
		if d.Fails == 0 {
			require.ErrorIs(o.t, err, syscall.EIO)
		}
	}
	d.Fails = 0
	o.look(s)
	vfstest.ClearDir(o.t.T, o.found)
	d.Outage(o.t.T, o.found, func(int) int { return 0 })
	after := OpenState(o.found, vfstest.Hasty{})
	_, err := after.State(o.t.Context(), store.StateKey{WorkflowID: "w", Key: "k0"})
	require.NoError(o.t, err)
	require.Equal(o.t, dumpState(s.log.table), dumpState(after.log.table))
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
