package workspace_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/ui/documents"
	"github.com/svcflow/svc/ui/workspace"
)

func TestASessionIsComparedWithItsSavedState(t *testing.T) {
	inWorkspace(t, func(t *testing.T, b *fixture) {
		b.Compare()
		require.ErrorIs(t, b.complaint(), workspace.ErrNothing)
		b.Open(workspace.FromDefinition(definition("New")))
		b.Compare()
		require.ErrorIs(t, b.complaint(), workspace.ErrNeverSaved)

		path := b.file("Old")
		b.openChanged(workspace.FromFile(path))
		b.Compare()
		b.settle()
		as, is := b.Active().Board.Comparing()
		require.True(t, is)
		require.Equal(t, "0", as)
		_, err := documents.WriteFile(path, definition("Theirs"))
		require.NoError(t, err)
		b.Save(nil)
		b.answer(workspace.FileChanged, workspace.Compare)
		as, _ = b.Active().Board.Comparing()
		require.Equal(t, "-1", as, "what somebody else has made of it")
		require.True(t, b.Active().Document.Edited(), "nothing is saved or lost")

		b.Compare()
		b.Clear(false) // while it is read
		b.settle()
		require.Empty(t, b.complaints)
	})
	inWorkspace(t, func(t *testing.T, b *fixture) {
		b.shelf.stored["w"] = definition("Old")
		b.Open(workspace.FromHost(b.place, "w"))
		b.settle()
		b.place.URL = "http://elsewhere"
		b.Compare()
		require.ErrorIs(t, b.complaint(), workspace.ErrElsewhere)
	})
}
