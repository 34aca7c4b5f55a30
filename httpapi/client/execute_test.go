package client_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/workflow"
)

func TestExecuteIsNotRecorded(t *testing.T) {
	c := serve(t)
	def := &workflow.Definition{ID: "w", Nodes: []workflow.Node{{ID: "n", Type: "text.length", Config: map[string]any{"text": "four"}}}}
	result, err := c.Execute(t.Context(), def)
	require.NoError(t, err)
	require.Equal(t, engine.StatusCompleted, result.Status)
	require.Equal(t, 4, result.Nodes["n"].Outputs["length"])
	page, err := c.Runs(t.Context(), run.Query{})
	require.NoError(t, err)
	require.Empty(t, page.Items)
	def.Nodes[0].Type = "no.such"
	_, err = c.Execute(t.Context(), def)
	var invalid engine.ValidationErrors
	require.True(t, errors.As(err, &invalid))
}
