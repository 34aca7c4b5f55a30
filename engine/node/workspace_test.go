package node_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/node"
)

// keyed is a run of which only the key matters.
type keyed struct {
	node.Run
	key string
}

func (k keyed) Key() string { return k.key }

func TestWorkspace(t *testing.T) {
	w := node.NewWorkspace("run-2", "run-1")
	for name, allowed := range map[string]bool{
		"a/b.txt": true, ".runs/run-2": true, ".runs/run-2/a.mp4": true, ".runs/run-1/a.mp4": true,
		".runs": false, ".Runs/run-2": false, ".runs/run-3/a": false, ".runs/run-22/a": false,
	} {
		require.Equal(t, allowed, w.Check(name) == nil, name)
	}
	var none *node.Workspace
	require.NoError(t, none.Check("a"))
	require.Equal(t, node.CodeForbidden, node.CodeOf(none.Check(".runs/run-2/a")))

	seen := map[string]bool{}
	for _, at := range []string{"fmt", "loop/3/fmt", "loop/3.fmt", "a~2fb", "ü", "..", strings.Repeat("x", 1000)} {
		name := w.File(node.WithRun(t.Context(), keyed{key: "run-2/" + at}), ".mp4")
		require.True(t, strings.HasPrefix(name, ".runs/run-2/") && strings.Count(name, "/") == 2 && len(name) < 200, name)
		require.False(t, seen[name])
		seen[name] = true
	}
	require.False(t, w.Scratched())
	require.Equal(t, ".runs/run-2/.scratch/fmt", w.Scratch(node.WithRun(t.Context(), keyed{key: "run-2/fmt"})))
	require.True(t, w.Scratched())
}
