package doc_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/layout/geom"
	"github.com/svcflow/svc/ui/uitest/editortest"
)

// A loop is born with all that its body needs, so that the work is the only thing to add.
func TestALoopIsBornWithABody(t *testing.T) {
	d := editortest.Open(t, editortest.Greet)
	id, err := d.Add("control.foreach", geom.Point{X: 0, Y: 600})
	require.NoError(t, err)
	require.Equal(t, "Add node", d.CanUndo())
	require.NoError(t, d.Connect(editortest.Out("who", "value"), editortest.In(id, "list")))
	_, err = engine.Compile(t.Context(), d.Definition(), engine.Env{Registry: editortest.Registry(t)})
	require.NoError(t, err, "it is valid at once")
	_, outputs, err := d.Ports(id)
	require.NoError(t, err)
	var names []string
	for _, p := range outputs {
		names = append(names, p.Name)
	}
	require.Contains(t, names, "result", "its output is a port of the loop")

	require.NoError(t, d.Enter(id))
	names = nil
	for _, n := range d.Nodes() {
		require.NotNil(t, n.Position)
		names = append(names, n.ID)
	}
	require.Equal(t, []string{"item", "index", "result"}, names)
	_, err = d.InsertNew("text.to_text", geom.Point{X: 200}, d.Connections()[0])
	require.NoError(t, err, "work is put between")

	require.True(t, leave(d.Leave()))
	while, err := d.Add("control.while", geom.Point{X: 0, Y: 800})
	require.NoError(t, err)
	require.NoError(t, d.Enter(while))
	require.Len(t, d.Nodes(), 1)
	require.Equal(t, "continue", d.Nodes()[0].ID)
	require.Equal(t, "Add node", d.CanUndo(), "it has a body already")
}

func leave(_ string, ok bool) bool { return ok }
