package trigger_test

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/app/trigger"
	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/workflow"
	triggers "github.com/svcflow/svc/nodes/trigger"
	"github.com/svcflow/svc/store"
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

func (l *late) Begin(_ context.Context, runID string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.late = append(l.late, time.Since(l.at[runID]))
	delete(l.at, runID)
	return nil
}

func (*late) Waiting(context.Context) ([]trigger.Waiting, error) { return nil, nil }
func (*late) Interrupted() []trigger.Interrupted                 { return nil }
func (*late) Remembered()                                        {}
func (*late) Drop(context.Context, string) error                 { return nil }
func (*late) Chain(context.Context, string) int                  { return 0 }

func (l *late) Await(context.Context, string) (bool, error) { return false, nil }

func (l *late) Resume(context.Context, string) (string, error) { return "", trigger.ErrFull }

// arm activates so many workflows with a schedule each, at moments that are spread over an
// hour.
func (l *late) arm(b *testing.B, s *trigger.Service, n int, every string) {
	b.Helper()
	begin := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for i := range n {
		def := &workflow.Definition{ID: fmt.Sprint("w", i), Nodes: []workflow.Node{{ID: "s", Type: "trigger.schedule", Config: map[string]any{
			"every": every, "from": begin.Add(time.Duration(i) * time.Hour / time.Duration(n)).Format(time.RFC3339Nano),
		}}}}
		plan, err := l.Compile(b.Context(), def)
		require.NoError(b, err)
		_, err = s.Activate(b.Context(), store.Activation{Definition: def}, plan)
		require.NoError(b, err)
	}
}

// BenchmarkArmed tells what an armed schedule takes in memory, its document included, which
// the store in memory keeps.
func BenchmarkArmed(b *testing.B) {
	const armed = 100_000
	for b.Loop() {
		l := newLate(b)
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		s := trigger.New(trigger.Config{Host: l, Store: &store.MemoryActivations{}, Places: 8})
		l.arm(b, s, armed, "24h")
		runtime.GC()
		runtime.ReadMemStats(&after)
		b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/armed, "bytes/schedule")
		s.Close()
	}
}

// BenchmarkPunctual tells how late 1,000 schedules fire whose moments lie a few milliseconds
// apart, with what they remember on a disk.
func BenchmarkPunctual(b *testing.B) {
	for b.Loop() {
		l := newLate(b)
		s := trigger.New(trigger.Config{Host: l, Store: store.FileActivations(b.TempDir()), Places: 8})
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
