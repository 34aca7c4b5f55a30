package app

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/run"
)

// A pinned node is not called, and a run with pins is none that somebody could resume.
func TestPins(t *testing.T) {
	a := newTestApp(t, Config{ExtraPlugins: []node.Plugin{newGate()}})
	pins := run.Request{Pins: map[string]engine.Pin{"gate": {}}}
	ended, err := a.Execute(t.Context(), parse(t, gated), pins, nil)
	require.NoError(t, err)
	require.Equal(t, engine.StatusCompleted, ended.Status(), "the gate is closed, and nobody waits for it")
	_, err = a.Start(t.Context(), parse(t, gated), pins)
	require.ErrorIs(t, err, ErrPinned)
	pins.IdempotencyKey = "key"
	_, err = a.Execute(t.Context(), parse(t, gated), pins, nil)
	require.ErrorIs(t, err, ErrPinned)
}
