package trigger_test

import (
	"context"
	"fmt"
	"iter"
	"math"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/app/trigger"
	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/workflow"
	triggers "github.com/svcflow/svc/nodes/trigger"
	"github.com/svcflow/svc/store"
	"github.com/svcflow/svc/store/filestore"
)

// late is a host whose runs end at once, and which notes how late they begin.
type late struct {
	env engine.Env

	mu   sync.Mutex
	at   map[string]time.Time // when what waits should begin
	late []time.Duration
}

func newLate(b *testing.B) *late {
	b.Helper()
	registry, err := node.NewRegistry(triggers.Plugin(triggers.Config{}))
	require.NoError(b, err)
	return &late{env: engine.Env{Registry: registry}, at: map[string]time.Time{}}
}

func (l *late) Compile(ctx context.Context, def *workflow.Definition) (*engine.Plan, error) {
	return engine.Compile(ctx, def, l.env)
}

func (l *late) Wait(_ context.Context, firings []trigger.Firing) ([]trigger.Waiting, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var all []trigger.Waiting
	for i := range firings {
		f := &firings[i]
		at, err := time.Parse(time.RFC3339, f.Firing.Outputs["scheduled"].(string))
		if err != nil {
			return nil, err
		}
		l.at[f.Key] = at
		all = append(all, trigger.Waiting{RunID: f.Key, WorkflowID: f.Definition.ID, Node: f.StartedBy.Trigger, Type: f.StartedBy.Type})
	}
	return all, nil
}

func (l *late) Begin(_ context.Context, runID string, _ int64) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.late = append(l.late, time.Since(l.at[runID]))
	delete(l.at, runID)
	return nil
}

func (*late) RunByKey(context.Context, string) (string, error)   { return "", nil }
func (*late) Waiting(context.Context) ([]trigger.Waiting, error) { return nil, nil }
func (*late) Interrupted() []trigger.Interrupted                 { return nil }
func (*late) Remembered()                                        {}
func (*late) Drop(context.Context, string) error                 { return nil }
func (*late) Chain(context.Context, string) int                  { return 0 }

func (l *late) Await(context.Context, string) (bool, error) { return false, nil }

func (l *late) Resume(context.Context, string) (string, error) { return "", trigger.ErrNoSlot }

// scheduled is an activation of a workflow with a schedule. The moments of n of them are spread
// over an hour.
func scheduled(i, n int, every string) store.Activation {
	begin := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	return store.Activation{
		Revision: 1, Since: begin, OnInterrupted: run.Resume,
		Definition: &workflow.Definition{ID: fmt.Sprint("workflow-", i), Nodes: []workflow.Node{{ID: "s", Type: "trigger.schedule", Config: map[string]any{
			"every": every, "from": begin.Add(time.Duration(i) * time.Hour / time.Duration(n)).Format(time.RFC3339Nano),
		}}}},
	}
}

// arm activates n workflows with a schedule each.
func (l *late) arm(b *testing.B, s *trigger.Service, n int, every string) {
	b.Helper()
	for i := range n {
		a := scheduled(i, n, every)
		plan, err := l.Compile(b.Context(), a.Definition)
		require.NoError(b, err)
		_, err = s.Activate(b.Context(), a, plan)
		require.NoError(b, err)
	}
}

// many is a store of files with many activations, each of which is made when it is asked for,
// as if it was read.
type many struct {
	*filestore.ActivationStore
	n int
}

// Activations implements store.ActivationStore.
func (m many) Activations(context.Context) iter.Seq2[store.Activation, error] {
	return func(yield func(store.Activation, error) bool) {
		for i := range m.n {
			if !yield(scheduled(i, m.n, "24h"), nil) {
				return
			}
		}
	}
}

// Activation implements store.ActivationStore.
func (m many) Activation(_ context.Context, workflowID string) (store.Activation, error) {
	i, err := strconv.Atoi(strings.TrimPrefix(workflowID, "workflow-"))
	return scheduled(i, m.n, "24h"), err
}

// BenchmarkArmed measures what an active schedule takes in memory, its memory in the store
// included, how long 100,000 of them take to start, and what part of a processor they take
// while each fires once a day, all of them within an hour. It does so with all of them awake,
// and with those asleep that may be.
func BenchmarkArmed(b *testing.B) {
	b.Run("awake", func(b *testing.B) { benchmarkArmed(b, math.MaxInt) })
	b.Run("asleep", func(b *testing.B) { benchmarkArmed(b, 0) })
}

func benchmarkArmed(b *testing.B, awake int) {
	const armed = 100_000
	for b.Loop() {
		l := newLate(b)
		kept := many{filestore.OpenActivations(b.TempDir()), armed}
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		began := time.Now()
		s := trigger.New(trigger.Config{Host: l, Store: kept, Slots: 8, MaxLoaded: awake})
		s.WaitReady()
		b.ReportMetric(time.Since(began).Seconds(), "s-start")
		runtime.GC()
		runtime.ReadMemStats(&after)
		b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/armed, "bytes/schedule")
		b.ReportMetric(float64(s.Unloaded()), "asleep")
		const rest = 10 * time.Second
		used := processorTime(b)
		<-time.After(rest)
		b.ReportMetric(100*(processorTime(b)-used).Seconds()/rest.Seconds(), "%core")
		s.Close()
		runtime.KeepAlive(kept)
	}
}

// processorTime returns what this process has had of processors.
func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkPunctual tells how late 1,000 schedules fire whose moments lie a few milliseconds
// apart, with what they remember on a disk.
func BenchmarkPunctual(b *testing.B) {
	for b.Loop() {
		l := newLate(b)
		s := trigger.New(trigger.Config{Host: l, Store: filestore.OpenActivations(b.TempDir()), Slots: 8})
		l.arm(b, s, 1000, "10s")
		l.mu.Lock()
		l.late = nil
		l.mu.Unlock()
		<-time.After(10 * time.Second)
		l.mu.Lock()
		var sum, worst time.Duration
		for _, d := range l.late {
			sum, worst = sum+d, max(worst, d)
		}
		b.ReportMetric(float64(len(l.late)), "firings")
		b.ReportMetric(float64(sum.Microseconds())/float64(len(l.late))/1000, "ms-late")
		b.ReportMetric(float64(worst.Microseconds())/1000, "ms-worst")
		l.mu.Unlock()
		s.Close()
	}
}
