package workspace_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/ui/documents"
	"github.com/svcflow/svc/ui/workspace"
)

// openChanged opens a workflow and changes it.
func (b *fixture) openChanged(s workspace.Source) {
	b.t.Helper()
	b.Open(s)
	b.settle()
	require.Empty(b.t, b.complaints)
	b.rename("Mine")
}

// kept returns the name of the workflow in a file.
func (b *fixture) kept(path string) string {
	b.t.Helper()
	def, _, err := documents.ReadFile(path)
	require.NoError(b.t, err)
	return def.Name
}

func TestNothingIsSavedWhileNothingIsOpen(t *testing.T) {
	inWorkspace(t, func(t *testing.T, b *fixture) {
		b.Save(nil)
		require.ErrorIs(t, b.complaint(), workspace.ErrNothing)
		b.SaveAs(nil)
		require.ErrorIs(t, b.complaint(), workspace.ErrNothing)
	})
}

func TestAWorkThatHasEndedIsNotSaved(t *testing.T) {
	inWorkspace(t, func(t *testing.T, b *fixture) {
		b.openChanged(workspace.FromDefinition(definition("First")))
		b.SaveAs(nil)
		b.Clear(false) // while the user is asked where to
		path := filepath.Join(b.dir, "w.json")
		b.target(workspace.Target{Name: "N", ID: "w", File: path})
		require.ErrorIs(t, b.complaint(), documents.ErrEnded)
		require.NoFileExists(t, path)
	})
}

func TestAFileThatChanged(t *testing.T) {
	changed := func(t *testing.T, b *fixture) string {
		path := b.file("Old")
		b.openChanged(workspace.FromFile(path))
		_, err := documents.WriteFile(path, definition("Theirs"))
		require.NoError(t, err)
		b.Save(nil)
		return path
	}
	t.Run("is left alone", func(t *testing.T) {
		inWorkspace(t, func(t *testing.T, b *fixture) {
			path := changed(t, b)
			b.cancel(workspace.FileChanged)
			require.Equal(t, "Theirs", b.kept(path))
			require.True(t, b.Active().Document.Edited())
		})
	})
	t.Run("is replaced", func(t *testing.T) {
		inWorkspace(t, func(t *testing.T, b *fixture) {
			path := changed(t, b)
			b.answer(workspace.FileChanged, workspace.Replace)
			require.Equal(t, "Mine", b.kept(path))
			require.False(t, b.Active().Document.Edited())
			require.Equal(t, workspace.SavedToFile, b.said[len(b.said)-1].Of)
		})
	})
	t.Run("is opened", func(t *testing.T) {
		inWorkspace(t, func(t *testing.T, b *fixture) {
			changed(t, b)
			b.answer(workspace.FileChanged, workspace.OpenTheirs)
			b.answer(workspace.Reopen, workspace.DropChanges)
			require.Equal(t, "Theirs", b.Active().Document.Name())
			require.False(t, b.Active().Document.Edited())
			require.Empty(t, b.left())
		})
	})
	t.Run("and is no workflow any more", func(t *testing.T) {
		inWorkspace(t, func(t *testing.T, b *fixture) {
			path := changed(t, b)
			require.NoError(t, os.WriteFile(path, []byte(`{"id":`), 0o600))
			b.answer(workspace.FileChanged, workspace.OpenTheirs)
			b.answer(workspace.Reopen, workspace.DropChanges)
			require.Error(t, b.complaint())
			require.Equal(t, "Mine", b.Active().Document.Name(), "the work is not lost")
			b.rename("Mine, further")
			b.wait(10 * time.Second)
			b.Clear(true)
			require.Equal(t, "Mine, further", b.left()[0].Name, "and goes on being kept")
		})
	})
	t.Run("is saved as another", func(t *testing.T) {
		inWorkspace(t, func(t *testing.T, b *fixture) {
			path := changed(t, b)
			b.answer(workspace.FileChanged, workspace.SaveAs)
			require.Equal(t, path, b.proposal.Origin.File)
			other := filepath.Join(b.dir, "other.json")
			b.target(workspace.Target{Name: "Mine too", ID: "w2", File: other})
			require.Equal(t, "Theirs", b.kept(path))
			require.Equal(t, "Mine too", b.kept(other))
			require.Equal(t, other, b.Active().Origin().File)
		})
	})
}

func TestAFileThatIsThereIsReplacedOnlyWhenAsked(t *testing.T) {
	inWorkspace(t, func(t *testing.T, b *fixture) {
		path := b.file("There")
		b.openChanged(workspace.FromDefinition(definition("New")))
		b.Save(nil)
		b.target(workspace.Target{Name: "Mine", ID: "w", File: path})
		b.cancel(workspace.FileExists)
		require.Equal(t, "There", b.kept(path))
		b.Save(nil)
		b.target(workspace.Target{Name: "Mine", ID: "w", File: path})
		b.answer(workspace.FileExists, workspace.Replace)
		require.Equal(t, "Mine", b.kept(path))
	})
}

func TestAStoredWorkflowThatSomebodyElseSaved(t *testing.T) {
	saved := func(b *fixture) {
		b.shelf.stored["w"] = definition("Old")
		b.openChanged(workspace.FromHost(b.place, "w"))
		b.shelf.stored["w"] = definition("Theirs")
		b.Save(nil)
		b.settle()
	}
	t.Run("is replaced", func(t *testing.T) {
		inWorkspace(t, func(t *testing.T, b *fixture) {
			saved(b)
			b.answer(workspace.Conflict, workspace.Replace)
			require.Equal(t, "Mine", b.shelf.stored["w"].Name)
			require.False(t, b.Active().Document.Edited())
		})
	})
	t.Run("is opened", func(t *testing.T) {
		inWorkspace(t, func(t *testing.T, b *fixture) {
			saved(b)
			b.answer(workspace.Conflict, workspace.OpenTheirs)
			b.answer(workspace.Reopen, workspace.DropChanges)
			require.Equal(t, "Theirs", b.Active().Document.Name())
		})
	})
	t.Run("and the server is gone", func(t *testing.T) {
		inWorkspace(t, func(t *testing.T, b *fixture) {
			saved(b)
			b.shelf.gone = true
			b.answer(workspace.Conflict, workspace.OpenTheirs)
			b.answer(workspace.Reopen, workspace.DropChanges)
			require.ErrorIs(t, b.complaint(), errGone)
			require.Equal(t, "Mine", b.Active().Document.Name())
			require.True(t, b.Active().Document.Edited())
			b.shelf.gone = false
			b.Save(nil)
			b.settle()
			b.answer(workspace.Conflict, workspace.Replace)
			require.Equal(t, "Mine", b.shelf.stored["w"].Name)
		})
	})
	t.Run("or deleted", func(t *testing.T) {
		inWorkspace(t, func(t *testing.T, b *fixture) {
			b.shelf.stored["w"] = definition("Old")
			b.openChanged(workspace.FromHost(b.place, "w"))
			delete(b.shelf.stored, "w")
			b.Save(nil)
			b.settle()
			b.answer(workspace.Conflict, workspace.Replace)
			require.Equal(t, "Mine", b.shelf.stored["w"].Name)
		})
	})
}

func TestANewWorkflowTakesNoNameThatIsTaken(t *testing.T) {
	inWorkspace(t, func(t *testing.T, b *fixture) {
		b.shelf.stored["w"] = definition("Theirs")
		b.openChanged(workspace.FromDefinition(definition("New")))
		b.Save(nil)
		b.target(workspace.Target{Name: "Mine", ID: "w"})
		b.cancel(workspace.Taken)
		require.Equal(t, "Theirs", b.shelf.stored["w"].Name)
		b.Save(nil)
		b.target(workspace.Target{Name: "Mine", ID: "w2"})
		require.Equal(t, "Mine", b.shelf.stored["w2"].Name)
		require.Equal(t, "w2", b.Active().Origin().ID)
	})
}

func TestAWorkflowOfAnotherHostIsSavedAsANewOne(t *testing.T) {
	inWorkspace(t, func(t *testing.T, b *fixture) {
		b.shelf.stored["w"] = definition("Old")
		b.openChanged(workspace.FromHost(workspace.Host{URL: "https://svc.example.org", Store: b.shelf}, "w"))
		b.Save(nil)
		b.answer(workspace.OtherHost, workspace.SaveAs)
		b.target(workspace.Target{Name: "Mine", ID: "w"})
		b.answer(workspace.Taken, workspace.Replace)
		require.Empty(t, b.Active().Origin().Server)
		require.Equal(t, "Mine", b.shelf.stored["w"].Name)
	})
}

// Two simultaneous saves would conflict: the second would see a revision that somebody else
// seems to have saved.
func TestSavesComeOneAfterTheOther(t *testing.T) {
	inWorkspace(t, func(t *testing.T, b *fixture) {
		b.shelf.stored["w"] = definition("Old")
		b.openChanged(workspace.FromHost(b.place, "w"))
		b.shelf.takes = time.Minute
		done := 0
		b.Save(func() { done++ })
		b.rename("Mine, further")
		b.Save(func() { done++ })
		b.Save(func() { done++ })
		b.wait(time.Hour)
		require.Empty(t, b.asked)
		require.Equal(t, 3, done)
		require.Equal(t, 2, b.shelf.saves, "nothing was left for the third")
		require.Equal(t, "Mine, further", b.shelf.stored["w"].Name)
		require.False(t, b.Active().Document.Edited())
	})
}

func TestAChangeDuringASaveStaysUnsaved(t *testing.T) {
	inWorkspace(t, func(t *testing.T, b *fixture) {
		b.shelf.stored["w"] = definition("Old")
		b.openChanged(workspace.FromHost(b.place, "w"))
		b.wait(10 * time.Second)
		b.shelf.takes = time.Minute
		b.Save(nil)
		b.rename("Mine, further")
		b.wait(time.Hour)
		require.True(t, b.Active().Document.Edited())
		b.Clear(true)
		left := b.left()
		require.Len(t, left, 1)
		require.Equal(t, "Mine, further", left[0].Name)
		b.Open(workspace.FromDraft(left[0]))
		b.Save(nil)
		b.wait(time.Hour)
		require.Empty(t, b.asked, "the draft knows what was saved")
		require.Equal(t, "Mine, further", b.shelf.stored["w"].Name)
	})
}

func TestASaveThatFailsLosesNothing(t *testing.T) {
	inWorkspace(t, func(t *testing.T, b *fixture) {
		b.shelf.stored["w"] = definition("Old")
		b.openChanged(workspace.FromHost(b.place, "w"))
		b.shelf.gone = true
		b.CloseEverywhere(func() { t.Error("nothing was saved") })
		b.answer(workspace.Unsaved, workspace.Save)
		require.ErrorIs(t, b.complaint(), errGone)
		require.True(t, b.Active().Document.Edited())
		b.wait(10 * time.Second)
		b.Clear(true)
		require.Len(t, b.left(), 1)
	})
}

func TestWorkIsLeftOnceItIsSaved(t *testing.T) {
	inWorkspace(t, func(t *testing.T, b *fixture) {
		path := b.file("Old")
		b.openChanged(workspace.FromFile(path))
		left := false
		b.CloseEverywhere(func() { left = true })
		b.answer(workspace.Unsaved, workspace.Save)
		require.True(t, left)
		require.Nil(t, b.Active())
		require.Equal(t, "Mine", b.kept(path))
	})
}
