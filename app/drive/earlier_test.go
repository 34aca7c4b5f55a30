package drive

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/enginetest"
	"github.com/svcflow/svc/engine/run"
)

// Outcomes that do not fit into memory are read again from the journal.
func TestBigOutcomesAreReadAgain(t *testing.T) {
	f := enginetest.NewFlow("w").Node("a", "test.async", "value", 2).Node("b", "test.fail").Wire("a.value", "b.$after")
	kit := enginetest.NewKit()
	plan := kit.Compile(t, f)
	m := &memory{start: run.Start{RunID: "first", Definition: f.Definition()}}
	require.NoError(t, driveOn(t.Context(), t, envOf(&engine.Local{}), &driver{memory: m, left: -1}, &Run{}, plan))

	p := &EarlierRuns{env: envOf(nil), from: m, shape: ShapeOf(f.Definition(), nil), lost: map[string]bool{}, now: map[string]string{}, bytes: maxRecalled}
	require.NoError(t, p.add(t.Context(), &m.start))
	outputs, ok := p.outputs("a")
	require.True(t, ok)
	require.Equal(t, map[string]any{"value": 2}, outputs)
	_, ok = p.outputs("b")
	require.False(t, ok, "it has failed")
}
