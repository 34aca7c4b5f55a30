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

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/enginetest/trials"
	"github.com/svcflow/svc/store"
	"github.com/svcflow/svc/store/internal/vfs/vfstest"
)

// outages simulates power losses under a store, and knows which states may be found afterwards. The
// expected state only changes while the disk is paused.
type outages struct {
	t      loud
	disk   *vfstest.Power
	random *rand.Rand // only for the disk
	store  *Store
	found  string

	kept     string         // the acknowledged state
	refused  []string       // states with refused changes, which may be found until another change is acknowledged
	counters map[string]int // as acknowledged to the callers
	settled  []string       // items that are certainly seen
	states   int
}

// loud panics when a check fails, since other goroutines wait for the one that checks.
type loud struct{ *testing.T }

// FailNow implements require.TestingT.
func (l loud) FailNow() { panic(l.Name() + " has failed") }

// TestStatePowerLoss simulates a power loss after each call of a schedule of changes, some of them
// concurrent, some refused by the disk. In every state that the disk may then have, the store has
// the acknowledged changes, and all or nothing of the last batch.
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

// schedule makes changes, several of them concurrently.
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

// change returns a random change, which records its acknowledged result.
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

// see marks items of two lists as seen atomically.
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

// powerCount returns a counter value that is longer than a sector.
func powerCount(n int) []byte {
	return fmt.Appendf(nil, `"%s"`, strings.Repeat(fmt.Sprint(n, " "), 400))
}

func countOf(text []byte) int {
	first, _, _ := strings.Cut(strings.Trim(string(text), `"`), " ")
	n, _ := strconv.Atoi(first)
	return n
}

// happen simulates power losses, also after another process has taken over from a killed one.
func (o *outages) happen() {
	if now := o.store.log.table; now != nil && dumpState(now) != o.kept {
		o.refused = append(o.refused, dumpState(now)) // until it is acknowledged
	}
	for state := range 6 {
		choose := o.random.IntN
		if state < 2 {
			choose = func(n int) int { return state * (n - 1) } // nothing, or everything, of what was not synced
		}
		o.disk.Outage(o.t.T, o.found, choose)
		o.check()
		o.states++
	}
	o.takeOver()
}

// check opens the store after a power loss, checks its state, and makes a change.
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

// look checks that the state is an expected one.
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

// takeOver opens the store as another process, after the first one was killed, and then simulates a
// power loss. The state that the second process has read must survive.
func (o *outages) takeOver() {
	defer vfstest.ClearDir(o.t.T, o.found)
	d := o.disk.CopyTo(o.found)
	s := OpenState(o.found, d)
	if d.Fails = o.random.IntN(2); d.Fails > 0 {
		_, err := s.State(o.t.Context(), store.StateKey{WorkflowID: "w", Key: "k0"}) // if it cannot sync the state, it must not return it
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

// dumpState returns the complete table as text.
func dumpState(table *stateTable) string {
	batch := stateBatch{}
	if err := batch.write(table.lines()); err != nil {
		return err.Error()
	}
	lines := strings.Split(string(batch.text), "\n")
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}
