package ui

import (
	"slices"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/layout/geom"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/ui/editor/scene"
)

// dot is a picture of one pixel.
const dot = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

// showing has a card for each way to show a value.
const showing = `{"id":"showing","name":"Showing","nodes":[` +
	`{"id":"text","type":"preview.view","config":{"value":"one line\nand another"},"position":{"x":0,"y":0},"size":{"w":240,"h":200}},` +
	`{"id":"prose","type":"preview.view","config":{"value":"# Title\n- a **point**","as":"markdown"},"position":{"x":300,"y":0},"size":{"w":240,"h":200}},` +
	`{"id":"json","type":"preview.view","config":{"value":{"n":[1,2.5]}},"position":{"x":600,"y":0},"size":{"w":240,"h":240}},` +
	`{"id":"table","type":"preview.table","config":{"rows":[{"name":"Ada","born":1815},{"name":"Alan","born":1912}]},"position":{"x":0,"y":260},"size":{"w":280,"h":220}},` +
	`{"id":"picture","type":"preview.image","config":{"source":"` + dot + `"},"position":{"x":300,"y":260},"size":{"w":240,"h":200}},` +
	`{"id":"web","type":"preview.image","config":{"source":"https://example.com/a.png"},"position":{"x":600,"y":300},"size":{"w":240,"h":200}},` +
	`{"id":"small","type":"preview.view","config":{"value":42},"position":{"x":0,"y":520}}],"connections":[]}`

func TestCardsShowValues(t *testing.T) {
	inWindow(t, func(t *testing.T, b *bench) {
		b.opens(showing)
		b.board().View.ZoomTo(0.8, geom.Point{})
		b.board().FitAll()
		require.Contains(t, b.drawn(), "Run the workflow to see the")
		require.NotContains(t, b.drawn(), "42 ", "a card without room has nothing to say")

		b.run("run.start")
		b.wait(time.Second)
		texts := b.drawn()
		for _, want := range []string{"one line", "and another", "Title", "• a point", "{", "    2.5", "born", "name", "Ada", "1912"} {
			require.Contains(t, texts, want)
		}
		require.Contains(t, texts, "Pictures from the web are not")
		pictures := slices.DeleteFunc(slices.Clone(b.board().Draw()), func(i scene.Item) bool { return i.Kind != scene.ItemPicture })
		require.Len(t, pictures, 1)
		require.Equal(t, 1, pictures[0].Picture.Bounds().Dx())
		card, ok := b.doc().Card("small")
		require.True(t, ok)
		require.True(t, slices.ContainsFunc(b.board().Draw(), func(i scene.Item) bool {
			return i.Kind == scene.ItemText && i.Text == "42" && i.Box.Min.Y > b.board().View.ToScreen(card.Rect.Max).Y
		}), "a card of default size shows it below")

		require.NoError(t, b.doc().SetConfig("text", "value", "other"))
		b.views.Refresh()
		require.Contains(t, b.drawn(), "one line", "it is the value of the run")
		b.runs.Forget()
		b.views.Refresh()
		require.NotContains(t, b.drawn(), "one line")
	})
}

func TestCardsThatShowValuesAreResized(t *testing.T) {
	inWindow(t, func(t *testing.T, b *bench) {
		b.opens(showing)
		b.board().View.ZoomTo(1, geom.Point{})
		card, _ := b.doc().Card("text")
		corner := b.board().View.ToScreen(card.Rect.Max.Sub(geom.Point{X: 4, Y: 4}))
		at := fyne.NewPos(float32(corner.X), float32(corner.Y))
		s := &situation{bench: b}
		s.press(at)
		s.drag(at.AddXY(40, 24))
		s.release(at.AddXY(40, 24))
		n, _ := b.doc().Node("text")
		require.Equal(t, &workflow.Size{W: card.Rect.W() + 40, H: 224}, n.Size)
		require.Equal(t, "Resize card", b.doc().CanUndo())
		resized, _ := b.doc().Card("text")
		require.Equal(t, card.Rect.Max.Add(geom.Point{X: 40, Y: 24}), resized.Rect.Max)
		b.run("edit.undo")
		n, _ = b.doc().Node("text")
		require.Equal(t, &workflow.Size{W: 240, H: 200}, n.Size)

		b.editing.AddAt("preview.view", geom.Point{X: 900, Y: 900})
		made := b.doc().Nodes()[len(b.doc().Nodes())-1]
		require.NotNil(t, made.Size, "what is made to show something has room for it")
		b.editing.AddAt("text.length", geom.Point{X: 900, Y: 900})
		require.Nil(t, b.doc().Nodes()[len(b.doc().Nodes())-1].Size)
	})
}
