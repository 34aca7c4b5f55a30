package desk_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/ui/desk"
)

func TestAWorkIsGivenToAnotherDeskAsItIs(t *testing.T) {
	onDesk(t, func(t *testing.T, b *bench) {
		b.Open(desk.Made(definition("A")))
		b.Open(desk.Made(definition("B")))
		b.rename("B, changed")
		b.Pin(map[string]engine.Pin{"x": {}})
		work, to := b.Work(), b.another()
		b.Give(work, to)
		require.Equal(t, []string{"A"}, b.names())
		require.Equal(t, "A", b.Work().Document.Name(), "the next one came to the front")
		require.Equal(t, []string{"B, changed"}, namesOf(to))
		require.Same(t, work, to.Work())
		require.True(t, work.Pinned("x"))
		require.Equal(t, 1, b.given)
		require.Equal(t, []*desk.Desk{to}, b.raised)
		_, ok := work.Board.Undo()
		require.True(t, ok, "its history went with it")
		require.Equal(t, "B", work.Document.Name())
		require.Equal(t, 2, b.begun, "it is no new one")
		require.Zero(t, b.ended)

		b.Give(work, to) // it is not here
		to.Give(work, to)
		require.Equal(t, []string{"B"}, namesOf(to))
		to.Give(work, b.Desk)
		require.Equal(t, []string{"A", "B"}, b.names())
		require.Same(t, work, b.Work())
		require.Nil(t, to.Work())
	})
}

func TestWhatIsOpenIsOpenedOnNoOtherDesk(t *testing.T) {
	onDesk(t, func(t *testing.T, b *bench) {
		file := b.file("Mine")
		b.Open(desk.File(file))
		to := b.another()
		b.Give(b.Work(), to)
		to.Front(nil)
		b.raised = nil
		b.Open(desk.File(file))
		require.Nil(t, b.Work())
		require.Empty(t, b.Works())
		require.Equal(t, "Mine", to.Work().Document.Name())
		require.Equal(t, []*desk.Desk{to}, b.raised, "it is seen where it is")
		require.Len(t, b.Everywhere(), 1)
	})
}

func TestWhatLiesOnAnotherDeskIsSavedAndChecked(t *testing.T) {
	onDesk(t, func(t *testing.T, b *bench) {
		b.shelf.stored["w"], b.shelf.takes = definition("Stored"), time.Second
		b.Open(desk.Stored(b.place, "w"))
		b.wait(2 * time.Second)
		b.rename("Changed")
		b.shelf.wrong = engine.ValidationErrors{{Message: "wrong"}}
		require.True(t, b.Check())
		b.Save(nil)
		to := b.another()
		b.Give(b.Work(), to) // while both go on
		b.wait(3 * time.Second)
		require.Equal(t, "Changed", b.shelf.stored["w"].Name)
		require.False(t, to.Work().Document.Edited())
		require.Len(t, b.problems, 1)
		require.Len(t, to.Work().Board.Problems().All(), 1)
		require.NoError(t, to.Work().Document.SetName("Again"))
		b.Keep() // whoever keeps, keeps all
		b.wait(10 * time.Second)
		at, err := to.Work().Draft()
		require.NoError(t, err)
		require.False(t, at.IsZero())
	})
}

func TestEachDeskIsClosedAloneAndAllAreLeft(t *testing.T) {
	onDesk(t, func(t *testing.T, b *bench) {
		b.Open(desk.Made(definition("A")))
		b.rename("A, changed")
		b.Open(desk.Made(definition("B")))
		b.rename("B, changed")
		to := b.another()
		b.Give(b.Work(), to)
		closed := false
		to.CloseAll(func() { closed = true })
		b.cancel(desk.Unsaved)
		require.False(t, closed)
		require.Len(t, to.Works(), 1)

		b.raised = nil
		left := false
		b.Leave(func() { left = true })
		b.answer(desk.Unsaved, desk.Forsake)
		require.Equal(t, []*desk.Desk{to}, b.raised, "what is asked about is seen")
		require.Equal(t, "B, changed", b.asked[0].Name)
		b.cancel(desk.Unsaved)
		require.False(t, left)

		to.CloseAll(func() { closed = true })
		b.answer(desk.Unsaved, desk.Forsake)
		require.True(t, closed)
		require.Empty(t, to.Works())
		require.Equal(t, []string{"A, changed"}, b.names(), "the other one is left alone")
		b.Leave(func() { left = true })
		b.answer(desk.Unsaved, desk.Forsake)
		require.True(t, left)
		require.Empty(t, b.left())
	})
}

func TestWindowsComeBack(t *testing.T) {
	killed(t, func(t *testing.T, b *bench) {
		for _, name := range []string{"A", "B", "C", "D"} {
			b.Open(desk.File(b.file(name)))
		}
		works := b.Works()
		b.another() // nothing comes to it
		to := b.another()
		b.Give(works[1], to)
		b.Give(works[3], to)
		to.Front(works[1])
		b.Front(works[2])
	}, func(t *testing.T, b *bench) {
		require.True(t, b.Restore())
		b.settle()
		require.Equal(t, []string{"A", "C"}, b.names())
		require.Equal(t, "C", b.Work().Document.Name())
		require.Equal(t, []string{"B", "D"}, namesOf(b.beside))
		require.Equal(t, "B", b.beside.Work().Document.Name())
	})
}
