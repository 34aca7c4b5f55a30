package start_test

import (
	"errors"
	"image"
	"image/color"
	"testing"
	"testing/synctest"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/test"
	fynetheme "fyne.io/fyne/v2/theme"
	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/ui/documents"
	"github.com/svcflow/svc/ui/kit"
	"github.com/svcflow/svc/ui/start"
	"github.com/svcflow/svc/ui/theme"
	"github.com/svcflow/svc/ui/uitest"
)

func TestPageBegins(t *testing.T) {
	h := newHand(t)
	h.press("New workflow")
	h.press("Open file…")
	h.press("Open from this computer…")
	h.press("Template two")
	require.Equal(t, []any{begun, opened, browsed, "two"}, h.asked)
	require.Contains(t, uitest.Texts(h.Object()), "What you open is listed here.")
	h.Update(start.State{Place: "svc.example.com"})
	h.press("Open from svc.example.com…")
}

func TestThePageListsRecentWorkflows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHand(t)
		file, there, gone := documents.Origin{File: "/a/b.json"}, documents.Origin{ID: "w", Server: "https://svc.example.com/"}, documents.Origin{File: "/gone.json"}
		entry := func(o documents.Origin, name string, ago time.Duration) documents.Entry {
			return documents.Entry{Origin: o, Name: name, Opened: time.Now().Add(-ago)}
		}
		h.Update(start.State{Recent: []start.Recent{
			{Entry: entry(file, "File", 5*time.Minute)},
			{Entry: entry(there, "Stored", 25*time.Hour)},
			{Entry: entry(gone, "Gone", time.Hour), Missing: true},
			{Entry: entry(documents.Origin{ID: "here"}, "Here", 0)},
		}})
		all := uitest.Texts(h.Object())
		require.Subset(t, all, []string{
			"5 min ago · /a/b.json", "yesterday · svc.example.com", "Not found · /gone.json", "just now · on this computer",
		})
		require.NotContains(t, all, "What you open is listed here.")
		h.press("Stored")
		h.press("Gone")
		forget := 0
		for _, b := range uitest.Seen[*kit.Button](h.Object()) {
			if b.Icon == fynetheme.CancelIcon() {
				forget++
				test.Tap(b)
			}
		}
		require.Equal(t, 1, forget)
		require.Equal(t, []any{there, gone, "forget /gone.json"}, h.asked)
	})
}

func TestPageOffersUnsavedWork(t *testing.T) {
	h := newHand(t)
	saved := time.Now().Add(-3 * time.Hour)
	h.Update(start.State{Drafts: []documents.OrphanDraft{{Name: "Mine", SavedAt: saved}}})
	require.Subset(t, uitest.Texts(h.Object()), []string{"Found unsaved work: Mine", "3 h ago"})
	h.press("Restore")
	h.press("Discard")
	require.Equal(t, []any{"restore Mine", "discard Mine"}, h.asked)

	h.Update(start.State{Drafts: []documents.OrphanDraft{{Damage: errors.New("half of it")}}})
	require.Nil(t, holding(h.Object(), "Restore"), "it cannot be read")
	h.press("Discard")
	h.Update(start.State{})
	require.Nil(t, holding(h.Object(), "Discard"))
}

func TestPageFitsItsWindow(t *testing.T) {
	h := newHand(t)
	for _, size := range []fyne.Size{{Width: 1280, Height: 800}, {Width: 900, Height: 600}, {Width: 560, Height: 320}, {Width: 2500, Height: 1400}} {
		h.window.Resize(size)
		images := pictures(h.Object())
		require.Len(t, images, 4)
		driver := fyne.CurrentApp().Driver()
		for _, image := range images {
			at := driver.AbsolutePositionForObject(image)
			require.Positive(t, at.X)
			require.LessOrEqual(t, at.X+image.Size().Width, size.Width)
			require.GreaterOrEqual(t, image.Size().Width, float32(200))
		}
		right, left := driver.AbsolutePositionForObject(images[0]), driver.AbsolutePositionForObject(holding(h.Object(), "New workflow").(fyne.CanvasObject))
		require.Greater(t, right.X, left.X+200)
	}
}

func TestTileByKeyAndTheme(t *testing.T) {
	h := newHand(t)
	tile := holding(h.Object(), "Template one")
	tile.(fyne.Focusable).TypedKey(&fyne.KeyEvent{Name: fyne.KeyReturn})
	tile.(fyne.Focusable).TypedKey(&fyne.KeyEvent{Name: fyne.KeySpace})
	tile.(fyne.Focusable).TypedKey(&fyne.KeyEvent{Name: fyne.KeyLeft})
	require.Equal(t, []any{"one", "one"}, h.asked)
	plain := h.window.Canvas().Capture()
	tile.(desktop.Hoverable).MouseIn(&desktop.MouseEvent{})
	require.NotEqual(t, plain, h.window.Canvas().Capture(), "it lights up")
	tile.(desktop.Hoverable).MouseOut()
	require.Equal(t, plain, h.window.Canvas().Capture())
	h.window.Canvas().Focus(tile.(fyne.Focusable))
	require.NotEqual(t, plain, h.window.Canvas().Capture(), "Tab was here")
}

func TestPictureFollowsTheTheme(t *testing.T) {
	h := newHand(t)
	draw := func() image.Image { return pictures(h.Object())[0].Generator(200, 100) }
	colorsIn := func(picture image.Image) (cards, wires int) {
		p := theme.Current()
		for y := range 100 {
			for x := range 200 {
				switch color.NRGBAModel.Convert(picture.At(x, y)) {
				case p.Card:
					cards++
				case p.Any:
					wires++
				}
			}
		}
		return cards, wires
	}
	for _, scheme := range []theme.Scheme{theme.Light, theme.Dark} {
		fyne.CurrentApp().Settings().SetTheme(theme.New(scheme))
		cards, wires := colorsIn(draw())
		require.Greater(t, cards, 300)
		require.Positive(t, wires)
	}
}

func TestHint(t *testing.T) {
	uitest.App(t, theme.Dark)
	var used []string
	all := []start.Template{template("one"), template("two"), template("three"), template("four")}
	hint := start.Hint(all, nil, func(name string) { used = append(used, name) })
	window := test.NewTempWindow(t, hint)
	window.Resize(fyne.NewSize(900, 600))
	require.Contains(t, uitest.Texts(hint), "Double-click to add a node, or drag one from the left.")
	require.Len(t, pictures(hint), 3)
	holding(hint, "Template three").Tapped(nil)
	require.Equal(t, []string{"three"}, used)
	window.Resize(fyne.NewSize(400, 300))
	require.Empty(t, pictures(hint), "there is no room")
	require.Contains(t, uitest.Texts(hint), "Double-click to add a node, or drag one from the left.")
}
