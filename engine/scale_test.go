package engine_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/enginetest"
	"github.com/svcflow/svc/engine/workflow"
)

func TestDeepChain(t *testing.T) {
	for _, typ := range []string{"bench.slot", "bench.goroutine"} {
		run, err := new(engine.Local).Run(t.Context(), benchPlan(t, chainOf(10_000, typ)), engine.Options{})
		require.NoError(t, err)
		require.Equal(t, engine.StatusCompleted, run.Status())
		require.Equal(t, "HELLO", run.Result().Nodes["n9999"].Outputs["text"])
	}
}

// TestDeepFailure skips very many nodes at once, without recursion.
func TestDeepFailure(t *testing.T) {
	f := enginetest.NewFlow("w").Node("n0", "test.fail")
	for i := range 50_000 {
		f.Node(fmt.Sprint("n", i+1), "test.pass").Wire(fmt.Sprintf("n%d.value", i), fmt.Sprintf("n%d.value", i+1))
	}
	run, err := new(engine.Local).Run(t.Context(), enginetest.NewKit().Compile(t, f), engine.Options{})
	require.NoError(t, err)
	require.Equal(t, &engine.Skip{NodeID: "n0", Reason: "failed"}, run.Result().Nodes["n50000"].SkippedBecause)
}

func TestWideFanIn(t *testing.T) {
	run, err := new(engine.Local).Run(t.Context(), benchPlan(t, fanOf(25_000, "bench.slot")), engine.Options{})
	require.NoError(t, err)
	require.Equal(t, "25000", run.Result().Nodes["join"].Outputs["text"])
}

func TestManyPorts(t *testing.T) {
	f := enginetest.NewFlow("w").Node("a", "test.ports", "count", 10_000).Node("b", "test.ports", "count", 10_000)
	for i := range 10_000 {
		f.Wire(fmt.Sprintf("a.out%d", i), fmt.Sprintf("b.in%d", i))
	}
	for i := range 10_000 {
		f.Definition().Nodes[0].Config[fmt.Sprint("in", i)] = "far out"
	}
	p := enginetest.PlayFlow(t, &engine.Local{}, enginetest.NewKit(), f, nil)
	require.Equal(t, "far out", p.Nodes["b"].Outputs["out9999"])
}

func TestLongTypesAreCut(t *testing.T) {
	wide := "record{x:int"
	for i := range 1000 {
		wide += fmt.Sprintf(",f%d:string", i)
	}
	f := enginetest.NewFlow("w").Node("a", "test.upper", "text", "x").Node("b", "test.typed", "type", wide+"}").Wire("a.text", "b.value")
	_, err := engine.Compile(t.Context(), f.Definition(), enginetest.NewKit().Env(t))
	require.ErrorContains(t, err, "…")
	require.Less(t, len(err.Error()), 500)
}

// TestCompileIsLinear compares the allocations for a workflow with those for one ten times
// as large, because allocations do not depend on the machine. BenchmarkCompile measures
// time.
func TestCompileIsLinear(t *testing.T) {
	env := benchEnv(t)
	work := func(def *workflow.Definition) float64 {
		return testing.AllocsPerRun(1, func() {
			_, err := engine.Compile(t.Context(), def, env)
			require.NoError(t, err)
		})
	}
	require.Less(t, work(chainOf(20_000, "bench.slot")), 11*work(chainOf(2_000, "bench.slot")))
}

// TestDoubling puts a list twice into the next one, sixty times: small in memory, but 2^60
// items to traverse.
func TestDoubling(t *testing.T) {
	f := enginetest.NewFlow("w").Node("n0", "test.list", "items", []any{"x"})
	for i := range 60 {
		from, to := fmt.Sprintf("n%d.items", i), fmt.Sprintf("n%d.items", i+1)
		f.Node(fmt.Sprint("n", i+1), "test.list").Wire(from, to).Wire(from, to)
	}
	run, err := new(engine.Local).Run(t.Context(), enginetest.NewKit().Compile(t, f), engine.Options{})
	require.NoError(t, err)
	require.Equal(t, "limit_exceeded", run.Err().Code)
	require.Less(t, len(run.AppendJSON(nil, 64<<10)), 1<<20)
}
