package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/fold"
	"github.com/svcflow/svc/engine/value"
)

// dryRun is the answer of svc run --dry-run.
type dryRun struct {
	Calls   []wouldCall     `json:"calls"`
	Skipped []string        `json:"skipped"` // nodes that depend on nodes that were not called
	Outputs map[string]any  `json:"outputs"` // outputs that do not depend on them
	Error   *engine.Failure `json:"error,omitempty"`
}

// wouldCall is a node that was not called.
type wouldCall struct {
	Node   string         `json:"node"` // path of the node
	Type   string         `json:"type"`
	Inputs map[string]any `json:"inputs"`
}

// runDry runs the workflow without the nodes that call something outside, and prints the
// inputs of these nodes.
func (c *runCmd) runDry(ctx context.Context, h *host, l *localRun) error {
	types, err := l.reaching(ctx, false)
	if err != nil {
		return err
	}
	mocked := maps.Clone(l.request.Pins)
	for path := range types {
		if _, given := mocked[path]; !given {
			l.request.Pins[path] = engine.Pin{}
		}
	}
	done := dryRun{Calls: []wouldCall{}, Skipped: []string{}}
	var mu sync.Mutex
	l.request.Asked = func(path string, inputs map[string]any) {
		bare := fold.Path(path).Node()
		_, one := mocked[path]
		if _, all := mocked[bare]; one || all {
			return
		}
		mu.Lock()
		defer mu.Unlock()
		done.Calls = append(done.Calls, wouldCall{Node: path, Type: types[bare], Inputs: inputs})
	}
	r, err := l.app.Execute(ctx, l.def, l.request, nil)
	if err != nil {
		return err
	}
	result := r.Result()
	done.Outputs, done.Error = result.Outputs, result.Error
	for _, id := range result.Order {
		if n := result.Nodes[id]; n.SkippedBecause != nil && types[n.SkippedBecause.NodeID] != "" {
			done.Skipped = append(done.Skipped, id)
		}
	}
	if err := c.answer(h, done, done.text(portNames(l.outputs))); err != nil || done.hides() {
		return err
	}
	return h.outcome(r)
}

// hides reports whether the run may have failed only because some node was not called.
func (d *dryRun) hides() bool {
	return d.Error != nil && slices.ContainsFunc(d.Calls, func(c wouldCall) bool { return strings.HasPrefix(c.Node, d.Error.NodeID+"/") })
}

// text formats a dry run for people.
func (d *dryRun) text(order []string) string {
	var b strings.Builder
	for _, call := range d.Calls {
		fmt.Fprintf(&b, "would call %s (%s)\n", oneLine(call.Node), call.Type)
		for _, name := range slices.Sorted(maps.Keys(call.Inputs)) {
			const most = 200 // bytes
			text, _ := value.Preview(call.Inputs[name], most)
			fmt.Fprintf(&b, "    %s: %s\n", oneLine(name), oneLine(text))
		}
	}
	if len(d.Calls) == 0 {
		b.WriteString("no node would reach outside\n")
	}
	if len(d.Skipped) > 0 {
		fmt.Fprintf(&b, "then, with what comes back: %s\n", oneLine(strings.Join(d.Skipped, ", ")))
	}
	if d.hides() {
		fmt.Fprintf(&b, "what %s gives cannot be known without that\n", oneLine(d.Error.NodeID))
	}
	for _, name := range order {
		if v, ok := d.Outputs[name]; ok {
			fmt.Fprintf(&b, "output %s: %s\n", oneLine(name), value.Encode(v))
		}
	}
	return b.String()
}
