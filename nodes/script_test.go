package nodes_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes"
	"github.com/svcflow/svc/nodes/nodetest"
)

// Every input for program text names its language, and the names in it refer to existing
// inputs.
func TestScripts(t *testing.T) {
	registry, err := node.NewRegistry(nodes.Builtin(nodes.Env{})...)
	require.NoError(t, err)
	for _, s := range registry.Specs() {
		inputs := map[string]bool{"": true}
		for i := range s.Inputs {
			inputs[s.Inputs[i].Name] = true
		}
		for i := range s.Inputs {
			p := &s.Inputs[i]
			require.False(t, p.Widget == "expression" && p.Script == nil, "%s.%s does not say its language", s.Type, p.Name)
			if p.Script == nil {
				continue
			}
			require.True(t, p.Literal, "%s.%s", s.Type, p.Name)
			for name, input := range p.Script.Names {
				known := inputs[strings.TrimSuffix(input, "[]")]
				require.True(t, known || name == "vars", "%s.%s: %s stands for %s", s.Type, p.Name, name, input)
			}
		}
		if d := s.Derives; d != nil {
			require.True(t, inputs[strings.TrimSuffix(d.From, "[]")] && inputs[d.By], s.Type)
		}
	}
}

func TestProblemsOfScriptsTellTheCharacter(t *testing.T) {
	plugins := map[string]node.Plugin{}
	for _, p := range nodes.Builtin(nodes.Env{}) {
		plugins[p.(node.Named).PluginName()] = p
	}
	for _, tt := range []struct {
		plugin, typ, port, text string
		at                      int
	}{
		{"list-ops", "listops.map", "expression", "item.ä + wrong", 10},
		{"list-ops", "listops.map", "expression", "item.ä +\n  wrong", 12},
		{"list-ops", "listops.sort", "by", "item.price )", 12},
		{"json", "json.query", "filter", `"é" | .a ]`, 10},
		{"json", "json.path", "path", "$.a[?@.b ==", 12},
		{"text", "text.format", "template", "Grüße, {name", 8},
	} {
		problems := nodetest.New(t, plugins[tt.plugin]).Problems(tt.typ, map[string]any{tt.port: tt.text}, "list", "value")
		require.NotEmpty(t, problems, tt.text)
		require.Equal(t, tt.port, problems[0].Port)
		require.Equal(t, tt.at, problems[0].At, "%s: %s", tt.text, problems[0].Message)
	}
}
