package ui

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/ui/kit"
	"github.com/svcflow/svc/ui/uitest"
)

const searched = `{"id":"searched","nodes":[` +
	`{"id":"ada","type":"text.format","label":"To Ada","config":{"template":"Dear Ada, {x}"}},` +
	`{"id":"loop","type":"control.foreach","body":{"nodes":[{"id":"in","type":"text.length","config":{"text":"for ada"}}],"connections":[],` +
	`"notes":[{"id":"n","text":"Ada again"}]}}],"connections":[]}`

func TestFindLeadsToTheField(t *testing.T) {
	inWindow(t, func(t *testing.T, b *bench) {
		b.opens(searched)
		b.run("edit.find")
		over := b.win.Canvas().Overlays().Top()
		entries := uitest.Seen[*kit.Entry](over)
		require.Len(t, entries, 2)
		require.Same(t, entries[0], b.win.Canvas().Focused())
		entries[0].SetText("ada")
		require.Contains(t, uitest.Texts(over), "5 places")
		require.Contains(t, uitest.Texts(over), "loop/in · text")
		list := uitest.First[*kit.LongList](t, over)
		list.Select(3)
		b.settle()
		require.Nil(t, b.win.Canvas().Overlays().Top())
		require.Equal(t, "loop/in", b.views.selected())
		require.NotSame(t, b.views.canvas, b.win.Canvas().Focused(), "its field has the keyboard")

		b.run("edit.find")
		over = b.win.Canvas().Overlays().Top()
		uitest.First[*kit.Entry](t, over).SetText("again")
		uitest.First[*kit.LongList](t, over).Select(0)
		b.settle()
		require.Equal(t, []string{"n"}, b.board().Selection.Set().Notes)
	})
}

func TestReplaceAllIsUndone(t *testing.T) {
	inWindow(t, func(t *testing.T, b *bench) {
		b.opens(searched)
		before := string(b.doc().Definition().AppendJSON(nil))
		b.run("edit.find")
		entries := uitest.Seen[*kit.Entry](b.win.Canvas().Overlays().Top())
		entries[0].SetText("Ada")
		uitest.First[*kit.Check](t, b.win.Canvas().Overlays().Top()).SetChecked(true)
		entries[1].SetText("Bo")
		b.answer("Replace all")
		require.Contains(t, b.message(), "Replaced in 3 places")
		require.Contains(t, uitest.Texts(b.win.Canvas().Overlays().Top()), "0 places")
		(&situation{bench: b}).escape()
		require.Nil(t, b.win.Canvas().Overlays().Top())
		b.run("edit.undo")
		require.Equal(t, before, string(b.doc().Definition().AppendJSON(nil)))
	})
}
