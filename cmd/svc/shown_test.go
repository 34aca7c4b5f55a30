package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/app"
	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/workflow"
)

func TestATerminalShowsWhatPreviewNodesShow(t *testing.T) {
	a, err := app.New(app.Config{})
	require.NoError(t, err)
	defer func() { require.NoError(t, a.Close(t.Context())) }()
	def, err := workflow.Decode([]byte(`{"id":"w","nodes":[`+
		`{"id":"in","type":"io.input","config":{"name":"people","type":"list<record>","default":[{"name":"Ada","born":1815,"note":"a\tb\u001b[2J"},{"name":"Bo"}]}},`+
		`{"id":"all","type":"preview.table","label":"People","config":{"columns":["name","born","note"]}},`+
		`{"id":"raw","type":"preview.view","config":{"value":"plain","as":"json"}}],`+
		`"connections":[{"fromNodeId":"in","fromPort":"value","toNodeId":"all","toPort":"rows"}]}`), workflow.DefaultLimits())
	require.NoError(t, err)
	specs, err := a.NodeTypes(t.Context())
	require.NoError(t, err)
	ended, err := a.Execute(t.Context(), def, run.Request{}, func(engine.Event) {})
	require.NoError(t, err)
	text := string(shownText(def, specs, func(id string) map[string]any { return ended.Result().Nodes[id].Outputs }))
	require.Contains(t, text, "\nPeople:\n  name  born  note\n  Ada   1815  a")
	require.Contains(t, text, "\n  Bo\n")
	require.Contains(t, text, "\nraw:\n  \"plain\"\n")
	require.NotContains(t, text, "\x1b")
}
