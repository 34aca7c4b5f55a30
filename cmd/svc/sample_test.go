package main

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes"
	"github.com/svcflow/svc/nodes/nodetest/sample"
)

// TestAPluginBringsEverything shows a node type that the program does not know: its
// example is printed and runs, and it has its place in the reference.
func TestAPluginBringsEverything(t *testing.T) {
	registry, err := node.NewRegistry(append(nodes.Builtin(nodes.Env{}), sample.Plugin())...)
	require.NoError(t, err)
	echo, ok := registry.Lookup("sample.echo")
	require.True(t, ok)

	def, err := example(&echo.Spec, registry.Specs())
	require.NoError(t, err)
	plan, err := engine.Compile(t.Context(), def, engine.Env{Registry: registry})
	require.NoError(t, err)
	run, err := new(engine.Local).Run(t.Context(), plan, engine.Options{})
	require.NoError(t, err)
	require.Equal(t, map[string]any{"text": "hey hey"}, run.Outputs())

	var out bytes.Buffer
	require.NoError(t, explainNode(&host{stdout: &out}, &echo.Spec, registry.Specs()))
	require.Contains(t, out.String(), "sample.echo (Echo, plugin sample)")
	require.Contains(t, out.String(), `"line": "hey"`)

	book := reference(registry.Specs())
	require.Contains(t, book, "\n## sample\n\n### sample.echo\n\nRepeats a line: `hey` three times gives `hey hey hey`.\n")
	require.Contains(t, book, "| `times` | `int` | *default `2`* · How often, 1 to 100. |")
}
