package editor

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/workflow"
)

func TestUpToKeepsWhatLeadsToANode(t *testing.T) {
	d := open(t, greet)
	before := text(t, d)
	part, err := d.UpTo("fmt")
	require.NoError(t, err)
	require.Len(t, part.Nodes, 2)
	require.Equal(t, "who", part.Nodes[0].ID)
	require.Equal(t, "fmt", part.Nodes[1].ID)
	require.Equal(t, []workflow.Connection{conn("who", "value", "fmt", "name")}, part.Connections)
	require.Empty(t, part.Groups)
	require.Equal(t, before, text(t, d), "the document stays as it is")
}

func TestUpToRefuses(t *testing.T) {
	d := open(t, greet)
	_, err := d.UpTo("gone")
	require.ErrorIs(t, err, ErrNoNode)
	id, err := d.Add("control.foreach", Point{})
	require.NoError(t, err)
	require.NoError(t, d.Enter(id))
	_, err = d.UpTo()
	require.ErrorIs(t, err, ErrInBody)
}

func TestSetIDCanBeUndone(t *testing.T) {
	d := open(t, greet)
	require.Error(t, d.SetID(".."))
	require.NoError(t, d.SetID("other"))
	require.Equal(t, "other", d.Definition().ID)
	require.True(t, d.Edited())
	d.Undo()
	require.Equal(t, "greet", d.Definition().ID)
}

func TestSetSpecsShowsOtherPorts(t *testing.T) {
	d := open(t, greet)
	before := text(t, d)
	d.SetSpecs(NewSpecs(nil, nil))
	card, ok := d.Card("fmt")
	require.True(t, ok)
	require.Nil(t, card.Spec, "nobody knows the type")
	d.SetSpecs(testSpecs(t))
	card, _ = d.Card("fmt")
	require.NotNil(t, card.Spec)
	require.Equal(t, before, text(t, d))
}

func TestMarkUnsaved(t *testing.T) {
	d := open(t, greet)
	require.False(t, d.Edited())
	d.MarkUnsaved()
	require.True(t, d.Edited())
	d.MarkSaved()
	require.False(t, d.Edited())
}
