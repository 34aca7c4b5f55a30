package fold_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/fold"
)

func TestPaths(t *testing.T) {
	for _, c := range []struct {
		path   fold.Path
		node   string
		rounds []int
		inside bool
		beside fold.Path
	}{
		{"fmt", "fmt", nil, false, "x"},
		{"loop/3/fmt", "loop/fmt", []int{3}, true, "loop/3/x"},
		{"loop/3/in/12/fmt", "loop/in/fmt", []int{3, 12}, true, "loop/3/in/12/x"},
		{"loop/?/fmt", "loop/fmt", []int{0}, true, "loop/?/x"},
		{"", "", nil, false, "x"},
	} {
		require.Equal(t, c.node, c.path.Node(), c.path)
		require.Equal(t, c.rounds, c.path.Rounds(), c.path)
		require.Equal(t, c.inside, c.path.Inside(), c.path)
		require.Equal(t, c.beside, c.path.Beside("x"), c.path)
		containers, id := fold.Split(c.node)
		require.Equal(t, c.node, fold.Join(containers, id))
	}
	require.Equal(t, "loop/in", fold.Container("loop/in/fmt"))
	require.Empty(t, fold.Container("fmt"))
}
