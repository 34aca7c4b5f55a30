//go:build e2e && linux

package e2e_test

import (
	"fmt"
	"strings"
)

// failureAttacks fail with very long messages.
func failureAttacks() []attack {
	const budget = "4 KiB of each message"
	return []attack{
		{name: "3,000 failures of 1 MB each", budget: budget, always: true, peak: 500, told: `failed long`, do: func(v *victim) {
			v.post("/execute", manyFailures(3_000, 1<<20))
			v.post("/execute?full=true", manyFailures(3_000, 1<<20))
		}},
		{name: "3,000 recorded failures of 1 MB each", budget: budget, peak: 500, do: func(v *victim) {
			r := v.post("/executions", manyFailures(3_000, 1<<20))
			v.waitFor(field(v.t, r, "runId"), "failed")
			v.ask("GET", "/executions/"+field(v.t, r, "runId")+"?full=true", "")
			v.note(fmt.Sprintf("%d kB of journal", v.sizeOf("runs")>>10))
		}},
		{name: "100,000 items that fail with 1 MB", budget: budget + ", 256 MiB of errors", do: func(v *victim) {
			v.post("/execute", failingItems(100_000, 1<<20))
		}},
	}
}

// manyFailures is a workflow of n nodes that fail with the same text.
func manyFailures(n, bytes int) string {
	nodes := []string{fmt.Sprintf(`{"id":"text","type":"control.value","config":{"value":%q}}`, strings.Repeat("long ", bytes/5))}
	var wires []string
	for i := range n {
		id := fmt.Sprint("n", i)
		nodes = append(nodes, fmt.Sprintf(`{"id":%q,"type":"control.fail"}`, id))
		wires = append(wires, wire("text", "value", id, "message"))
	}
	return workflowOf("failing", nodes, wires)
}

func failingItems(items, bytes int) string {
	body := workflowOf("x", []string{`{"id":"message","type":"io.input","config":{"name":"message","type":"string"}}`, `{"id":"f","type":"control.fail"}`},
		[]string{wire("message", "value", "f", "message")})
	return workflowOf("failing", []string{
		fmt.Sprintf(`{"id":"text","type":"control.value","config":{"value":%q}}`, strings.Repeat("long ", bytes/5)),
		fmt.Sprintf(`{"id":"range","type":"listops.range","config":{"end":%d}}`, items),
		fmt.Sprintf(`{"id":"each","type":"control.foreach","config":{"onItemError":"skip"},"body":%s}`, body),
		`{"id":"out","type":"io.output","config":{"name":"count"}}`,
	}, []string{wire("text", "value", "each", "message"), wire("range", "result", "each", "list"), wire("each", "count", "out", "value")})
}
