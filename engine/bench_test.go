package engine_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/limit"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/engine/workflow"
)

// benchNodes convert text to upper case, one for each way to write a node.
type benchNodes struct{}

func (benchNodes) Install(r *node.Registrar) {
	ports := []node.Port{{Name: "text", Type: value.String()}}
	slot := node.Node{
		Spec: node.Spec{Type: "bench.slot", Inputs: ports, Outputs: ports, Inline: true},
		Bind: node.Static(ports, ports, benchSlot),
	}
	r.Register(slot)
	slot.Spec.Type, slot.Spec.Inline = "bench.goroutine", false
	r.Register(slot)
	r.Register(node.Func("bench.func", "Upper case", benchFunc).Inline())
	r.RegisterSpec(node.Spec{Type: "bench.map", Inputs: ports, Outputs: ports, Inline: true})
	r.RegisterExecutor("bench.map", func(_ context.Context, in map[string]any) (map[string]any, error) {
		return map[string]any{"text": strings.ToUpper(in["text"].(string))}, nil
	})
	parts := []node.Port{{Name: "parts", Type: value.ListOf(value.Any())}}
	r.Register(node.Node{
		Spec: node.Spec{Type: "bench.join", Inputs: parts, Outputs: ports, Inline: true},
		Bind: node.Static(parts, ports, func(_ context.Context, in, out []any) error {
			out[0] = fmt.Sprint(len(in[0].([]any)))
			return nil
		}),
	})
}

func benchSlot(_ context.Context, in, out []any) error {
	out[0] = strings.ToUpper(in[0].(string))
	return nil
}

type benchText struct {
	Text string `port:"text"`
}

func benchFunc(_ context.Context, in benchText) (benchText, error) {
	return benchText{strings.ToUpper(in.Text)}, nil
}

func benchEnv(tb testing.TB) engine.Env {
	registry, err := node.NewRegistry(benchNodes{})
	require.NoError(tb, err)
	return engine.Env{Registry: registry}
}

func benchPlan(tb testing.TB, def *workflow.Definition) *engine.Plan {
	plan, err := engine.Compile(tb.Context(), def, benchEnv(tb))
	require.NoError(tb, err)
	return plan
}

// chainOf returns a chain of n nodes.
func chainOf(n int, typ string) *workflow.Definition {
	d := &workflow.Definition{ID: "chain"}
	for i := range n {
		d.Nodes = append(d.Nodes, workflow.Node{ID: fmt.Sprint("n", i), Type: typ})
		if i > 0 {
			d.Connections = append(d.Connections, wire(fmt.Sprint("n", i-1), "text", fmt.Sprint("n", i), "text"))
		}
	}
	d.Nodes[0].Config = map[string]any{"text": "hello"}
	return d
}

// fanOf returns n parallel nodes between a root and a join.
func fanOf(n int, typ string) *workflow.Definition {
	d := &workflow.Definition{ID: "fan", Nodes: []workflow.Node{{ID: "root", Type: typ, Config: map[string]any{"text": "hello"}}}}
	for i := range n {
		id := fmt.Sprint("n", i)
		d.Nodes = append(d.Nodes, workflow.Node{ID: id, Type: typ})
		d.Connections = append(d.Connections, wire("root", "text", id, "text"), wire(id, "text", "join", "parts"))
	}
	d.Nodes = append(d.Nodes, workflow.Node{ID: "join", Type: "bench.join"})
	return d
}

func wire(fromNode, fromPort, toNode, toPort string) workflow.Connection {
	return workflow.Connection{FromNodeID: fromNode, FromPort: fromPort, ToNodeID: toNode, ToPort: toPort}
}

// benchRuns runs def repeatedly, and reports time and allocations per node.
func benchRuns(b *testing.B, def *workflow.Definition, o engine.Options) {
	plan, local := benchPlan(b, def), &engine.Local{}
	b.ReportAllocs()
	var run *engine.Run
	for b.Loop() {
		run, _ = local.Run(b.Context(), plan, o)
	}
	require.Equal(b, engine.StatusCompleted, run.Status())
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(def.Nodes)), "ns/node")
	perRun := testing.AllocsPerRun(10, func() { run, _ = local.Run(b.Context(), plan, o) })
	b.ReportMetric(perRun/float64(len(def.Nodes)), "allocs/node")
}

func BenchmarkChain1000(b *testing.B) {
	b.Run("direct calls", func(b *testing.B) {
		b.ReportAllocs()
		in, out := make([]any, 1), make([]any, 1)
		for b.Loop() {
			in[0] = "hello"
			for range 1000 {
				_ = benchSlot(b.Context(), in, out)
				in[0] = out[0]
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1000, "ns/node")
	})
	for _, typ := range []string{"slot", "func", "map", "goroutine"} {
		b.Run(typ, func(b *testing.B) { benchRuns(b, chainOf(1000, "bench."+typ), engine.Options{}) })
	}
	b.Run("slot observed", func(b *testing.B) {
		benchRuns(b, chainOf(1000, "bench.slot"), engine.Options{Observe: func(engine.Event) {}})
	})
}

func BenchmarkFan100(b *testing.B) {
	for _, typ := range []string{"slot", "func", "map", "goroutine"} {
		b.Run(typ, func(b *testing.B) { benchRuns(b, fanOf(100, "bench."+typ), engine.Options{}) })
	}
}

func BenchmarkCompile(b *testing.B) {
	for _, n := range []int{1000, 10_000, 100_000} {
		def, env := chainOf(n, "bench.slot"), benchEnv(b)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, _ = engine.Compile(b.Context(), def, env)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/node")
		})
	}
}

func BenchmarkResultJSON(b *testing.B) {
	run, err := new(engine.Local).Run(b.Context(), benchPlan(b, chainOf(1000, "bench.slot")), engine.Options{RunID: "r"})
	require.NoError(b, err)
	b.Run("run", func(b *testing.B) {
		b.ReportAllocs()
		var dst []byte
		for b.Loop() {
			dst = run.AppendJSON(dst[:0], engine.NoElision)
		}
	})
	b.Run("result", func(b *testing.B) {
		b.ReportAllocs()
		var dst []byte
		for b.Loop() {
			dst = run.Result().AppendJSON(dst[:0], engine.NoElision)
		}
	})
	for _, n := range []int{500, 5000} { // one that is shown, and one that is too long
		list := make([]any, n)
		for i := range list {
			list[i] = map[string]any{"id": i, "active": i%2 == 0, "total": float64(i) * 1.5}
		}
		r := engine.Result{Nodes: map[string]engine.NodeResult{"n": {Outputs: map[string]any{"list": list}}}}
		b.Run(fmt.Sprint("records-", n), func(b *testing.B) {
			b.ReportAllocs()
			var dst []byte
			for b.Loop() {
				dst = r.AppendJSON(dst[:0], limit.Shown)
			}
		})
	}
}
