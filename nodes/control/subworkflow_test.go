package control_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes/control"
)

func TestSubworkflowPassesThrough(t *testing.T) {
	body := &fakeBody{
		inputs:  []node.Port{in("a", "any"), in("b", "any")},
		outputs: outs("sum", "silent", "nothing"),
		run: func(_ context.Context, step int, inputs record) (record, error) {
			require.Zero(t, step)
			require.Equal(t, record{"a": 1}, inputs)
			return record{"sum": 3, "nothing": nil}, nil
		},
	}
	got, err := exec(t.Context(), t, "control.subworkflow", record{"a": 1}, body)
	require.NoError(t, err)
	require.Equal(t, record{"sum": 3, "nothing": nil}, got)
}

func TestSubworkflowKeepsItsBodysFailure(t *testing.T) {
	failure := node.Errorf("sold_out", "nothing left")
	body := &fakeBody{run: func(context.Context, int, record) (record, error) { return nil, failure }}
	_, err := exec(t.Context(), t, "control.subworkflow", nil, body)
	require.Equal(t, failure, err)
}

func TestSubworkflowLoadsStoredWorkflows(t *testing.T) {
	r, err := node.NewRegistry(control.Plugin())
	require.NoError(t, err)
	n, _ := r.Lookup("control.subworkflow")
	missing := []node.Problem{{Code: "unknown_workflow", Message: "no such workflow"}}
	bind := func(id string) (node.Bound, []node.Problem) {
		return n.Bind(node.Binding{
			Spec: &n.Spec, Config: record{"workflowId": id},
			Workflow: func(id string) (node.Body, []node.Problem) {
				if id != "report" {
					return nil, missing
				}
				return &fakeBody{inputs: []node.Port{in("day", "string")}, outputs: outs("text")}, nil
			},
		})
	}
	bound, problems := bind("report")
	require.Empty(t, problems)
	require.Equal(t, []string{"workflowId:string", "day:string"}, portNames(bound.Inputs))
	require.Equal(t, []string{"text:any"}, portNames(bound.Outputs))
	_, problems = bind("gone")
	require.Equal(t, missing, problems)
}
