package nodes_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/nodes"
	"github.com/svcflow/svc/nodes/nodetest"
)

func TestMain(m *testing.M) {
	flag.Bool("update", false, "write the golden files anew")
	os.Exit(m.Run())
}

func TestBuiltinPlugins(t *testing.T) {
	var names []string
	for _, p := range nodes.Builtin(nodes.Env{}) {
		nodetest.Check(t, p)
		names = append(names, p.(node.Named).PluginName())
	}
	require.Equal(t, []string{"io", "text", "control", "json", "list-ops", "preview"}, names)
}

// Calls every node with random values, as programs that embed the nodes do. The plugins'
// own tests use more configs; this test makes sure that no node is left out.
func TestRandomValues(t *testing.T) {
	env, err := nodes.Sandbox(nodes.Policy{FilesDir: t.TempDir()})
	require.NoError(t, err)
	expression, by := []config{{"expression": "item != nil"}}, []config{{"by": "item"}}
	configs := map[string][]config{
		"control.delay": {{"ms": 0}}, "control.switch": {{"cases": []any{1, "a"}}}, "io.input": {{"name": "a"}},
		"json.convert": {{"to": "string"}}, "json.path": {{"path": "$..*"}}, "json.query": {{"filter": ".."}},
		"listops.map": expression, "listops.filter": expression, "listops.reduce": expression,
		"listops.sort": by, "listops.group_by": by, "listops.unique": by, "listops.sum": by,
		"listops.pivot": {{"rows": "item", "columns": "index", "value": "item", "how": "count"}},
		"text.format":   {{"template": "{a}{b}"}},
	}
	for _, p := range nodes.Builtin(env) {
		nodetest.Quick(t, p, configs)
	}
}

// The listing shows each change of a port in review, since stored workflows depend on
// ports.
func TestListing(t *testing.T) {
	registry, err := node.NewRegistry(nodes.Builtin(nodes.Env{})...)
	require.NoError(t, err)
	var b strings.Builder
	for _, s := range registry.Specs() {
		list(&b, s)
	}
	const golden = "testdata/specs.txt"
	if flag.Lookup("update").Value.String() == "true" {
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile(golden, []byte(b.String()), 0o644))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	require.Equal(t, string(want), b.String(), "if this is meant, run go test ./nodes -update")
}

// list writes one node type:
//
//	text.split  (text, pure)
//	  in   text:string
//	  in   delimiter?:string = ","
//	  out  parts:list<string>
func list(b *strings.Builder, s *node.Spec) {
	traits := []string{s.Plugin()}
	for _, trait := range []struct {
		has  bool
		word string
	}{
		{s.Pure, "pure"},
		{s.Inline, "inline"},
		{s.Container, "container"},
		{s.Role == node.RoleInput, "workflow input"},
		{s.Role == node.RoleOutput, "workflow output"},
		{s.Timeout != node.DefaultTimeout, "timeout " + s.Timeout.String()},
	} {
		if trait.has {
			traits = append(traits, trait.word)
		}
	}
	fmt.Fprintf(b, "%s  (%s)\n", s.Type, strings.Join(traits, ", "))
	for i := range s.Inputs {
		fmt.Fprintf(b, "  in   %s\n", input(&s.Inputs[i]))
	}
	for i := range s.Outputs {
		fmt.Fprintf(b, "  out  %s:%s\n", s.Outputs[i].Name, s.Outputs[i].Type)
	}
	b.WriteString("\n")
}

func input(p *node.Port) string {
	text := p.Name
	if p.Literal {
		text += "!"
	}
	if !p.Required() {
		text += "?"
	}
	text += ":" + p.Type.String()
	if p.Default != nil {
		text += " = " + string(value.Append(nil, p.Default))
	}
	if len(p.Networks) > 0 {
		text += "  (" + strings.Join(p.Networks, ", ") + ")"
	}
	return text
}
