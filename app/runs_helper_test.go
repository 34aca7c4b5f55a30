package app

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/store"
	"github.com/svcflow/svc/store/memstore"
	"github.com/svcflow/svc/store/runlog"
)

// inBubble calls f with an App in a bubble of package synctest, and then closes the App.
func inBubble(t *testing.T, c Config, f func(t *testing.T, a *App)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		a := newTestApp(t, c)
		f(t, a)
		require.NoError(t, a.Close(t.Context()))
	})
}

// inBubbles calls f for each kind of run store in a bubble of package synctest. open opens the
// same store again, as the next process does.
func inBubbles(t *testing.T, f func(t *testing.T, open func() store.RunStore)) {
	t.Helper()
	t.Run("memory", func(t *testing.T) {
		runs := &memstore.Runs{}
		synctest.Test(t, func(t *testing.T) { f(t, func() store.RunStore { return runs }) })
	})
	t.Run("files", func(t *testing.T) {
		dir := t.TempDir()
		synctest.Test(t, func(t *testing.T) {
			f(t, func() store.RunStore {
				runs, err := runlog.Open(dir, runlog.Options{})
				require.NoError(t, err)
				return runs
			})
		})
	})
}

// everything follows a run to its end and returns all events behind number after.
func everything(t *testing.T, a *App, runID string, after int) []engine.Event {
	t.Helper()
	var events []engine.Event
	for e, err := range a.Events(t.Context(), runID, after) {
		require.NoError(t, err)
		after++
		require.Equal(t, after, e.Seq, "numbers are dense")
		require.Equal(t, runID, e.RunID)
		events = append(events, e)
	}
	return events
}

// ended follows a run to its end and returns its last event.
func ended(t *testing.T, a *App, runID string) engine.Event {
	t.Helper()
	events := everything(t, a, runID, 0)
	require.NotEmpty(t, events)
	last := events[len(events)-1]
	require.True(t, last.Name.Terminal(), "the last event is %q", last.Name)
	for _, e := range events[:len(events)-1] {
		require.False(t, e.Name.Terminal())
	}
	return last
}

// counter is a plugin whose node counts its calls by label and gives the item
// that it takes back. Calls whose label is in failing fail; those in waiting wait
// for the end of their context.
type counter struct {
	mu      sync.Mutex
	calls   map[string]int
	failing map[string]bool
	waiting map[string]bool
}

func newCounter() *counter {
	return &counter{calls: map[string]int{}, failing: map[string]bool{}, waiting: map[string]bool{}}
}

type countIn struct {
	Label string `port:"label" doc:"what to count"`
	Item  any    `port:"item,optional" doc:"what to give back"`
}

type countOut struct {
	Item any `port:"item" doc:"what was given"`
}

func (c *counter) Install(r *node.Registrar) {
	r.Register(node.Func("test.count", "Count", func(ctx context.Context, in countIn) (countOut, error) {
		label := in.Label
		if in.Item != nil {
			label = fmt.Sprintf("%s %v", label, in.Item)
		}
		c.mu.Lock()
		c.calls[label]++
		fails, waits := c.failing[label], c.waiting[label]
		c.mu.Unlock()
		if waits {
			<-ctx.Done()
			return countOut{}, ctx.Err()
		}
		if fails {
			return countOut{}, node.Errorf("broken", "%s is broken", label)
		}
		return countOut{in.Item}, nil
	}))
}

func (c *counter) set(labels map[string]bool, all ...string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	clear(labels)
	for _, label := range all {
		labels[label] = true
	}
}

func (c *counter) count(label string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.calls[label]
}

// asleep is a workflow that waits for the given number of seconds.
func asleep(seconds int) []byte { return asleepAs("asleep", seconds) }

func asleepAs(id string, seconds int) []byte {
	return fmt.Appendf(nil, `{"id":%q,"nodes":[{"id":"wait","type":"control.delay","config":{"ms":%d}}],"connections":[]}`, id, seconds*1000)
}

// failingRuns is a store whose journals fail as long as err is set.
type failingRuns struct {
	store.RunStore
	mu    sync.Mutex
	err   error
	spare int // frames that are taken before that
}

func (s *failingRuns) fail(err error, spare int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.err, s.spare = err, spare
}

func (s *failingRuns) failure() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil && s.spare > 0 {
		s.spare--
		return nil
	}
	return s.err
}

func (s *failingRuns) Create(ctx context.Context, start run.Start) (store.Journal, error) {
	j, err := s.RunStore.Create(ctx, start)
	return &failingJournal{j, s}, err
}

// errPanic makes a journal panic.
var errPanic = errors.New("out of order")

type failingJournal struct {
	store.Journal
	runs *failingRuns
}

func (j *failingJournal) Append(f run.Frame) error {
	err := j.runs.failure()
	if errors.Is(err, errPanic) {
		panic(err)
	}
	if err != nil {
		return err
	}
	return j.Journal.Append(f)
}

// soon is a context that ends in a while.
func soon(t *testing.T, d time.Duration) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	return ctx
}
