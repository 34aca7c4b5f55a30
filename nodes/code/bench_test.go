package code_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/nodes/code"
)

// benchmark runs a workflow of one script repeatedly. It reports the median and the best
// duration; the best one is close to the duration on an idle machine.
func benchmark(b *testing.B, config record) {
	b.Helper()
	p := code.New(child)
	b.Cleanup(func() { require.NoError(b, p.Close()) })
	registry, err := node.NewRegistry(p)
	require.NoError(b, err)
	def := &workflow.Definition{ID: "bench", Nodes: []workflow.Node{{ID: "script", Type: javascript, Config: config}}}
	plan, err := engine.Compile(b.Context(), def, engine.Env{Registry: registry})
	require.NoError(b, err)
	var took []time.Duration
	for b.Loop() {
		began := time.Now()
		ended, err := new(engine.Local).Run(b.Context(), plan, engine.Options{})
		if err != nil || ended.Status() != engine.StatusCompleted {
			b.Fatal(err, ended.Err())
		}
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	b.ReportMetric(took[len(took)/2].Seconds()*1e3, "p50-ms")
	b.ReportMetric(took[0].Seconds()*1e3, "best-ms")
}

// BenchmarkCall runs a small script in an existing child process.
func BenchmarkCall(b *testing.B) {
	benchmark(b, script("return a.price * 2", record{"inputs": []any{"a"}, "a": record{"price": 2}}))
}

// BenchmarkEach runs a script for each of 1,000 items.
func BenchmarkEach(b *testing.B) {
	items := make([]any, 1000)
	for i := range items {
		items[i] = record{"id": i, "name": fmt.Sprint("name ", i), "price": float64(i) * 1.5}
	}
	benchmark(b, script("return {...item, total: item.price * 1.19}", record{"inputs": []any{"l"}, "mode": "each", "l": items}))
}
