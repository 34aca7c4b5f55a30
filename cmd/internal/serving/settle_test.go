package serving

import (
	"context"
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/httpapi"
)

// A server collects garbage often until it has opened what it has, and then as seldom as it
// should, unless somebody has said how often.
func TestServersSettle(t *testing.T) {
	before := debug.SetGCPercent(100)
	defer debug.SetGCPercent(before)
	percent := func() int { p := debug.SetGCPercent(100); debug.SetGCPercent(p); return p }
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
