package doc_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/layout/geom"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/ui/editor/doc"
	"github.com/svcflow/svc/ui/uitest/editortest"
)

func TestUpToKeepsTheNodesBefore(t *testing.T) {
	d := editortest.Open(t, editortest.Greet)
	before := editortest.Text(t, d)
	part, err := d.UpTo("fmt")
	require.NoError(t, err)
	require.Len(t, part.Nodes, 2)
	require.Equal(t, "who", part.Nodes[0].ID)
	require.Equal(t, "fmt", part.Nodes[1].ID)
	require.Equal(t, []workflow.Connection{editortest.Conn("who", "value", "fmt", "name")}, part.Connections)
	require.Empty(t, part.Groups)
	require.Equal(t, before, editortest.Text(t, d), "the document stays as it is")
}

func TestUpToRefuses(t *testing.T) {
	d := editortest.Open(t, editortest.Greet)
	_, err := d.UpTo("gone")
	require.ErrorIs(t, err, doc.ErrNoNode)
	id, err := d.Add("control.foreach", geom.Point{})
	require.NoError(t, err)
	require.NoError(t, d.Enter(id))
	_, err = d.UpTo()
	require.ErrorIs(t, err, doc.ErrInBody)
}

func TestSetIDCanBeUndone(t *testing.T) {
	d := editortest.Open(t, editortest.Greet)
	require.Error(t, d.SetID(".."))
	require.NoError(t, d.SetID("other"))
	require.Equal(t, "other", d.Definition().ID)
	require.True(t, d.Edited())
	d.Undo()
	require.Equal(t, "greet", d.Definition().ID)
}

func TestSetSpecsShowsOtherPorts(t *testing.T) {
	d := editortest.Open(t, editortest.Greet)
	before := editortest.Text(t, d)
	d.SetSpecs(doc.NewSpecs(nil, nil))
	card, ok := d.Card("fmt")
	require.True(t, ok)
	require.Nil(t, card.Spec, "nobody knows the type")
	d.SetSpecs(editortest.Specs(t))
	card, _ = d.Card("fmt")
	require.NotNil(t, card.Spec)
	require.Equal(t, before, editortest.Text(t, d))
}

func TestMarkUnsaved(t *testing.T) {
	d := editortest.Open(t, editortest.Greet)
	require.False(t, d.Edited())
	d.MarkUnsaved()
	require.True(t, d.Edited())
	d.MarkSaved()
	require.False(t, d.Edited())
}
