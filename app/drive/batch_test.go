package drive

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/enginetest"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/store"
)

const inCompany = 50 * time.Millisecond

// alone is a driver that drives a flow of its kit to the end.
func alone(t *testing.T, f *enginetest.Flow) (*driver, *engine.Plan) {
	t.Helper()
	m := &memory{start: run.Start{RunID: "run", Definition: f.Definition()}}
	return &driver{memory: m, left: -1}, enginetest.NewKit().Compile(t, f)
}

// inline is a flow of n inline nodes in a row.
func inline(n int) *enginetest.Flow {
	f := enginetest.NewFlow("w").Node("n0", "test.pass", "value", 1)
	for i := 1; i < n; i++ {
		f.Node(name(i), "test.pass").Wire(name(i-1)+".value", name(i)+".value")
	}
	return f
}

func name(i int) string { return "n" + string(rune('0'+i)) }

// Frames of nodes without side effects are written together with the end.
func TestPureNodesAreOneWrite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // where company does not wait too long on a busy machine
		d, plan := alone(t, inline(8))
		require.NoError(t, driveOn(t.Context(), t, envOf(&engine.Local{}), d, &Run{BatchDelay: inCompany}, plan))
		require.Equal(t, 1, d.writes)
		require.Len(t, d.frames, 10)

		d, plan = alone(t, inline(8))
		require.NoError(t, driveOn(t.Context(), t, envOf(&engine.Local{}), d, &Run{}, plan))
		require.Equal(t, 10, d.writes, "without company each is written at once")
	})
}

// All that has happened is written before a node with an effect is called, and once it has
// ended.
func TestEffectsAreWrittenAround(t *testing.T) {
	f := inline(3).Node("effect", "test.async").Node("behind", "test.async").Wire("n2.value", "effect.value").Wire("effect.value", "behind.value")
	d, plan := alone(t, f)
	var known [][]string
	r := &Run{BatchDelay: inCompany, Call: func(ctx context.Context, c *engine.Call) error {
		d.mu.Lock()
		defer d.mu.Unlock()
		var at []string
		for i := range d.frames {
			at = append(at, string(d.frames[i].Name)+" "+d.frames[i].Node)
		}
		known = append(known, at)
		return c.Here(ctx)
	}}
	require.NoError(t, driveOn(t.Context(), t, envOf(&engine.Local{}), d, r, plan))
	before := []string{"started ", "event n0", "event n1", "event n2", "started effect"}
	require.Equal(t, [][]string{before, append(before, "event effect", "started behind")}, known)
}

// A frame waits no longer than BatchDelay.
func TestBatchDelayIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registry, err := node.NewRegistry(enginetest.NewKit(), node.Bundle{Nodes: []node.Node{
			node.Func("test.compute", "Compute for long", func(ctx context.Context, _ struct{}) (struct{}, error) {
				return struct{}{}, node.Sleep(ctx, time.Second)
			}).Pure(),
		}})
		require.NoError(t, err)
		f := enginetest.NewFlow("w").Node("a", "test.pass", "value", 1).Node("b", "test.compute").Wire("a.value", "b.$after")
		plan, err := engine.Compile(t.Context(), f.Definition(), engine.Env{Registry: registry})
		require.NoError(t, err)
		d := &driver{memory: &memory{start: run.Start{RunID: "run", Definition: f.Definition()}}, left: -1}
		done := make(chan error, 1)
		go func() { done <- driveOn(t.Context(), t, envOf(&engine.Local{}), d, &Run{BatchDelay: inCompany}, plan) }()
		synctest.Wait()
		require.Zero(t, d.length())
		<-time.After(inCompany)
		synctest.Wait()
		require.Equal(t, 3, d.length(), "the run, a, and that b has started")
		require.NoError(t, <-done)
		require.Equal(t, 2, d.writes)
	})
}

// A frame that is too much is found among those that were to be written together.
func TestTooMuchInCompany(t *testing.T) {
	for _, c := range []time.Duration{0, inCompany} {
		d, plan := alone(t, inline(8))
		d.fails = func(f *run.Frame) error {
			if f.Node == "n4" {
				return &store.RunBytesError{Most: 10}
			}
			return nil
		}
		require.NoError(t, driveOn(t.Context(), t, envOf(&engine.Local{}), d, &Run{BatchDelay: c}, plan))
		last := d.frames[len(d.frames)-1]
		require.Equal(t, engine.EventFailed, last.Name)
		require.Len(t, d.frames, 6, "the run, four nodes, and the end")
		e, err := last.Bare()
		require.NoError(t, err)
		require.Equal(t, node.CodeLimitExceeded, e.Error.Code)
		require.Equal(t, "n4", e.Error.NodeID)
	}
}

// A journal that cannot be written ends its run, and gets the last frame once it can be.
func TestAJournalThatCannotBeWritten(t *testing.T) {
	for _, c := range []time.Duration{0, inCompany} {
		d, plan := alone(t, inline(8).Node("effect", "test.async").Wire("n7.value", "effect.value"))
		broken := errors.New("the disk is on fire")
		d.fails = func(*run.Frame) error { return broken }
		r := &Run{BatchDelay: c}
		require.NoError(t, driveOn(t.Context(), t, envOf(&engine.Local{}), d, r, plan))
		require.Empty(t, d.frames)
		require.Equal(t, node.CodeUnavailable, r.Result().Error.Code)
		require.Equal(t, 1, r.UnwrittenEnd().Seq)
		require.ErrorIs(t, r.WriteEnd(), broken)
		d.fails = nil
		require.NoError(t, r.WriteEnd())
		require.Nil(t, r.UnwrittenEnd())
		require.Len(t, d.frames, 1)
	}
}

// Files are released before the end is visible: a client that sees the end may need their disk
// space.
func TestFilesAreReleasedBeforeTheEndIsWritten(t *testing.T) {
	for _, company := range []time.Duration{0, inCompany} {
		d, plan := alone(t, inline(2))
		left, written := 0, 0
		env := envOf(&engine.Local{})
		env.WithFiles = func(ctx context.Context, _ string, _ ...string) (context.Context, func()) {
			return ctx, func() { left++ }
		}
		d.fails = func(f *run.Frame) error {
			if f.Name.Terminal() {
				written++
				require.Equal(t, 1, left)
			}
			return nil
		}
		require.NoError(t, driveOn(t.Context(), t, env, d, &Run{BatchDelay: company}, plan))
		require.Equal(t, 1, written)
		require.Equal(t, 1, left, "and once")
	}
}
