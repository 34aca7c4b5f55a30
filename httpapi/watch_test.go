package httpapi

import (
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestProcessorsOfTheService checks that the configured number of processors reaches the engine,
// instead of GOMAXPROCS.
func TestProcessorsOfTheService(t *testing.T) {
	w, err := newWatch(&Config{Processors: 5, Getenv: func(string) (string, bool) { return "", false }, Log: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	require.Equal(t, 5, w.local.Processors.Count)
	require.NoError(t, w.close(t.Context()))
}
