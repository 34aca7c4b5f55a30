package trigger_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/app/trigger"
	"github.com/svcflow/svc/store"
)

// life is that of a server in a world: what it writes is there until it is killed.
type life struct {
	*world
	random *rand.Rand

	mu   sync.Mutex
	left int // writes until it is killed; negative if it is dead
}

var errKilled = errors.New("the server is dead")

// write reports whether what is to be written will be there.
func (l *life) write() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.left = max(-1, l.left-1)
	return l.left >= 0
}

func (l *life) kill() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.left = -1
}

// fails reports whether the disk does, which it does from time to time.
func (l *life) fails() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.random.IntN(20) == 0
}

// Wait implements trigger.Host. It enqueues in any order, and on a failing disk only some of the
// runs.
func (l *life) Wait(ctx context.Context, firings []trigger.Firing) ([]trigger.Waiting, error) {
	made := make([]trigger.Waiting, len(firings))
	for _, i := range l.order(len(firings)) {
		if len(firings) > 0 && l.fails() {
			return slices.DeleteFunc(made, func(w trigger.Waiting) bool { return w.RunID == "" }), errFull
		}
		if !l.write() {
			return nil, errKilled
		}
		one, err := l.world.Wait(ctx, firings[i:i+1])
		if err != nil {
			return nil, err
		}
		made[i] = one[0]
	}
	return made, nil
}

func (l *life) order(n int) []int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.random.Perm(n)
}

// Begin implements trigger.Host.
func (l *life) Begin(ctx context.Context, runID string, armed int64) error {
	if !l.write() {
		return trigger.ErrNoSlot
	}
	return l.world.Begin(ctx, runID, armed)
}

// kept is what the triggers of a server remember.
type kept struct {
	store.ActivationStore
	by *life
}

// Remember implements store.ActivationStore.
func (k kept) Remember(ctx context.Context, all ...store.TriggerMemory) error {
	if !k.by.write() {
		return errKilled
	}
	return k.ActivationStore.Remember(ctx, all...)
}

// Each second of a schedule starts one run or is reported as missed by one, wherever servers die:
// between the save of the memory and the runs, between runs, and after them.
func TestCrashesLoseAndRepeatNoTimes(t *testing.T) {
	for _, missed := range []string{"all", "once", "skip"} {
		for _, overlap := range []string{"allow", "queue", "skip"} {
			t.Run(missed+", "+overlap, func(t *testing.T) {
				inWorld(t, func(t *testing.T, w *world) {
					s := w.open()
					w.activate(s, "a", store.Activation{}, record{"every": "1s", "missed": missed, "overlap": overlap})
					s.Close()
					random := rand.New(rand.NewPCG(1, 16))
					for range 100 {
						w.liveAndDie(random)
					}
					s = w.open()
					w.after(10 * time.Second)
					w.requireTold(s)
				})
			})
		}
	}
}

// liveAndDie lets a server work for a while, kills it, and has nobody there for a while.
func (w *world) liveAndDie(random *rand.Rand) {
	l := &life{world: w, random: rand.New(rand.NewPCG(random.Uint64(), 0)), left: random.IntN(60)}
	if random.IntN(2) == 0 {
		l.left = 1 << 30 // not before its time
	}
	s := w.openAs(l, kept{w.store, l})
	<-time.After(time.Duration(random.Int64N(int64(20 * time.Second))))
	l.kill()
	s.Close()
	synctest.Wait()
	nobody := []time.Duration{time.Millisecond, 5 * time.Second, 90 * time.Second, 5 * time.Minute}
	<-time.After(time.Duration(random.Int64N(int64(nobody[random.IntN(len(nobody))]))))
}

// requireTold requires that each second until now has made one run, or that one tells it.
func (w *world) requireTold(s *trigger.Service) {
	w.t.Helper()
	last, first := time.Now().UTC().Truncate(time.Second), time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
	require.Equal(w.t, int(last.Sub(first).Seconds()), len(w.texts)+w.shown(s).Missed, "runs and what is counted")
	var all []string
	for _, text := range w.texts {
		all = append(all, strings.TrimPrefix(text, "a.s0 "))
	}
	slices.Sort(all)
	before := first
	for _, text := range all {
		at, missed, _ := strings.Cut(text, " missed ")
		scheduled, err := time.Parse("2006-01-02T15:04:05", at)
		require.NoError(w.t, err)
		told, err := time.ParseDuration(missed + "s")
		require.NoError(w.t, err)
		require.Equal(w.t, told+time.Second, scheduled.Sub(before), "%s behind %s", text, before)
		before = scheduled
	}
	require.Equal(w.t, last, before)
}

// Pending times without any run are decided anew after a crash, together with those that passed
// since.
func TestPendingTimesWithoutRunsAreDecidedAnew(t *testing.T) {
	for missed, want := range map[string][]string{
		"skip": {"a.s0 2000-01-04T08:00:00 missed 3"},
		"once": {"a.s0 2000-01-03T08:00:00 missed 2", "a.s0 2000-01-04T08:00:00 missed 0"},
	} {
		t.Run(missed, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				l := &life{world: w, random: rand.New(rand.NewPCG(1, 0)), left: 2}
				s := w.openAs(l, kept{w.store, l})
				w.activate(s, "a", store.Activation{}, record{"cron": "0 8 * * *", "missed": missed})
				require.Empty(t, w.after(9*time.Hour), "it is dead since eight")
				s.Close()
				text, err := w.store.Memory(t.Context(), "a", "s0")
				require.NoError(t, err)
				require.Contains(t, string(text), `"putting"`, "and had begun to put the first time down")
				require.Empty(t, w.after(48*time.Hour))
				w.open()
				require.Equal(t, want, w.after(24*time.Hour))
			})
		})
	}
}

// narrow is a host whose disk has room for one firing at a time, as long as it is full.
type narrow struct {
	*world
	full atomic.Bool
}

// Wait implements trigger.Host.
func (n *narrow) Wait(ctx context.Context, firings []trigger.Firing) ([]trigger.Waiting, error) {
	if !n.full.Load() {
		return n.world.Wait(ctx, firings)
	}
	made, _ := n.world.Wait(ctx, firings[:1])
	return made, errFull
}

// Pending times are enqueued with their keys although the clock was set back meanwhile, and their
// times come again.
func TestClockSetBackWhileTimesArePending(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		s := w.open()
		w.activate(s, "a", store.Activation{}, record{"every": "1h", "missed": "all"})
		s.Close()
		require.Empty(t, w.after(150*time.Minute))
		host := &narrow{world: w}
		host.full.Store(true)
		w.openAs(host, w.store)
		require.Equal(t, []string{"a.s0 2000-01-01T01:00:00 missed 0"}, w.after(time.Millisecond))
		w.set(func() { w.ahead = -2 * time.Hour })
		host.full.Store(false)
		require.Equal(t, []string{"a.s0 2000-01-01T02:00:00 missed 0"}, w.after(time.Minute))
		require.Len(t, w.after(2*time.Hour), 2, "they come again")
	})
}

// A time for which the disk had no room keeps none of those from coming that come again.
func TestTheClockIsSetBackWhileTimesWaitForTheDisk(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		s := w.open()
		w.activate(s, "a", store.Activation{}, record{"every": "1h"})
		require.Len(t, w.after(2*time.Hour+time.Minute), 2)
		w.set(func() { w.broken = errFull })
		require.Empty(t, w.after(time.Hour))
		w.set(func() { w.ahead = -2 * time.Hour })
		require.Empty(t, w.after(time.Minute))
		w.set(func() { w.broken = nil })
		require.Len(t, w.after(3*time.Hour), 3, "two, three and four o'clock")
		require.Zero(t, w.shown(s).Missed)
	})
}
