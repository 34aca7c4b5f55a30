package ui

import (
	"context"
	"encoding/base64"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/layout/geom"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/ui/editor/scene"
	"github.com/svcflow/svc/ui/poster"
	"github.com/svcflow/svc/ui/uitest"
)

// shelf is where media is in tests.
type shelf struct{ files map[string]string }

// Execute implements poster.Place.
func (*shelf) Execute(context.Context, *workflow.Definition) (*engine.Result, error) {
	return &engine.Result{Nodes: map[string]engine.NodeResult{
		"facts": {Outputs: map[string]any{"duration_ms": 16_000.0, "width": 640, "height": 480}},
		"look":  {Outputs: map[string]any{"image": value.Media{Kind: "image", MIME: "image/png", Path: "look.png"}}},
	}}, nil
}

// Read implements poster.Place.
func (s *shelf) Read(_ context.Context, path string, w io.Writer) error {
	text, ok := s.files[path]
	if !ok {
		return fs.ErrNotExist
	}
	_, err := io.WriteString(w, text)
	return err
}

// Forget implements poster.Place.
func (*shelf) Forget(string) {}

// Local implements poster.Host.
func (s *shelf) Local() poster.Host { return s }

const showingMedia = `{"id":"media","name":"Media","nodes":[` +
	`{"id":"film","type":"preview.media","config":{"source":{"kind":"video","mime":"video/mp4","path":"clips/../a film.mp4"}},"position":{"x":0,"y":0},"size":{"w":280,"h":260}},` +
	`{"id":"photo","type":"preview.media","config":{"source":{"kind":"image","mime":"image/png","path":"look.png"}},"position":{"x":320,"y":0},"size":{"w":280,"h":260}},` +
	`{"id":"soon","type":"preview.view","config":{"value":{"kind":"video","mime":"","recipe":{"facts":{"duration":16,"width":640,"height":480},` +
	`"steps":[{"op":"trim"},{"op":"crop"}]}}},"position":{"x":640,"y":0},"size":{"w":280,"h":260}}],"connections":[]}`

func TestCardsShowMedia(t *testing.T) {
	inWindow(t, func(t *testing.T, b *bench) {
		picture, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(dot, "data:image/png;base64,"))
		require.NoError(t, err)
		b.media.files["look.png"] = string(picture)
		b.opens(showingMedia)
		b.board().View.ZoomTo(0.8, geom.Point{})
		b.board().FitAll()
		b.run("run.start")
		b.wait(time.Second)
		pictures := slices.DeleteFunc(slices.Clone(b.board().Draw()), func(i scene.Item) bool { return i.Kind != scene.ItemPicture })
		require.Len(t, pictures, 2)
		texts := b.drawn()
		require.Contains(t, texts, "16 s · 640 × 480")
		require.Contains(t, strings.Join(texts, " "), "trim → crop")
		require.NotContains(t, strings.Join(texts, " "), "recipe")

		b.views.openValue("film", "source")
		b.settle()
		require.Contains(t, uitest.Texts(b.win.Content()), "16 s · 640 × 480 · clips/../a film.mp4")
		b.views.openValue("soon", "value")
		b.settle()
		require.NotContains(t, strings.Join(uitest.Texts(b.win.Content()), " "), `"recipe"`)
	})
}

// A card that shows a file opens it by the word at the end of its text.
func TestCardsOpenTheirMedia(t *testing.T) {
	inWindow(t, func(t *testing.T, b *bench) {
		b.media.files["clips/../a film.mp4"] = "film"
		b.opens(showingMedia)
		b.board().View.ZoomTo(0.8, geom.Point{})
		b.board().FitAll()
		b.run("run.start")
		b.wait(time.Second)
		offer := func() geom.Point {
			all := slices.DeleteFunc(slices.Clone(b.board().Draw()), func(i scene.Item) bool { return i.Text != "Open" })
			require.Len(t, all, 1, "neither what is not there nor what is still to be made can be opened")
			return all[0].Box.Center()
		}
		s, a := &situation{bench: b}, b.config.App.(*queueApp)
		before, _ := b.doc().Card("film")
		at := fyne.NewPos(float32(offer().X), float32(offer().Y))
		s.press(at)
		s.drag(at.AddXY(48, 0))
		s.release(at.AddXY(48, 0))
		b.settle()
		moved, _ := b.doc().Card("film")
		require.Greater(t, moved.Rect.Min.X, before.Rect.Min.X, "dragging moves the card")
		require.Empty(t, a.opened)

		b.hover(b.board().View.ToDocument(offer()))
		require.Equal(t, scene.Hit{Kind: scene.HitAction, ID: "film"}, b.board().Hover())
		require.Equal(t, desktop.PointerCursor, b.views.canvas.Cursor())
		at = fyne.NewPos(float32(offer().X), float32(offer().Y))
		s.press(at)
		s.release(at)
		b.settle()
		require.Regexp(t, `^file:///.*/media-\d+\.mp4$`, a.opened)
		require.Equal(t, []string{"film"}, b.board().Selection.Set().Nodes)
		for _, i := range b.board().FullView(4096).Draw() {
			require.NotEqual(t, "Open", i.Text, "nobody can click on a picture")
		}
	})
}

func TestMediaIsOpenedAsACopy(t *testing.T) {
	inWindow(t, func(t *testing.T, b *bench) {
		b.media.files["clips/../a film.mp4"] = "film"
		a := b.config.App.(*queueApp)
		b.views.play(value.Media{Kind: "video", Path: "clips/../a film.mp4"})
		b.settle()
		require.Regexp(t, `^file:///.*/media-\d+\.mp4$`, a.opened)
		copied := strings.TrimPrefix(a.opened, "file://")
		text, err := os.ReadFile(copied)
		require.NoError(t, err)
		require.Equal(t, "film", string(text))
		a.opened = ""
		b.views.play(value.Media{Kind: "video", Path: "run.desktop"})
		b.settle()
		require.Empty(t, a.opened)
		require.Equal(t, "Files of this kind are not opened from here.", b.message())
		b.views.play(value.Media{Kind: "video", Path: "gone.mp4"})
		b.settle()
		require.Equal(t, "The file cannot be read.", b.message())
		b.end()
		require.NoFileExists(t, copied)
	})
}
