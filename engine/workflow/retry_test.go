package workflow_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/workflow"
)

func TestRetryAttempts(t *testing.T) {
	require.Equal(t, 1, (*workflow.Retry)(nil).Attempts())
	require.Equal(t, 3, new(workflow.Retry).Attempts())
	require.Equal(t, 1, (&workflow.Retry{MaxAttempts: 1}).Attempts())
	require.Equal(t, 100, (&workflow.Retry{MaxAttempts: 100}).Attempts())
}

func TestRetryPause(t *testing.T) {
	const ms = time.Millisecond
	for _, c := range []struct {
		retry   *workflow.Retry
		attempt int
		want    time.Duration
	}{
		{nil, 1, 0},
		{&workflow.Retry{}, 1, 200 * ms},
		{&workflow.Retry{}, 2, 400 * ms},
		{&workflow.Retry{}, 6, 6400 * ms},
		{&workflow.Retry{}, 7, 10_000 * ms},
		{&workflow.Retry{}, math.MaxInt, 10_000 * ms},
		{&workflow.Retry{}, 0, 200 * ms},
		{&workflow.Retry{InitialMs: 50, Factor: 1}, 99, 50 * ms},
		{&workflow.Retry{InitialMs: 50, Factor: 1.5, MaxMs: 100}, 2, 75 * ms},
		{&workflow.Retry{InitialMs: 50, Factor: 100, MaxMs: 60}, 2, 60 * ms},
		{&workflow.Retry{InitialMs: 60_000}, 1, 60_000 * ms},
		{&workflow.Retry{InitialMs: 60_000}, 9, 60_000 * ms},
		{&workflow.Retry{InitialMs: 60_000, MaxMs: 1000}, 1, 1000 * ms},
	} {
		require.Equal(t, c.want, c.retry.Pause(c.attempt), "%+v after %d", c.retry, c.attempt)
	}
}
