package runs_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/ui/runs"
)

// row is in → a → b → c, and beside it d.
func row() *runs.Ran {
	def := &workflow.Definition{ID: "w"}
	for i, id := range []string{"in", "a", "b", "c", "d"} {
		def.Nodes = append(def.Nodes, workflow.Node{ID: id, Type: "step", Config: map[string]any{"x": i}})
		if i > 0 && id != "d" {
			def.Connections = append(def.Connections, workflow.Connection{FromNodeID: def.Nodes[i-1].ID, FromPort: "o", ToNodeID: id, ToPort: "i"})
		}
	}
	def.Nodes[0].Type = "input"
	return &runs.Ran{Def: def, Inputs: map[string]any{"n": 1}}
}

func TestUnchangedNodes(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(r *runs.Ran)
		ended  map[string]engine.Status // else all have succeeded
		acts   string
		want   string
	}{
		{"nothing", func(*runs.Ran) {}, nil, "", "a b c d in"},
		{"a place", func(r *runs.Ran) { r.Def.Nodes[1].Position, r.Def.Nodes[1].Label = &workflow.Position{X: 3}, "x" }, nil, "", "a b c d in"},
		{"a point of a wire", func(r *runs.Ran) { r.Def.Connections[0].Via = &workflow.Route{} }, nil, "", "a b c d in"},
		{"a value", func(r *runs.Ran) { r.Def.Nodes[2].Config = map[string]any{"x": 9} }, nil, "", "a d in"},
		{"a type", func(r *runs.Ran) { r.Def.Nodes[1].Type = "other" }, nil, "", "d in"},
		{"a wire", func(r *runs.Ran) { r.Def.Connections[1].FromPort = "p" }, nil, "", "a d in"},
		{"a wire more", func(r *runs.Ran) {
			r.Def.Connections = append(r.Def.Connections, workflow.Connection{FromNodeID: "d", FromPort: "o", ToNodeID: "b", ToPort: "j"})
		}, nil, "", "a d in"},
		{"an input", func(r *runs.Ran) { r.Inputs = map[string]any{"n": 2} }, nil, "", "d"},
		{"a new node", func(r *runs.Ran) {
			r.Def.Nodes[1].ID, r.Def.Connections[0].ToNodeID, r.Def.Connections[1].FromNodeID = "z", "z", "z"
		}, nil, "", "d in"},
		{"a pin", func(r *runs.Ran) { r.Pins = map[string]engine.Pin{"a": {}} }, nil, "", "d in"},
		{"a pin inside", func(r *runs.Ran) { r.Pins = map[string]engine.Pin{"b/fetch": {}} }, nil, "", "a d in"},
		{"a circle", func(r *runs.Ran) {
			r.Def.Connections = append(r.Def.Connections, workflow.Connection{FromNodeID: "c", FromPort: "o", ToNodeID: "a", ToPort: "j"})
		}, nil, "", "d in"},
		{"one failed", func(*runs.Ran) {}, map[string]engine.Status{"b": engine.StatusFailed}, "", "a d in"},
		{"one was skipped", func(*runs.Ran) {}, map[string]engine.Status{"b": engine.StatusSkipped, "c": engine.StatusSkipped}, "", "a d in"},
		{"one acts", func(*runs.Ran) {}, nil, "b", "a d in"},
	} {
		before, next := row(), row()
		tt.change(next)
		u := runs.Reuse{
			Role: func(typ string) node.Role {
				if typ == "input" {
					return node.RoleInput
				}
				return node.RoleStep
			},
			Acts: func(n *workflow.Node) bool { return n.ID == tt.acts },
			Gave: func(id string) (engine.Status, bool) {
				if status, ok := tt.ended[id]; ok {
					return status, false
				}
				return engine.StatusSucceeded, true
			},
		}
		got := slices.Sorted(maps.Keys(u.Unchanged(before, next)))
		require.Equal(t, tt.want, strings.Join(got, " "), tt.name)
	}
	require.Empty(t, runs.Reuse{}.Unchanged(nil, row()), "nothing has run")
}

func TestATriggerRepeatsItsLastEvent(t *testing.T) {
	u := runs.Reuse{
		Role: func(typ string) node.Role {
			if typ == "input" {
				return node.RoleTrigger
			}
			return node.RoleStep
		},
		Acts: func(*workflow.Node) bool { return false },
		Gave: func(string) (engine.Status, bool) { return engine.StatusSucceeded, true },
	}
	before, next := row(), row()
	before.Trigger, next.Trigger = "in", "in"
	require.True(t, u.Unchanged(before, next)["b"])
	next.Payload = map[string]any{"n": 2}
	require.Equal(t, map[string]bool{"d": true}, u.Unchanged(before, next), "it fires with something else")
	next.Trigger, next.Payload = "other", nil
	require.Equal(t, map[string]bool{"d": true}, u.Unchanged(before, next), "another one fires")
}

func TestAPinnedNodeIsUnchangedDespiteSideEffects(t *testing.T) {
	before, next := row(), row()
	before.Pins, next.Pins = map[string]engine.Pin{"b": {}}, map[string]engine.Pin{"b": {}}
	u := runs.Reuse{
		Role: func(string) node.Role { return node.RoleStep },
		Acts: func(n *workflow.Node) bool { return n.ID == "b" },
		Gave: func(string) (engine.Status, bool) { return engine.StatusSucceeded, true },
	}
	require.Equal(t, []string{"a", "c", "d", "in"}, slices.Sorted(maps.Keys(u.Unchanged(before, next))))
}
