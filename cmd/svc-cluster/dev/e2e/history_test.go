package e2e

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/history/v1"
	"go.temporal.io/sdk/client"
	"google.golang.org/protobuf/encoding/protojson"

	"github.com/svcflow/svc/app/cluster"
	"github.com/svcflow/svc/engine"
)

// canary is a text that Temporal must never see.
const canary = "canary-4711"

// acts is a driver that executes functions one after the other, and then ends the run.
type acts struct {
	mu   sync.Mutex
	left []func() error
}

// Drive implements [cluster.Driver].
func (a *acts) Drive(context.Context, string) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.left) == 0 {
		return nil
	}
	act := a.left[0]
	a.left = a.left[1:]
	return act()
}

// Leave implements [cluster.Driver].
func (*acts) Leave() {}

func fails() error { return errors.New(canary) }

// none is a backlog without runs.
type none struct{}

func (none) Unfinished(context.Context, int) ([]string, error) { return nil, nil }
func (none) Abandon(context.Context, string) error             { return nil }

// TestHistories checks the histories of runs at Temporal. If SVC_TEST_RECORD names a folder, it
// also saves them there, for the replay tests of package cluster.
func TestHistories(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "temporal.db")
	port := freePort(t)
	temporal := start(t, "temporal", portVariable+"="+itoa(port), fileVariable+"="+file)
	log := slog.New(slog.DiscardHandler)
	c, err := cluster.Dial(t.Context(), cluster.Connection{Address: "127.0.0.1:" + itoa(port), Log: log})
	require.NoError(t, err)
	defer c.Close()
	_, err = cluster.Dial(t.Context(), cluster.Connection{Address: "127.0.0.1:" + itoa(port), Namespace: "nowhere", Log: log})
	require.ErrorContains(t, err, "no such namespace at Temporal: nowhere")
	starts := cluster.NewStarts(c, none{}, log)
	defer starts.Close()
	parks := func(d time.Duration) func() error {
		return func() error { return &engine.Parked{Until: time.Now().Add(d)} }
	}
	for _, h := range []struct {
		name   string
		pure   bool
		wake   bool
		acts   []func() error
		events int
	}{
		{"ended", false, false, nil, 11},
		{"pure", true, false, nil, 6},
		{"pure-at-first", true, false, []func() error{fails}, 20},
		{"failed-twice", false, false, []func() error{fails, fails}, 11},
		{"handed-over", false, false, []func() error{func() error { return engine.ErrHandedOff }}, 20},
		{"waited", false, false, []func() error{parks(time.Second)}, 40},
		{"woken", false, true, []func() error{parks(time.Hour)}, 40},
	} {
		worker, err := cluster.StartWorker(c, cluster.WorkerConfig{Driver: &acts{left: h.acts}, Log: log})
		require.NoError(t, err)
		id := uuid.NewString()
		starts.Offer(cluster.Begun{RunID: id, WorkflowID: canary, Pure: h.pure})
		if h.wake {
			w := &world{t: t}
			w.until(2*time.Minute, "it waits", func() bool { return has(t, c, id, enums.EVENT_TYPE_TIMER_STARTED) })
			require.NoError(t, starts.Wake(t.Context(), id))
		}
		(&world{t: t}).until(2*time.Minute, "the task of "+h.name+" has ended", func() bool {
			return has(t, c, id, enums.EVENT_TYPE_WORKFLOW_EXECUTION_COMPLETED)
		})
		told := events(t, c, id)
		require.LessOrEqual(t, len(told.Events), h.events, h.name)
		text, err := protojson.MarshalOptions{Multiline: true, Indent: " "}.Marshal(told)
		require.NoError(t, err)
		require.NotContains(t, string(text), canary)
		t.Logf("%s: %d events, %d bytes", h.name, len(told.Events), len(text))
		if dir := os.Getenv("SVC_TEST_RECORD"); dir != "" {
			require.NoError(t, os.WriteFile(filepath.Join(dir, h.name+".json"), append(text, '\n'), 0o600))
		}
		worker.Close(t.Context())
	}
	temporal.end()
	all, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NotContains(t, string(all), canary, "nothing of runs but their ids is in Temporal's file")
}

// events returns the history of a run's task, which is empty before the task exists.
func events(t *testing.T, c client.Client, id string) *history.History {
	t.Helper()
	all := &history.History{}
	next := c.GetWorkflowHistory(t.Context(), id, "", false, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for next.HasNext() {
		e, err := next.Next()
		if err != nil {
			return all
		}
		all.Events = append(all.Events, e)
	}
	return all
}

func has(t *testing.T, c client.Client, id string, typ enums.EventType) bool {
	t.Helper()
	for _, e := range events(t, c, id).Events {
		if e.EventType == typ {
			return true
		}
	}
	return false
}
