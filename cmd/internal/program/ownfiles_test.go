package program_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/cmd/internal/program"
	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/nodes"
)

// TestEachNodeUsesFilesOfItsOwnRun calls each node that takes the path of a file with a file
// of its own run, such as an upload, and with one of another run.
func TestEachNodeUsesFilesOfItsOwnRun(t *testing.T) {
	dir := t.TempDir()
	put := func(names ...string) {
		for _, name := range names {
			name = filepath.Join(dir, node.RunsDir, name)
			require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
			require.NoError(t, os.WriteFile(name, []byte("a,b\n1,2\n"), 0o600))
		}
	}
	env, err := nodes.Sandbox(nodes.Policy{FilesDir: dir})
	require.NoError(t, err)
	registry, err := node.NewRegistry(append(nodes.Builtin(env), program.Plugins(env, func(string) string { return "" }, nil)...)...)
	require.NoError(t, err)
	ctx := node.WithWorkspace(t.Context(), node.NewWorkspace("mine"))
	// codeOf returns the code of the failure of a node whose input port names a file.
	codeOf := func(t *testing.T, spec *node.Spec, port, path string) string {
		put("mine/upload", "mine/second", "other/upload") // nodes may delete them
		config := map[string]any{port: path}
		for i := range spec.Inputs {
			in := &spec.Inputs[i]
			if _, given := config[in.Name]; given || !in.Required() {
				continue
			}
			config[in.Name] = "x"
			if example, ok := exampleOf(spec)[in.Name]; ok {
				config[in.Name] = example
			}
			if in.Widget == "file" {
				config[in.Name] = node.RunsDir + "/mine/second"
			}
		}
		def := &workflow.Definition{ID: "w", Nodes: []workflow.Node{{ID: "n", Type: spec.Type, Config: config, TimeoutMs: 3000}}}
		plan, err := engine.Compile(ctx, def, engine.Env{Registry: registry})
		if err != nil {
			t.Log(spec.Type, err)
			return ""
		}
		run, err := new(engine.Local).Run(ctx, plan, engine.Options{})
		require.NoError(t, err)
		if run.Err() == nil {
			return "succeeded"
		}
		return run.Err().Code
	}
	tested := 0
	for _, spec := range registry.Specs() {
		for i := range spec.Inputs {
			port := spec.Inputs[i].Name
			if spec.Inputs[i].Widget != "file" || codeOf(t, spec, port, node.RunsDir+"/other/upload") != node.CodeForbidden {
				continue // it needs more than a file, or fails before it looks at the path
			}
			tested++
			t.Run(spec.Type+" "+port, func(t *testing.T) {
				require.NotEqual(t, node.CodeForbidden, codeOf(t, spec, port, node.RunsDir+"/mine/upload"))
			})
		}
	}
	require.Greater(t, tested, 25)
}

func exampleOf(spec *node.Spec) map[string]any {
	if spec.Example == nil {
		return nil
	}
	return spec.Example.Config
}
