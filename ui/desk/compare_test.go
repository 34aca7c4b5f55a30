package desk_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/ui/desk"
	"github.com/svcflow/svc/ui/documents"
)

func TestAWorkIsComparedWithWhatIsKept(t *testing.T) {
	onDesk(t, func(t *testing.T, b *bench) {
		b.Compare()
		require.ErrorIs(t, b.complaint(), desk.ErrNothing)
		b.Open(desk.Made(definition("New")))
		b.Compare()
		require.ErrorIs(t, b.complaint(), desk.ErrNeverSaved)

		path := b.file("Old")
		b.openChanged(desk.File(path))
		b.Compare()
		b.settle()
		as, is := b.Work().Board.Comparing()
		require.True(t, is)
		require.Equal(t, "0", as)
		_, err := documents.WriteFile(path, definition("Theirs"))
		require.NoError(t, err)
		b.Save(nil)
		b.answer(desk.FileChanged, desk.Compare)
		as, _ = b.Work().Board.Comparing()
		require.Equal(t, "-1", as, "what somebody else has made of it")
		require.True(t, b.Work().Document.Edited(), "nothing is saved or lost")

		b.Compare()
		b.Clear(false) // while it is read
		b.settle()
		require.Empty(t, b.complaints)
	})
	onDesk(t, func(t *testing.T, b *bench) {
		b.shelf.stored["w"] = definition("Old")
		b.Open(desk.Stored(b.place, "w"))
		b.settle()
		b.place.URL = "http://elsewhere"
		b.Compare()
		require.ErrorIs(t, b.complaint(), desk.ErrElsewhere)
	})
}
