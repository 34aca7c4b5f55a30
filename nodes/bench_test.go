package nodes_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/nodes"
)

// ordersText is a document of n orders, about 107 KB for 1,000.
func ordersText(n int) string {
	random := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	fmt.Fprintf(&b, `{"meta":{"n":%d},"data":{"items":[`, n)
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"id":%d,"name":"item-%04d","category":"%c","price":%.2f,"qty":%d,"active":%t,"note":"lorem ipsum x%d"}`,
			i, i, 'a'+rune(random.IntN(5)), random.Float64()*100, 1+random.IntN(9), random.IntN(3) > 0, i)
	}
	b.WriteString("]}}")
	return b.String()
}

// step is a node of a chain, with the ports of the wire from the step before.
type step struct {
	typ, from, to string
	config        map[string]any
}

// chainPlan compiles a workflow with the input text, the steps, and the output result.
func chainPlan(tb testing.TB, steps ...step) *engine.Plan {
	tb.Helper()
	registry, err := node.NewRegistry(nodes.Builtin(nodes.Env{})...)
	require.NoError(tb, err)
	def := &workflow.Definition{ID: "chain"}
	for i, s := range steps {
		def.Nodes = append(def.Nodes, workflow.Node{ID: fmt.Sprint("n", i), Type: s.typ, Config: s.config})
		if i > 0 {
			def.Connections = append(def.Connections, workflow.Connection{
				FromNodeID: fmt.Sprint("n", i-1), FromPort: s.from, ToNodeID: fmt.Sprint("n", i), ToPort: s.to,
			})
		}
	}
	plan, err := engine.Compile(tb.Context(), def, engine.Env{Registry: registry})
	require.NoError(tb, err)
	return plan
}

type config = map[string]any

// sumPlan is workload W4: parse a text, take its items, map, filter and sum them.
func sumPlan(tb testing.TB) *engine.Plan {
	return chainPlan(tb,
		step{"io.input", "", "", config{"name": "text", "type": "string"}},
		step{"json.parse", "value", "text", nil},
		step{"json.pointer_get", "value", "value", config{"pointer": "/data/items"}},
		step{"listops.map", "result", "list", config{"expression": "{id: item.id, active: item.active, total: item.price * item.qty}"}},
		step{"listops.filter", "result", "list", config{"expression": "item.active && item.total > 100"}},
		step{"listops.sum", "result", "list", config{"by": "item.total"}},
		step{"io.output", "sum", "value", config{"name": "result"}},
	)
}

// itemsOf parses a text with encoding/json and returns its items.
func itemsOf(tb testing.TB, text string) []any {
	var doc any
	require.NoError(tb, json.Unmarshal([]byte(text), &doc))
	return doc.(map[string]any)["data"].(map[string]any)["items"].([]any)
}

// sumSteps computes the result of sumPlan in plain Go with the same steps: it builds a list
// of records, filters it, and adds up.
func sumSteps(tb testing.TB, text string) float64 {
	var mapped, kept []any
	for _, e := range itemsOf(tb, text) {
		item := e.(map[string]any)
		mapped = append(mapped, map[string]any{"id": item["id"], "active": item["active"], "total": item["price"].(float64) * item["qty"].(float64)})
	}
	for _, e := range mapped {
		if item := e.(map[string]any); item["active"].(bool) && item["total"].(float64) > 100 {
			kept = append(kept, item)
		}
	}
	sum := 0.0
	for _, e := range kept {
		sum += e.(map[string]any)["total"].(float64)
	}
	return sum
}

// sumLoop computes the same sum in one loop, without intermediate records and lists.
func sumLoop(tb testing.TB, text string) float64 {
	sum := 0.0
	for _, e := range itemsOf(tb, text) {
		item := e.(map[string]any)
		if total := item["price"].(float64) * item["qty"].(float64); item["active"].(bool) && total > 100 {
			sum += total
		}
	}
	return sum
}

// resultOf runs a plan with one input and returns the workflow's result.
func resultOf(tb testing.TB, plan *engine.Plan, name string, input any) any {
	run, err := new(engine.Local).Run(tb.Context(), plan, engine.Options{Inputs: map[string]any{name: input}})
	require.NoError(tb, err)
	require.Equal(tb, engine.StatusCompleted, run.Status(), "%v", run.Err())
	return run.Outputs()["result"]
}

func TestW4(t *testing.T) {
	text := ordersText(1000)
	result := resultOf(t, sumPlan(t), "text", text)
	require.InEpsilon(t, sumSteps(t, text), result, 1e-12)
	require.InEpsilon(t, sumLoop(t, text), result, 1e-12)
}

// BenchmarkW4 runs the workflow and both variants in plain Go alternately. It reports the
// speed of the workflow relative to each: above 1 it is faster.
func BenchmarkW4(b *testing.B) {
	plan, text := sumPlan(b), ordersText(1000)
	tasks := []struct {
		name string
		run  func()
		took time.Duration
	}{
		{name: "workflow", run: func() { resultOf(b, plan, "text", text) }},
		{name: "steps", run: func() { sumSteps(b, text) }},
		{name: "loop", run: func() { sumLoop(b, text) }},
	}
	for b.Loop() {
		for i := range tasks {
			start := time.Now()
			tasks[i].run()
			tasks[i].took += time.Since(start)
		}
	}
	for i := range tasks {
		b.ReportMetric(float64(tasks[i].took.Microseconds())/float64(b.N), tasks[i].name+"-µs")
		if i > 0 {
			b.ReportMetric(tasks[i].took.Seconds()/tasks[0].took.Seconds(), tasks[i].name+"/workflow")
		}
	}
}

// BenchmarkRecords100000 maps, filters, sorts and groups 100,000 records.
func BenchmarkRecords100000(b *testing.B) {
	var doc map[string]map[string]any
	require.NoError(b, json.Unmarshal([]byte(ordersText(100_000)), &doc))
	items := doc["data"]["items"]
	for name, expression := range map[string]string{
		"simple":  "{id: item.id, category: item.category, total: item.price * item.qty}",
		"machine": "{id: item.id, category: upper(item.category), total: round(item.price * item.qty)}",
	} {
		plan := chainPlan(b,
			step{"io.input", "", "", config{"name": "items", "type": "list<any>"}},
			step{"listops.map", "value", "list", config{"expression": expression}},
			step{"listops.filter", "result", "list", config{"expression": "item.total > 100"}},
			step{"listops.sort", "result", "list", config{"by": "item.total", "descending": true}},
			step{"listops.group_by", "result", "list", config{"by": "item.category"}},
			step{"io.output", "groups", "value", config{"name": "result"}},
		)
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				require.Len(b, resultOf(b, plan, "items", items), 5)
			}
		})
	}
}
