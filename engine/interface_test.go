package engine_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/engine/workflow"
)

func TestTheInterfaceOfAWorkflow(t *testing.T) {
	stands := []struct {
		role node.Role
		name string
	}{
		{node.RoleOutput, "a"}, {node.RoleInput, "a"}, {node.RoleStep, "b"}, {node.RoleInput, "off"}, {node.RoleInput, "a"}, {node.RoleOutput, ""}, {node.RoleInput, "c"},
	}
	def := &workflow.Definition{Nodes: make([]workflow.Node, len(stands))}
	def.Nodes[3].Disabled = true
	face, twice := engine.NewInterface(def, func(i int) (node.Role, *node.Port) {
		if stands[i].name == "" {
			return stands[i].role, nil
		}
		return stands[i].role, &node.Port{Name: stands[i].name}
	})
	require.Equal(t, []node.Port{{Name: "a"}, {Name: "c"}}, face.Inputs())
	require.Equal(t, []node.Port{{Name: "a"}}, face.Outputs(), "an output may be called as an input is")
	require.Equal(t, []int{4}, twice)
}

func TestFanIn(t *testing.T) {
	for _, c := range []struct {
		source, target string
		wires          int
		want           value.Fit
	}{
		{"string", "string", 1, value.Fits},
		{"list<string>", "list<string>", 1, value.Fits},
		{"list<string>", "list<string>", 2, value.Misfit},
		{"string", "list<string>", 1, value.Fits},
		{"string", "list<string>", 2, value.Fits},
		{"any", "list<string>", 1, value.Checked},
		{"list<string>", "list<list<string>>", 1, value.Fits},
		{"list<list<string>>", "list<list<string>>", 1, value.Misfit},
		{"int", "list<string>", 1, value.Misfit},
	} {
		require.Equal(t, c.want, engine.Assign(value.MustType(c.source), value.MustType(c.target), c.wires), "%d × %s into %s", c.wires, c.source, c.target)
	}
}
