package engine_test

import (
	"context"
	"fmt"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/engine/workflow"
)

// busyNodes take a second, or until their context ends.
type busyNodes struct{}

func (busyNodes) Install(r *node.Registrar) {
	for typ, mark := range map[string]func(*node.Spec){
		"busy.pure": func(s *node.Spec) { s.Pure = true }, "busy.inline": func(s *node.Spec) { s.Inline = true }, "busy.waits": func(*node.Spec) {},
	} {
		in := []node.Port{{Name: "ms", Type: value.Int(), Default: 1000}, {Name: "before", Type: value.Any(), Optional: true}}
		out := []node.Port{{Name: "done", Type: value.Bool()}}
		spec := node.Spec{Type: typ, Inputs: in, Outputs: out}
		mark(&spec)
		r.Register(node.Node{Spec: spec, Bind: node.Static(in, out, func(ctx context.Context, in, out []any) error {
			out[0] = true
			select {
			case <-time.After(time.Duration(in[0].(int)) * time.Millisecond):
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		})})
	}
}

// TestProcessorsAreLeft runs many computing nodes in parallel, and many waiting ones.
func TestProcessorsAreLeft(t *testing.T) {
	registry, err := node.NewRegistry(busyNodes{})
	require.NoError(t, err)
	synctest.Test(t, func(t *testing.T) {
		atOnce := max(1, runtime.GOMAXPROCS(0)-1)
		for typ, rounds := range map[string]int{"busy.pure": 3, "busy.waits": 1} {
			def := &workflow.Definition{ID: "w"}
			for i := range 3 * atOnce {
				def.Nodes = append(def.Nodes, workflow.Node{ID: fmt.Sprint("n", i), Type: typ})
			}
			plan, err := engine.Compile(t.Context(), def, engine.Env{Registry: registry})
			require.NoError(t, err)
			began := time.Now()
			_, err = new(engine.Local).Run(t.Context(), plan, engine.Options{})
			require.NoError(t, err)
			require.Equal(t, time.Duration(rounds)*time.Second, time.Since(began), typ)
		}
	})
}

func TestRunCPU(t *testing.T) {
	registry, err := node.NewRegistry(busyNodes{})
	require.NoError(t, err)
	for _, tt := range []struct {
		name, typ string
		ms, n     int
		fails     string
		took      time.Duration
	}{
		{"what waits is free", "busy.waits", 1000, 9, "", 9 * time.Second},
		{"pure nodes in a row", "busy.pure", 1000, 9, "n3", 3500 * time.Millisecond},
		{"inline nodes in a row", "busy.inline", 1000, 9, "n3", 4 * time.Second},
		{"a pure node that goes on", "busy.pure", 20_000, 1, "n0", 3500 * time.Millisecond},
		{"what fits", "busy.pure", 1000, 3, "", 3 * time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				def := &workflow.Definition{ID: "w"}
				for i := range tt.n {
					id := func(i int) string { return "n" + string(rune('0'+i)) }
					def.Nodes = append(def.Nodes, workflow.Node{ID: id(i), Type: tt.typ, Config: map[string]any{"ms": tt.ms}})
					if i > 0 {
						def.Connections = append(def.Connections, wire(id(i-1), "done", id(i), "before"))
					}
				}
				plan, err := engine.Compile(t.Context(), def, engine.Env{Registry: registry})
				require.NoError(t, err)
				began := time.Now()
				run, err := (&engine.Local{RunCPU: 3500 * time.Millisecond}).Run(t.Context(), plan, engine.Options{})
				require.NoError(t, err)
				require.Equal(t, tt.took, time.Since(began))
				if tt.fails == "" {
					require.Nil(t, run.Err())
					return
				}
				require.Equal(t, node.CodeLimitExceeded, run.Err().Code, run.Err().Message)
				require.Equal(t, tt.fails, run.Err().NodeID)
				require.Contains(t, run.Err().Message, "3.5s that they may (--run-cpu)")
			})
		})
	}
}
