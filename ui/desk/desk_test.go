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

func TestUnsavedWorkIsAskedForBeforeAnotherIsOpened(t *testing.T) {
	onDesk(t, func(t *testing.T, b *bench) {
		b.Open(desk.Made(definition("First")))
		require.Empty(t, b.asked, "there was nothing to lose")
		b.Open(desk.Made(definition("Second")))
		require.Empty(t, b.asked, "nothing was changed")
		b.rename("Changed")
		b.Open(desk.Made(definition("Third")))
		b.cancel(desk.Unsaved)
		require.Equal(t, "Changed", b.Work().Document.Name())
		b.Open(desk.Made(definition("Third")))
		b.answer(desk.Unsaved, desk.Forsake)
		require.Equal(t, "Third", b.Work().Document.Name())
		require.Equal(t, 3, b.begun)
		require.Equal(t, 2, b.ended)
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
			b.answer(desk.Unsaved, desk.Forsake)
			require.Error(t, b.complaint())
			require.Equal(t, "Changed", b.Work().Document.Name(), "the work is still there")
			require.Zero(t, b.ended)
			b.rename("Changed again")
			b.wait(10 * time.Second)
			_, err := b.Work().Draft()
			require.NoError(t, err)
			b.rename("Changed")
		}
		b.Open(desk.Made(definition("Other")))
		b.cancel(desk.Unsaved) // to lose the work once is not to lose it for good
		b.wait(10 * time.Second)
		b.Clear(true)
		left := b.left()
		require.Len(t, left, 1, "its draft was kept all the time")
		require.Equal(t, "Changed", left[0].Name)
	})
}

func TestWhatIsChangedWhileAnotherIsReadIsAskedForAgain(t *testing.T) {
	onDesk(t, func(t *testing.T, b *bench) {
		b.shelf.stored["w"], b.shelf.takes = definition("Theirs"), time.Minute
		b.Open(desk.Made(definition("Mine")))
		b.rename("Changed")
		b.Open(desk.Stored(b.place, "w"))
		b.answer(desk.Unsaved, desk.Forsake)
		b.rename("Changed further")
		b.wait(2 * time.Minute)
		b.cancel(desk.Unsaved)
		require.Equal(t, "Changed further", b.Work().Document.Name())
	})
}

func TestOfTwoThatAreReadTheLastOneCounts(t *testing.T) {
	onDesk(t, func(t *testing.T, b *bench) {
		b.shelf.stored["w"], b.shelf.takes = definition("Slow"), time.Minute
		b.Open(desk.Stored(b.place, "w"))
		b.Leave(func() {})
		b.Open(desk.Made(definition("Quick")))
		b.wait(time.Hour)
		require.Equal(t, "Quick", b.Work().Document.Name())
	})
}

func TestAPlaceIsReachedAfterTheQuestion(t *testing.T) {
	onDesk(t, func(t *testing.T, b *bench) {
		b.shelf.stored["w"] = definition("There")
		b.Open(desk.Made(definition("Mine")))
		b.rename("Changed")
		reached := 0
		reach := func(then func(desk.Place)) {
			reached++
			then(b.place)
		}
		b.OpenAt(reach, "w")
		require.Zero(t, reached)
		b.answer(desk.Unsaved, desk.Forsake)
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

		b.Open(desk.File(path))
		b.answer(desk.DraftLeft, desk.GoOn)
		require.Equal(t, "Unsaved", b.Work().Document.Name())
		require.True(t, b.Work().Document.Edited())
		b.Save(nil)
		require.Empty(t, b.left())
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
		b.answer(desk.Unsaved, desk.Forsake)
		b.answer(desk.DraftLeft, desk.GoOn)
		require.Equal(t, "Unsaved", b.Work().Document.Name())
	})
}

func TestADraftIsTakenUpAgain(t *testing.T) {
	onDesk(t, func(t *testing.T, b *bench) {
		path := b.file("Mine")
		b.Open(desk.File(path))
		b.rename("Unsaved")
		b.Clear(true) // before the draft was due
		require.Nil(t, b.Work())
		left := b.left()
		require.Len(t, left, 1)
		b.Open(desk.Left(left[0]))
		require.Equal(t, "Unsaved", b.Work().Document.Name())
		require.True(t, b.Work().Document.Edited(), "it is saved nowhere yet")
		b.Open(desk.Left(left[0]))
		b.answer(desk.Unsaved, desk.Forsake)
		require.ErrorIs(t, b.complaint(), documents.ErrTaken)
		require.Equal(t, "Unsaved", b.Work().Document.Name(), "a draft that is taken ends nothing")
		b.Save(nil)
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
