package desk_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/ui/desk"
	"github.com/svcflow/svc/ui/documents"
)

func TestWhatIsOpenedLiesBesideTheOthers(t *testing.T) {
	onDesk(t, func(t *testing.T, b *bench) {
		b.Open(desk.Made(definition("First")))
		first := b.Work()
		b.rename("Changed")
		b.Open(desk.Made(definition("Second")))
		require.Empty(t, b.asked, "nothing is lost")
		require.Equal(t, []string{"Changed", "Second"}, b.names())
		require.Equal(t, "Second", b.Work().Document.Name())
		b.Front(first)
		require.Equal(t, "Changed", b.Work().Document.Name())
		require.True(t, b.Work().Document.Edited())
		require.Equal(t, 2, b.begun)
		require.Zero(t, b.ended)
		b.Move(first, 1)
		b.Move(first, 2) // there is no such place
		b.Move(first, -1)
		require.Equal(t, []string{"Second", "Changed"}, b.names())
	})
}

func TestWhatIsOpenAlreadyComesToTheFront(t *testing.T) {
	onDesk(t, func(t *testing.T, b *bench) {
		path := b.file("Mine")
		b.shelf.stored["w"] = definition("There")
		b.Open(desk.File(path))
		b.rename("Changed")
		b.Open(desk.Stored(b.place, "w"))
		b.Open(desk.Stored(b.place, "w")) // before it was read
		b.settle()
		require.Equal(t, []string{"Changed", "There"}, b.names())
		b.Open(desk.File(path))
		require.Equal(t, "Changed", b.Work().Document.Name(), "with what was changed")
		require.NoError(t, os.Remove(path))
		b.Front(b.Works()[1])
		b.Open(desk.File(path))
		require.Equal(t, "Changed", b.Work().Document.Name(), "although the file is gone")
		require.Equal(t, 2, b.begun)
		require.Empty(t, b.complaints)
	})
}

func TestADraftOfWhatIsOpenWaits(t *testing.T) {
	onDesk(t, func(t *testing.T, b *bench) {
		path := b.file("Mine")
		b.Open(desk.File(path))
		b.rename("Unsaved")
		b.Clear(true)
		b.Open(desk.File(path))
		b.answer(desk.DraftLeft, desk.OpenKept)
		b.Open(desk.Left(b.left()[0]))
		require.Equal(t, []string{"Mine"}, b.names())
		require.Equal(t, desk.OpenAlready, b.said[len(b.said)-1].Of)
		require.Len(t, b.left(), 1)
	})
}

func TestAWorkIsClosedOnceItsChangesAreSettled(t *testing.T) {
	onDesk(t, func(t *testing.T, b *bench) {
		path := b.file("Old")
		for _, name := range []string{"First", "Second"} {
			b.Open(desk.Made(definition(name)))
		}
		b.Open(desk.File(path))
		b.rename("Mine")
		file := b.Work()
		b.Front(b.Works()[0])
		b.Close(file)
		require.Same(t, file, b.Work(), "the user sees what they are asked about")
		b.cancel(desk.Unsaved)
		require.Len(t, b.Works(), 3)
		b.Close(file)
		b.answer(desk.Unsaved, desk.Save)
		require.Equal(t, "Mine", b.kept(path))
		require.Equal(t, []string{"First", "Second"}, b.names())
		require.Equal(t, "Second", b.Work().Document.Name(), "its neighbour")
		b.Front(b.Works()[0])
		b.Close(b.Works()[1])
		require.Equal(t, "First", b.Work().Document.Name(), "what was in front stays there")
		b.rename("Changed")
		b.wait(10 * time.Second)
		b.Close(b.Work())
		b.answer(desk.Unsaved, desk.Forsake)
		require.Nil(t, b.Work())
		require.Empty(t, b.left(), "nobody wants it")
	})
}

func TestAllThatIsNotSavedIsAskedForBeforeTheEnd(t *testing.T) {
	onDesk(t, func(t *testing.T, b *bench) {
		path := b.file("Old")
		b.Open(desk.File(path))
		b.rename("Mine")
		b.Open(desk.Made(definition("Untouched")))
		b.Open(desk.Made(definition("New")))
		b.rename("Changed")
		b.wait(10 * time.Second)
		left := false
		leave := func() { b.Leave(func() { left = true }) }
		leave()
		b.answer(desk.Unsaved, desk.Forsake)
		require.Equal(t, "Changed", b.Work().Document.Name(), "the next one is seen")
		b.cancel(desk.Unsaved)
		require.Len(t, b.Works(), 3, "whoever thinks better of it loses nothing")
		require.Equal(t, "Old", b.kept(path))
		leave()
		b.answer(desk.Unsaved, desk.Save)
		require.Equal(t, "Mine", b.kept(path))
		b.answer(desk.Unsaved, desk.Forsake)
		require.True(t, left)
		require.Empty(t, b.Works())
		require.Empty(t, b.left())
	})
}

func TestWhatCannotBeOpenedEndsNothing(t *testing.T) {
	onDesk(t, func(t *testing.T, b *bench) {
		b.Open(desk.Made(definition("Mine")))
		b.rename("Changed")
		b.wait(10 * time.Second)
		broken := filepath.Join(b.dir, "broken.json")
		require.NoError(t, os.WriteFile(broken, []byte("{"), 0o600))
		b.shelf.gone = true
		for _, s := range []desk.Source{desk.File(broken), desk.File(filepath.Join(b.dir, "none.json")), desk.Stored(b.place, "none")} {
			b.Open(s)
			b.settle()
			require.Error(t, b.complaint())
			require.Equal(t, []string{"Changed"}, b.names(), "the work is still there")
			require.Zero(t, b.ended)
			b.rename("Changed again")
			b.wait(10 * time.Second)
			_, err := b.Work().Draft()
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

func TestWhatIsReadComesAlthoughAnotherWasOpened(t *testing.T) {
	onDesk(t, func(t *testing.T, b *bench) {
		b.shelf.stored["w"], b.shelf.takes = definition("Slow"), time.Minute
		b.Open(desk.Stored(b.place, "w"))
		b.Open(desk.Made(definition("Quick")))
		b.wait(time.Hour)
		require.Equal(t, []string{"Quick", "Slow"}, b.names())
		b.Open(desk.Stored(b.place, "none"))
		b.Clear(false)
		b.wait(time.Hour)
		require.Empty(t, b.complaints, "nobody waits for it any more")
	})
}

func TestAPlaceIsReachedFirst(t *testing.T) {
	onDesk(t, func(t *testing.T, b *bench) {
		b.shelf.stored["w"] = definition("There")
		b.Open(desk.Made(definition("Mine")))
		reached := 0
		b.OpenAt(func(then func(desk.Place)) {
			reached++
			then(b.place)
		}, "w")
		b.settle()
		require.Equal(t, 1, reached)
		require.Equal(t, "There", b.Work().Document.Name())
		require.Equal(t, "w", b.Work().Origin().ID)
	})
}

func TestADraftIsOfferedWhenItsOwnFileIsOpened(t *testing.T) {
	onDesk(t, func(t *testing.T, b *bench) {
		path := b.file("Mine")
		b.Open(desk.File(path))
		b.rename("Unsaved")
		b.Clear(true)

		b.Open(desk.File(path))
		b.cancel(desk.DraftLeft)
		require.Nil(t, b.Work(), "without an answer nothing is opened")

		b.Open(desk.File(path))
		b.answer(desk.DraftLeft, desk.OpenKept)
		require.Equal(t, "Mine", b.Work().Document.Name())
		require.Len(t, b.left(), 1, "the draft stays")

		b.Close(b.Work())
		b.Open(desk.File(path))
		b.answer(desk.DraftLeft, desk.GoOn)
		require.Equal(t, "Unsaved", b.Work().Document.Name())
		require.True(t, b.Work().Document.Edited())
		b.Save(nil)
		require.Empty(t, b.left())
		b.Close(b.Work())
		b.Open(desk.File(path))
		require.Empty(t, b.asked, "there is none any more")
		require.Equal(t, "Unsaved", b.Work().Document.Name())
	})
}

func TestADraftOfAStoredWorkflowIsOfferedToo(t *testing.T) {
	onDesk(t, func(t *testing.T, b *bench) {
		b.shelf.stored["w"] = definition("There")
		b.Open(desk.Stored(b.place, "w"))
		b.settle()
		b.rename("Unsaved")
		b.Clear(true)
		b.Open(desk.Made(definition("Another")))
		b.rename("Changed")
		b.Open(desk.Stored(b.place, "w"))
		b.settle()
		b.answer(desk.DraftLeft, desk.GoOn)
		require.Equal(t, "Unsaved", b.Work().Document.Name())
	})
}

func TestADraftIsTakenUpAgain(t *testing.T) {
	onDesk(t, func(t *testing.T, b *bench) {
		b.Open(desk.Made(definition("Mine")))
		b.rename("Unsaved")
		b.Clear(true) // before the draft was due
		require.Nil(t, b.Work())
		left := b.left()
		require.Len(t, left, 1)
		b.Open(desk.Left(left[0]))
		require.Equal(t, "Unsaved", b.Work().Document.Name())
		require.True(t, b.Work().Document.Edited(), "it is saved nowhere yet")
		b.Open(desk.Left(left[0]))
		require.ErrorIs(t, b.complaint(), documents.ErrTaken)
		require.Equal(t, "Unsaved", b.Work().Document.Name(), "a draft that is taken ends nothing")
		b.Save(nil)
		b.target(desk.Target{Name: "Unsaved", ID: "w", File: filepath.Join(b.dir, "w.json")})
		require.Empty(t, b.left())
		b.Clear(true)
		require.Empty(t, b.left(), "what is saved needs no draft")
	})
}

func TestADraftThatCannotBeKeptIsSaid(t *testing.T) {
	onDesk(t, func(t *testing.T, b *bench) {
		b.Open(desk.Made(definition("Mine")))
		require.NoError(t, os.RemoveAll(filepath.Join(b.dir, "drafts")))
		require.NoError(t, os.WriteFile(filepath.Join(b.dir, "drafts"), nil, 0o600))
		b.rename("Changed")
		b.wait(10 * time.Second)
		at, err := b.Work().Draft()
		require.Error(t, err)
		require.NotZero(t, at)
	})
}

func TestAWorkflowIsCheckedOnceItIsQuiet(t *testing.T) {
	onDesk(t, func(t *testing.T, b *bench) {
		b.shelf.wrong = engine.ValidationErrors{{Code: engine.CodeMissingRequiredInput}}
		b.shelf.doubtful = []engine.Hint{{NodeID: "a", Message: "may not be meant"}}
		require.False(t, b.Check(), "there is nothing to check")
		b.Open(desk.Made(definition("Mine")))
		require.True(t, b.Check())
		require.False(t, b.Check(), "nothing has changed since")
		require.Empty(t, b.problems)
		b.wait(time.Second)
		require.Equal(t, b.shelf.wrong, b.problems)
		require.Len(t, b.Work().Board.Problems().All(), 1)
		require.Empty(t, b.Work().Board.Hints(), "what cannot run has none")
		b.shelf.wrong = nil
		b.rename("Mended")
		require.True(t, b.Check())
		b.wait(time.Second)
		require.Equal(t, b.shelf.doubtful, b.Work().Board.Hints())
		b.shelf.gone = true
		b.rename("Changed")
		require.True(t, b.Check())
		b.wait(time.Second)
		require.ErrorIs(t, b.said[len(b.said)-1].Err, errGone)
	})
}
