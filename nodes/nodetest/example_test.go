package nodetest_test

import (
	"context"
	"strings"
	"testing"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes/nodetest"
)

// A plugin is a list of nodes. Most nodes are Go functions: the fields of the parameter are
// the inputs, those of the result are the outputs.
func plugin() node.Plugin {
	return node.Bundle{
		Name:     "poetry",
		Category: "Poetry",
		Card:     node.Card{Shape: "card", Color: "#7B1FA2", Icon: "feather"},
		Nodes: []node.Node{
			node.Func("poetry.echo", "Echo", echo).Pure().Inline().
				Doc("Repeats a line: `hey` three times gives `hey hey hey`."),
		},
	}
}

type echoIn struct {
	Line  string `port:"line" doc:"The line to repeat."`
	Times int    `port:"times" default:"2" doc:"How often."`
}

type echoOut struct {
	Text string `port:"text" doc:"The line, repeated."`
}

func echo(_ context.Context, in echoIn) (echoOut, error) {
	if in.Times < 1 || in.Times > 100 {
		return echoOut{}, node.Errorf(node.CodeInvalidInput, "times is %d; give a number from 1 to 100", in.Times)
	}
	return echoOut{strings.TrimSpace(strings.Repeat(in.Line+" ", in.Times))}, nil
}

// A test checks the common rules in one line, and calls Exec for each behaviour of a node.
func Example() {
	// In a file poetry_test.go:
	test := func(t *testing.T) {
		nodetest.Check(t, plugin())
		nodetest.Quick(t, plugin(), nil)

		h := nodetest.New(t, plugin())
		out, err := h.Exec("poetry.echo", map[string]any{"times": 3}, map[string]any{"line": "hey"})
		if err != nil || out["text"] != "hey hey hey" {
			t.Errorf("got %v, %v", out, err)
		}
		_, err = h.Exec("poetry.echo", map[string]any{"times": 0}, map[string]any{"line": "hey"})
		if node.CodeOf(err) != node.CodeInvalidInput {
			t.Errorf("got %v", err)
		}
	}
	_ = test
	// Output:
}
