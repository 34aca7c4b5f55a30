package nodes_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/nodes"
)

// The engine names no node type. What it advises comes from what the built-in ones
// declare.
func TestHintsNameWhatConverts(t *testing.T) {
	for types, hint := range map[[2]string]string{
		{"list<int>", "string"}:        "put json.stringify between them, or text.join for a list",
		{"record", "string"}:           "put json.stringify between them, or text.join for a list",
		{"int", "string"}:              "put text.to_text between them",
		{"record", "enum(a|b)"}:        "put text.to_text between them",
		{"string", "int"}:              "put text.to_number between them",
		{"string", "float"}:            "put text.to_number between them",
		{"string", "record"}:           "put json.parse between them, or text.split for a list",
		{"string", "list<int>"}:        "put json.parse between them, or text.split for a list",
		{"list<int>", "int"}:           "put control.foreach around the node, or listops.get between them",
		{"int", "credential"}:          `a credential is a reference such as "pronet:main"; set it in config or wire a string`,
		{"bool", "int"}:                "put json.convert between them",
		{"string", "bool"}:             "put json.convert between them",
		{"list<int>?", "list<string>"}: "put json.convert between them",
		{"int", "list<string>"}:        "put text.to_text between them",
	} {
		def := &workflow.Definition{ID: "w", Nodes: []workflow.Node{
			{ID: "a", Type: "io.input", Config: map[string]any{"name": "a", "required": true, "type": types[0]}},
			{ID: "b", Type: "probe.of"},
		}, Connections: []workflow.Connection{{FromNodeID: "a", FromPort: "value", ToNodeID: "b", ToPort: "in"}}}
		require.Equal(t, hint, firstHint(t, def, probe(t, types[1])), "%v", types)
	}
}

// firstHint compiles def with a node type whose input is of the given type.
func firstHint(t *testing.T, def *workflow.Definition, probe node.Plugin) string {
	registry, err := node.NewRegistry(append(nodes.Builtin(nodes.Env{}), probe)...)
	require.NoError(t, err)
	_, err = engine.Compile(t.Context(), def, engine.Env{Registry: registry})
	var problems engine.ValidationErrors
	require.True(t, errors.As(err, &problems), "%v", err)
	require.Equal(t, engine.CodeTypeMismatch, problems[0].Code)
	return problems[0].Hint
}

func probe(t *testing.T, typ string) node.Plugin {
	in, err := value.ParseType(typ)
	require.NoError(t, err)
	port := node.Port{Name: "in", Type: in}
	if in.Kind() == value.KindCredential {
		port.Networks = []string{"pronet"}
	}
	inputs := []node.Port{port}
	return node.Bundle{Nodes: []node.Node{{
		Spec: node.Spec{Type: "probe.of", Inputs: inputs},
		Bind: node.Static(inputs, nil, func(context.Context, []any, []any) error { return nil }),
	}}}
}
