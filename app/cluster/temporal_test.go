package cluster_test

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/app/cluster"
)

func TestATemporalThatIsNotThereIsNamed(t *testing.T) {
	t.Setenv("TEMPORAL_ADDRESS", "127.0.0.1:1")
	t.Setenv("TEMPORAL_API_KEY", "canary-4711")
	ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	_, err := cluster.Dial(ctx, cluster.Connection{Log: slog.New(slog.DiscardHandler)})
	require.ErrorContains(t, err, "127.0.0.1:1 (TEMPORAL_ADDRESS)")
	require.NotContains(t, err.Error(), "canary")
	require.False(t, strings.Contains(err.Error(), "\n"), "one line")
}
