package control_test

import (
	"context"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes/control"
	"github.com/svcflow/svc/nodes/nodetest"
)

func TestDelayWaitsAndHandsOn(t *testing.T) {
	h := nodetest.New(t, control.Plugin())
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		got, err := h.ExecContext(t.Context(), "control.delay", record{"ms": 1500}, record{"value": "x"})
		require.NoError(t, err)
		require.Equal(t, record{"value": "x"}, got)
		require.Equal(t, 1500*time.Millisecond, time.Since(start))
	})
}

func TestDelayWithoutValueGivesNull(t *testing.T) {
	got, err := nodetest.New(t, control.Plugin()).Exec("control.delay", record{"ms": 0}, nil)
	require.NoError(t, err)
	require.Equal(t, record{"value": nil}, got)
}

func TestDelayEndsWithItsContext(t *testing.T) {
	h := nodetest.New(t, control.Plugin())
	for _, ms := range []int{60_000, math.MaxInt} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			start := time.Now()
			_, err := h.ExecContext(ctx, "control.delay", record{"ms": ms}, nil)
			require.ErrorIs(t, err, context.DeadlineExceeded)
			require.Equal(t, time.Second, time.Since(start))
		})
	}
}

func TestDelayRefusesNegativeTime(t *testing.T) {
	_, err := nodetest.New(t, control.Plugin()).Exec("control.delay", record{"ms": -1}, nil)
	require.Equal(t, node.CodeInvalidInput, node.CodeOf(err))
}
