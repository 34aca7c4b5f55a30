package workspace_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/ui/workspace"
)

func TestAWorkIsGivenToAnotherDeskAsItIs(t *testing.T) {
	inWorkspace(t, func(t *testing.T, b *fixture) {
		b.Open(workspace.FromDefinition(definition("A")))
		b.Open(workspace.FromDefinition(definition("B")))
		b.rename("B, changed")
		b.Pin(map[string]engine.Pin{"x": {}})
		work, to := b.Active(), b.another()
		b.MoveTo(work, to)
		require.Equal(t, []string{"A"}, b.names())
		require.Equal(t, "A", b.Active().Document.Name(), "the next one came to the front")
		require.Equal(t, []string{"B, changed"}, namesOf(to))
		require.Same(t, work, to.Active())
		require.True(t, work.Pinned("x"))
		require.Equal(t, 1, b.given)
		require.Equal(t, []*workspace.Workspace{to}, b.raised)
		_, ok := work.Board.Undo()
		require.True(t, ok, "its history went with it")
		require.Equal(t, "B", work.Document.Name())
		require.Equal(t, 2, b.begun, "it is no new one")
		require.Zero(t, b.ended)

		b.MoveTo(work, to) // it is not here
		to.MoveTo(work, to)
		require.Equal(t, []string{"B"}, namesOf(to))
		to.MoveTo(work, b.Workspace)
		require.Equal(t, []string{"A", "B"}, b.names())
		require.Same(t, work, b.Active())
		require.Nil(t, to.Active())
	})
}

func TestAWorkflowIsOpenInOneWorkspaceOnly(t *testing.T) {
	inWorkspace(t, func(t *testing.T, b *fixture) {
		file := b.file("Mine")
		b.Open(workspace.FromFile(file))
		to := b.another()
		b.MoveTo(b.Active(), to)
		to.Front(nil)
		b.raised = nil
		b.Open(workspace.FromFile(file))
		require.Nil(t, b.Active())
		require.Empty(t, b.Sessions())
		require.Equal(t, "Mine", to.Active().Document.Name())
		require.Equal(t, []*workspace.Workspace{to}, b.raised, "it is seen where it is")
		require.Len(t, b.AllSessions(), 1)
	})
}

func TestASessionOfAnotherWorkspaceIsSavedAndChecked(t *testing.T) {
	inWorkspace(t, func(t *testing.T, b *fixture) {
		b.shelf.stored["w"], b.shelf.takes = definition("Stored"), time.Second
		b.Open(workspace.FromHost(b.place, "w"))
		b.wait(2 * time.Second)
		b.rename("Changed")
		b.shelf.wrong = engine.ValidationErrors{{Message: "wrong"}}
		require.True(t, b.Check())
		b.Save(nil)
		to := b.another()
		b.MoveTo(b.Active(), to) // while both go on
		b.wait(3 * time.Second)
		require.Equal(t, "Changed", b.shelf.stored["w"].Name)
		require.False(t, to.Active().Document.Edited())
		require.Len(t, b.problems, 1)
		require.Len(t, to.Active().Board.Problems().All(), 1)
		require.NoError(t, to.Active().Document.SetName("Again"))
		b.SaveDrafts() // it saves the drafts of all workspaces
		b.wait(10 * time.Second)
		at, err := to.Active().Draft()
		require.NoError(t, err)
		require.False(t, at.IsZero())
	})
}

func TestEachDeskIsClosedAloneAndAllAreLeft(t *testing.T) {
	inWorkspace(t, func(t *testing.T, b *fixture) {
		b.Open(workspace.FromDefinition(definition("A")))
		b.rename("A, changed")
		b.Open(workspace.FromDefinition(definition("B")))
		b.rename("B, changed")
		to := b.another()
		b.MoveTo(b.Active(), to)
		closed := false
		to.CloseAll(func() { closed = true })
		b.cancel(workspace.Unsaved)
		require.False(t, closed)
		require.Len(t, to.Sessions(), 1)

		b.raised = nil
		left := false
		b.CloseEverywhere(func() { left = true })
		b.answer(workspace.Unsaved, workspace.Discard)
		require.Equal(t, []*workspace.Workspace{to}, b.raised, "what is asked about is seen")
		require.Equal(t, "B, changed", b.asked[0].Name)
		b.cancel(workspace.Unsaved)
		require.False(t, left)

		to.CloseAll(func() { closed = true })
		b.answer(workspace.Unsaved, workspace.Discard)
		require.True(t, closed)
		require.Empty(t, to.Sessions())
		require.Equal(t, []string{"A, changed"}, b.names(), "the other one is left alone")
		b.CloseEverywhere(func() { left = true })
		b.answer(workspace.Unsaved, workspace.Discard)
		require.True(t, left)
		require.Empty(t, b.left())
	})
}

func TestWindowsComeBack(t *testing.T) {
	killed(t, func(t *testing.T, b *fixture) {
		for _, name := range []string{"A", "B", "C", "D"} {
			b.Open(workspace.FromFile(b.file(name)))
		}
		works := b.Sessions()
		b.another() // nothing comes to it
		to := b.another()
		b.MoveTo(works[1], to)
		b.MoveTo(works[3], to)
		to.Front(works[1])
		b.Front(works[2])
	}, func(t *testing.T, b *fixture) {
		require.True(t, b.Restore())
		b.settle()
		require.Equal(t, []string{"A", "C"}, b.names())
		require.Equal(t, "C", b.Active().Document.Name())
		require.Equal(t, []string{"B", "D"}, namesOf(b.beside))
		require.Equal(t, "B", b.beside.Active().Document.Name())
	})
}
