package cluster_test

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"

	"github.com/svcflow/svc/app/cluster"
)

// tasks is what Temporal has of tasks.
type tasks struct {
	client.Client

	mu    sync.Mutex
	away  bool
	asked int
	has   map[string]bool // run → its workflow is running
}

func (c *tasks) ExecuteWorkflow(_ context.Context, o client.StartWorkflowOptions, _ any, _ ...any) (client.WorkflowRun, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asked++
	if c.away {
		return nil, serviceerror.NewUnavailable("away")
	}
	if goesOn, ok := c.has[o.ID]; ok && !goesOn {
		return nil, serviceerror.NewWorkflowExecutionAlreadyStarted("", "", "")
	}
	c.has[o.ID] = true
	return nil, nil //nolint:nilnil // nobody looks at it
}

func (c *tasks) set(away bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.away = away
}

func (c *tasks) of(runID string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.has[runID]
}

// backlog is a list of runs without a driver.
type backlog struct {
	mu        sync.Mutex
	runs      []string
	abandoned []string
}

func (b *backlog) Unfinished(_ context.Context, limit int) ([]string, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.runs[:min(limit, len(b.runs))], nil
}

func (b *backlog) Abandon(_ context.Context, runID string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.abandoned = append(b.abandoned, runID)
	return errors.New("kept away") // it is tried again
}

func (c *tasks) times() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.asked
}

// gone reports whether a run was abandoned.
func (b *backlog) gone() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.abandoned) > 0
}

func TestARunThatBeginsHasATaskAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &tasks{has: map[string]bool{}}
		s := cluster.NewStarts(c, &backlog{}, slog.New(slog.DiscardHandler))
		defer s.Close()
		s.Offer(cluster.Begun{RunID: "r", WorkflowID: "w"})
		synctest.Wait()
		require.True(t, c.of("r"))
	})
}

func TestRunsBeginWhileTemporalIsAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &tasks{has: map[string]bool{}, away: true}
		b := &backlog{runs: []string{"r1", "r2"}}
		s := cluster.NewStarts(c, b, slog.New(slog.DiscardHandler))
		defer s.Close()
		for range 5000 {
			s.Offer(cluster.Begun{RunID: "r1"}) // nobody waits
		}
		<-time.After(time.Hour)
		require.False(t, c.of("r1"))
		c.set(false)
		<-time.After(10 * time.Second)
		require.True(t, c.of("r1") && c.of("r2"), "any process starts missing workflows")
	})
}

func TestARunThatWaitsForADriverIsSeldomAskedAbout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &tasks{has: map[string]bool{}}
		s := cluster.NewStarts(c, &backlog{runs: []string{"r"}}, slog.New(slog.DiscardHandler))
		defer s.Close()
		<-time.After(10 * time.Minute)
		require.InDelta(t, 20, c.times(), 1)
	})
}

func TestNoRunOutlivesItsTask(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &tasks{has: map[string]bool{"r": true}}
		b := &backlog{runs: []string{"r"}}
		s := cluster.NewStarts(c, b, slog.New(slog.DiscardHandler))
		defer s.Close()
		<-time.After(time.Minute)
		require.False(t, b.gone())
		c.mu.Lock()
		c.has["r"] = false // an operator has terminated it
		c.mu.Unlock()
		<-time.After(time.Minute)
		require.True(t, b.gone())
	})
}
