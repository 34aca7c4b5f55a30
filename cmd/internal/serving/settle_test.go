package serving

import (
	"context"
	"io"
	"log/slog"
	"runtime/debug"
	"runtime/metrics"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/httpapi"
)

// keepGC restores GOGC after the test.
func keepGC(t *testing.T) {
	t.Helper()
	before := debug.SetGCPercent(100)
	t.Cleanup(func() { debug.SetGCPercent(before) })
}

// percent returns the current GOGC.
func percent() int {
	gogc := []metrics.Sample{{Name: "/gc/gogc:percent"}}
	metrics.Read(gogc)
	return int(gogc[0].Value.Uint64())
}

// A server collects garbage often until it has recovered its runs, and then at the normal rate,
// unless GOGC is set.
func TestServersSettle(t *testing.T) {
	keepGC(t)
	told := func(string) (string, bool) { return "80", true }
	pace(told, openingPercent)
	require.Equal(t, 100, percent())
	silent := func(string) (string, bool) { return "", false }
	pace(silent, openingPercent)
	require.Equal(t, openingPercent, percent())

	service, err := httpapi.New(httpapi.Config{DataDir: t.TempDir(), AllowAnonymous: true})
	require.NoError(t, err)
	defer func() { require.NoError(t, service.Close(context.WithoutCancel(t.Context()))) }()
	settled := make(chan struct{})
	defer settle(t.Context(), service, func() { pace(silent, gcPercent); close(settled) })()
	<-settled
	require.Equal(t, gcPercent, percent())
}

// A worker does the same.
func TestWorkersSettle(t *testing.T) {
	keepGC(t)
	opening := make(chan int, 1)
	w := &Work{Data: Data{t.TempDir()}, LogFormat: "text", LogLevel: slog.LevelError}
	p := &Process{Name: "test", Stderr: io.Discard, Env: func(string) (string, bool) { return "", false }}
	ctx, end := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		done <- w.Do(ctx, p, func(*httpapi.Config, *slog.Logger) error {
			opening <- percent()
			return nil
		})
	}()
	require.Equal(t, openingPercent, <-opening)
	require.Eventually(t, func() bool { return percent() == gcPercent }, time.Minute, 10*time.Millisecond)
	end()
	require.NoError(t, <-done)
}
