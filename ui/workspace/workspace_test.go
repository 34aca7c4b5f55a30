package workspace_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/ui/documents"
	"github.com/svcflow/svc/ui/workspace"
)

func TestAnOpenedWorkflowIsAddedToTheOthers(t *testing.T) {
	inWorkspace(t, func(t *testing.T, b *fixture) {
		b.Open(workspace.FromDefinition(definition("First")))
		first := b.Active()
		b.rename("Changed")
		b.Open(workspace.FromDefinition(definition("Second")))
		require.Empty(t, b.asked, "nothing is lost")
		require.Equal(t, []string{"Changed", "Second"}, b.names())
		require.Equal(t, "Second", b.Active().Document.Name())
		b.Front(first)
		require.Equal(t, "Changed", b.Active().Document.Name())
		require.True(t, b.Active().Document.Edited())
		require.Equal(t, 2, b.begun)
		require.Zero(t, b.ended)
		b.Move(first, 1)
		b.Move(first, 2) // out of range
		b.Move(first, -1)
		require.Equal(t, []string{"Second", "Changed"}, b.names())
	})
}

func TestAnOpenWorkflowComesToTheFront(t *testing.T) {
	inWorkspace(t, func(t *testing.T, b *fixture) {
		path := b.file("Mine")
		b.shelf.stored["w"] = definition("There")
		b.Open(workspace.FromFile(path))
		b.rename("Changed")
		b.Open(workspace.FromHost(b.place, "w"))
		b.Open(workspace.FromHost(b.place, "w")) // before it was read
		b.settle()
		require.Equal(t, []string{"Changed", "There"}, b.names())
		b.Open(workspace.FromFile(path))
		require.Equal(t, "Changed", b.Active().Document.Name(), "with what was changed")
		require.NoError(t, os.Remove(path))
		b.Front(b.Sessions()[1])
		b.Open(workspace.FromFile(path))
		require.Equal(t, "Changed", b.Active().Document.Name(), "although the file is gone")
		require.Equal(t, 2, b.begun)
		require.Empty(t, b.complaints)
	})
}

func TestOpeningTheDraftOfAnOpenWorkflowKeepsIt(t *testing.T) {
	inWorkspace(t, func(t *testing.T, b *fixture) {
		path := b.file("Mine")
		b.Open(workspace.FromFile(path))
		b.rename("Unsaved")
		b.Clear(true)
		b.Open(workspace.FromFile(path))
		b.answer(workspace.DraftFound, workspace.OpenSaved)
		b.Open(workspace.FromDraft(b.left()[0]))
		require.Equal(t, []string{"Mine"}, b.names())
		require.Equal(t, workspace.AlreadyOpen, b.said[len(b.said)-1].Of)
		require.Len(t, b.left(), 1)
	})
}

func TestAWorkIsClosedOnceItsChangesAreSettled(t *testing.T) {
	inWorkspace(t, func(t *testing.T, b *fixture) {
		path := b.file("Old")
		for _, name := range []string{"First", "Second"} {
			b.Open(workspace.FromDefinition(definition(name)))
		}
		b.Open(workspace.FromFile(path))
		b.rename("Mine")
		file := b.Active()
		b.Front(b.Sessions()[0])
		b.Close(file)
		require.Same(t, file, b.Active(), "the user sees what they are asked about")
		b.cancel(workspace.Unsaved)
		require.Len(t, b.Sessions(), 3)
		b.Close(file)
		b.answer(workspace.Unsaved, workspace.Save)
		require.Equal(t, "Mine", b.kept(path))
		require.Equal(t, []string{"First", "Second"}, b.names())
		require.Equal(t, "Second", b.Active().Document.Name(), "its neighbour")
		b.Front(b.Sessions()[0])
		b.Close(b.Sessions()[1])
		require.Equal(t, "First", b.Active().Document.Name(), "what was in front stays there")
		b.rename("Changed")
		b.wait(10 * time.Second)
		b.Close(b.Active())
		b.answer(workspace.Unsaved, workspace.Discard)
		require.Nil(t, b.Active())
		require.Empty(t, b.left(), "nobody wants it")
	})
}

func TestAllThatIsNotSavedIsAskedForBeforeTheEnd(t *testing.T) {
	inWorkspace(t, func(t *testing.T, b *fixture) {
		path := b.file("Old")
		b.Open(workspace.FromFile(path))
		b.rename("Mine")
		b.Open(workspace.FromDefinition(definition("Untouched")))
		b.Open(workspace.FromDefinition(definition("New")))
		b.rename("Changed")
		b.wait(10 * time.Second)
		left := false
		leave := func() { b.CloseEverywhere(func() { left = true }) }
		leave()
		b.answer(workspace.Unsaved, workspace.Discard)
		require.Equal(t, "Changed", b.Active().Document.Name(), "the next one is seen")
		b.cancel(workspace.Unsaved)
		require.Len(t, b.Sessions(), 3, "no session is closed when the user cancels")
		require.Equal(t, "Old", b.kept(path))
		leave()
		b.answer(workspace.Unsaved, workspace.Save)
		require.Equal(t, "Mine", b.kept(path))
		b.answer(workspace.Unsaved, workspace.Discard)
		require.True(t, left)
		require.Empty(t, b.Sessions())
		require.Empty(t, b.left())
	})
}

func TestAFailedOpenEndsNoSession(t *testing.T) {
	inWorkspace(t, func(t *testing.T, b *fixture) {
		b.Open(workspace.FromDefinition(definition("Mine")))
		b.rename("Changed")
		b.wait(10 * time.Second)
		broken := filepath.Join(b.dir, "broken.json")
		require.NoError(t, os.WriteFile(broken, []byte("{"), 0o600))
		b.shelf.gone = true
		for _, s := range []workspace.Source{workspace.FromFile(broken), workspace.FromFile(filepath.Join(b.dir, "none.json")), workspace.FromHost(b.place, "none")} {
			b.Open(s)
			b.settle()
			require.Error(t, b.complaint())
			require.Equal(t, []string{"Changed"}, b.names(), "the work is still there")
			require.Zero(t, b.ended)
			b.rename("Changed again")
			b.wait(10 * time.Second)
			_, err := b.Active().Draft()
			require.NoError(t, err)
			b.rename("Changed")
		}
		b.wait(10 * time.Second)
		b.Clear(true)
		left := b.left()
		require.Len(t, left, 1, "its draft was kept all the time")
		require.Equal(t, "Changed", left[0].Name)
	})
}

func TestASlowReadOpensAfterAnotherWorkflow(t *testing.T) {
	inWorkspace(t, func(t *testing.T, b *fixture) {
		b.shelf.stored["w"], b.shelf.takes = definition("Slow"), time.Minute
		b.Open(workspace.FromHost(b.place, "w"))
		b.Open(workspace.FromDefinition(definition("Quick")))
		b.wait(time.Hour)
		require.Equal(t, []string{"Quick", "Slow"}, b.names())
		b.Open(workspace.FromHost(b.place, "none"))
		b.Clear(false)
		b.wait(time.Hour)
		require.Empty(t, b.complaints, "nobody waits for it any more")
	})
}

func TestAHostIsReachedBeforeItsWorkflowOpens(t *testing.T) {
	inWorkspace(t, func(t *testing.T, b *fixture) {
		b.shelf.stored["w"] = definition("There")
		b.Open(workspace.FromDefinition(definition("Mine")))
		reached := 0
		b.OpenAt(func(then func(workspace.Host)) {
			reached++
			then(b.place)
		}, "w")
		b.settle()
		require.Equal(t, 1, reached)
		require.Equal(t, "There", b.Active().Document.Name())
		require.Equal(t, "w", b.Active().Origin().ID)
	})
}

func TestOpeningAFileOffersItsDraft(t *testing.T) {
	inWorkspace(t, func(t *testing.T, b *fixture) {
		path := b.file("Mine")
		b.Open(workspace.FromFile(path))
		b.rename("Unsaved")
		b.Clear(true)

		b.Open(workspace.FromFile(path))
		b.cancel(workspace.DraftFound)
		require.Nil(t, b.Active(), "without an answer nothing is opened")

		b.Open(workspace.FromFile(path))
		b.answer(workspace.DraftFound, workspace.OpenSaved)
		require.Equal(t, "Mine", b.Active().Document.Name())
		require.Len(t, b.left(), 1, "the draft stays")

		b.Close(b.Active())
		b.Open(workspace.FromFile(path))
		b.answer(workspace.DraftFound, workspace.OpenDraft)
		require.Equal(t, "Unsaved", b.Active().Document.Name())
		require.True(t, b.Active().Document.Edited())
		b.Save(nil)
		require.Empty(t, b.left())
		b.Close(b.Active())
		b.Open(workspace.FromFile(path))
		require.Empty(t, b.asked, "there is none any more")
		require.Equal(t, "Unsaved", b.Active().Document.Name())
	})
}

func TestADraftOfAStoredWorkflowIsOfferedToo(t *testing.T) {
	inWorkspace(t, func(t *testing.T, b *fixture) {
		b.shelf.stored["w"] = definition("There")
		b.Open(workspace.FromHost(b.place, "w"))
		b.settle()
		b.rename("Unsaved")
		b.Clear(true)
		b.Open(workspace.FromDefinition(definition("Another")))
		b.rename("Changed")
		b.Open(workspace.FromHost(b.place, "w"))
		b.settle()
		b.answer(workspace.DraftFound, workspace.OpenDraft)
		require.Equal(t, "Unsaved", b.Active().Document.Name())
	})
}

func TestADraftIsTakenUpAgain(t *testing.T) {
	inWorkspace(t, func(t *testing.T, b *fixture) {
		b.Open(workspace.FromDefinition(definition("Mine")))
		b.rename("Unsaved")
		b.Clear(true) // before the draft was due
		require.Nil(t, b.Active())
		left := b.left()
		require.Len(t, left, 1)
		b.Open(workspace.FromDraft(left[0]))
		require.Equal(t, "Unsaved", b.Active().Document.Name())
		require.True(t, b.Active().Document.Edited(), "it is saved nowhere yet")
		b.Open(workspace.FromDraft(left[0]))
		require.ErrorIs(t, b.complaint(), documents.ErrTaken)
		require.Equal(t, "Unsaved", b.Active().Document.Name(), "a draft that is taken ends nothing")
		b.Save(nil)
		b.target(workspace.Target{Name: "Unsaved", ID: "w", File: filepath.Join(b.dir, "w.json")})
		require.Empty(t, b.left())
		b.Clear(true)
		require.Empty(t, b.left(), "what is saved needs no draft")
	})
}

func TestAnUnwritableDraftIsReported(t *testing.T) {
	inWorkspace(t, func(t *testing.T, b *fixture) {
		b.Open(workspace.FromDefinition(definition("Mine")))
		require.NoError(t, os.RemoveAll(filepath.Join(b.dir, "drafts")))
		require.NoError(t, os.WriteFile(filepath.Join(b.dir, "drafts"), nil, 0o600))
		b.rename("Changed")
		b.wait(10 * time.Second)
		at, err := b.Active().Draft()
		require.Error(t, err)
		require.NotZero(t, at)
	})
}

func TestAWorkflowIsCheckedOnceItIsQuiet(t *testing.T) {
	inWorkspace(t, func(t *testing.T, b *fixture) {
		b.shelf.wrong = engine.ValidationErrors{{Code: engine.CodeMissingRequiredInput}}
		b.shelf.doubtful = []engine.Hint{{NodeID: "a", Message: "may not be meant"}}
		require.False(t, b.Check(), "there is nothing to check")
		b.Open(workspace.FromDefinition(definition("Mine")))
		require.True(t, b.Check())
		require.False(t, b.Check(), "nothing has changed since")
		require.Empty(t, b.problems)
		b.wait(time.Second)
		require.Equal(t, b.shelf.wrong, b.problems)
		require.Len(t, b.Active().Board.Problems().All(), 1)
		require.Empty(t, b.Active().Board.Hints(), "what cannot run has none")
		b.shelf.wrong = nil
		b.rename("Mended")
		require.True(t, b.Check())
		b.wait(time.Second)
		require.Equal(t, b.shelf.doubtful, b.Active().Board.Hints())
		b.shelf.gone = true
		b.rename("Changed")
		require.True(t, b.Check())
		b.wait(time.Second)
		require.ErrorIs(t, b.said[len(b.said)-1].Err, errGone)
	})
}
