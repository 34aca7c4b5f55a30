package nodes_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/nodes"
)

// The engine knows no node types. Its hints come from what the built-in nodes declare.
func TestHintsNameWhatConverts(t *testing.T) {
	for types, hint := range map[[2]string]string{
		{"list<int>", "string"}:        "put control.foreach around the node, or text.join between them",
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

// The error of an unknown type suggests types with a similar name or a matching alias.
func TestUnknownTypeSuggestsNames(t *testing.T) {
	for typ, hint := range map[string]string{
		"text.formt":                   "did you mean text.format? `svc nodes` lists them all",
		"txet.format":                  "did you mean text.format? `svc nodes` lists them all",
		"io.httprequest":               "did you mean io.http_request? `svc nodes` lists them all",
		"n8n-nodes-base.httpRequest":   "did you mean io.http_request? `svc nodes` lists them all",
		"loop":                         "did you mean control.foreach or control.while? `svc nodes` lists them all",
		"acme.wait":                    "did you mean control.delay? `svc nodes` lists them all",
		"flow.schleife":                "did you mean control.foreach or control.while? `svc nodes` lists them all",
		"acme.xyzzy":                   "`svc nodes` lists them all",
		"":                             "`svc nodes` lists them all",
		strings.Repeat("text.for", 99): "`svc nodes` lists them all",
	} {
		def := &workflow.Definition{ID: "w", Nodes: []workflow.Node{{ID: "a", Type: typ}}}
		require.Equal(t, hint, problemsOf(t, def)[0].Hint, "%s", typ)
	}
}

// A document with only unknown types does a limited number of searches.
func TestUnknownTypesAreSearchedBounded(t *testing.T) {
	def := &workflow.Definition{ID: "w"}
	for i := range 5000 {
		name := fmt.Sprintf("text.format%d", i)
		def.Nodes = append(def.Nodes, workflow.Node{ID: fmt.Sprintf("n%d", i), Type: name})
	}
	suggested := 0
	for _, p := range problemsOf(t, def) {
		if strings.Contains(p.Hint, "text.format") {
			suggested++
		}
	}
	require.Equal(t, 100, suggested)
}

func problemsOf(t *testing.T, def *workflow.Definition, more ...node.Plugin) engine.ValidationErrors {
	registry, err := node.NewRegistry(append(nodes.Builtin(nodes.Env{}), more...)...)
	require.NoError(t, err)
	_, err = engine.Compile(t.Context(), def, engine.Env{Registry: registry})
	var problems engine.ValidationErrors
	require.True(t, errors.As(err, &problems), "%v", err)
	return problems
}

// firstHint compiles def together with a node type probe, and returns the first hint.
func firstHint(t *testing.T, def *workflow.Definition, probe node.Plugin) string {
	problems := problemsOf(t, def, probe)
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
