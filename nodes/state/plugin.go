// Package state is the plugin "state": nodes for small values that outlive runs, and for
// finding the new items of a list. The values are stored in the [node.State] that the
// engine's caller provides.
package state

import (
	"context"
	"fmt"
	"time"

	"github.com/svcflow/svc/engine/node"
)

// Plugin returns the plugin.
func Plugin() node.Plugin {
	return node.Bundle{
		Name:     "state",
		Category: "State",
		Card:     node.Card{Shape: "card", Color: "#5D4037", Icon: "list"},
		Nodes:    []node.Node{getNode(), setNode(), incrNode(), deleteNode(), newItemsNode()},
	}
}

// place holds the inputs that name a value; all nodes have them.
type place struct {
	Key   string `port:"key" doc:"The name of the value: 1 to 200 characters."`
	Scope string `port:"scope" enum:"workflow|shared" default:"workflow" doc:"Whose value it is: that of this workflow, or one that all workflows share."`
}

func (p place) at() node.StateKey { return node.StateKey{Shared: p.Scope == sharedScope, Key: p.Key} }

const sharedScope = "shared"

// scopeHelp is the part that all nodes' descriptions share.
const scopeHelp = "Values belong to the stored workflow; with scope `shared`, all workflows have them. They survive restarts, and are as they " +
	"were when a run failed after it changed them. A value may have 256 KiB as JSON, all of them 100 MiB. A workflow that is run without being " +
	"stored on the server begins with no values, which are gone when it ends; `svc run` keeps them below `--data`. A sub-workflow sees those of the workflow that calls it."

// of returns the state that is available to a call.
func of(ctx context.Context) (node.State, error) {
	s := node.StateOf(ctx)
	if s == nil {
		return nil, node.Permanent(node.Errorf(node.CodeUnavailable, "there is no state here"))
	}
	return s, nil
}

// until returns the time at which a value that is stored now expires; the zero time, for an
// empty ttl, means never.
func until(ttl string, now time.Time) (time.Time, error) {
	if ttl == "" {
		return time.Time{}, nil
	}
	d, err := time.ParseDuration(ttl)
	if err != nil || d < time.Second {
		return time.Time{}, node.Permanent(node.Errorf(node.CodeInvalidInput, "%s", badTTL(ttl)))
	}
	return now.Add(d), nil
}

func badTTL(ttl string) string {
	return fmt.Sprintf("%q is no time to live; write one from a second on, such as 90s, 15m or 720h", ttl)
}

// checkTTL makes n report an invalid ttl in its config when it is bound.
func checkTTL(n node.Node) node.Node {
	bind := n.Bind
	n.Bind = func(b node.Binding) (node.Bound, []node.Problem) {
		bound, problems := bind(b)
		if ttl, ok := b.Config["ttl"].(string); ok {
			if _, err := until(ttl, time.Time{}); err != nil {
				problems = append(problems, node.Invalid("ttl", "%s", badTTL(ttl)))
			}
		}
		return bound, problems
	}
	return n
}
