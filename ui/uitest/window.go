package uitest

import (
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/ui/theme"
)

// Schemes returns the colour schemes to test, by their names in the names of pictures.
func Schemes() map[string]theme.Scheme {
	return map[string]theme.Scheme{"light": theme.Light, "dark": theme.Dark, "contrast": theme.HighContrast}
}

// App starts the app of a test, in a colour scheme. Call it before anything is shown.
func App(t testing.TB, scheme theme.Scheme) fyne.App {
	t.Helper()
	app := test.NewTempApp(t)
	app.Settings().SetTheme(theme.New(scheme))
	return app
}

// Window shows content in a window of that size, in dp, without a margin.
func Window(t testing.TB, content fyne.CanvasObject, width, height float32) fyne.Window {
	t.Helper()
	window := test.NewTempWindow(t, content)
	window.SetPadded(false)
	window.Resize(fyne.NewSize(width, height))
	return window
}

// Press presses keys in the focused widget of a window.
func Press(window fyne.Window, keys ...fyne.KeyName) {
	for _, key := range keys {
		window.Canvas().Focused().TypedKey(&fyne.KeyEvent{Name: key})
	}
}

// Seen returns all visible objects of a type in an object, including itself, each before its
// parts.
func Seen[T any](in fyne.CanvasObject) (all []T) {
	if !in.Visible() {
		return nil
	}
	if o, ok := in.(T); ok {
		all = append(all, o)
	}
	for _, part := range Parts(in) {
		all = append(all, Seen[T](part)...)
	}
	return all
}

// Parts returns the parts of an object, including invisible ones.
func Parts(of fyne.CanvasObject) []fyne.CanvasObject {
	switch o := of.(type) {
	case *fyne.Container:
		return o.Objects
	case fyne.Widget:
		return test.WidgetRenderer(o).Objects()
	}
	return nil
}

// First returns the first visible object of a type in an object. It fails the test without
// one.
func First[T any](t testing.TB, in fyne.CanvasObject) T {
	t.Helper()
	all := Seen[T](in)
	require.NotEmpty(t, all, "there is none")
	return all[0]
}

// Texts returns the non-empty texts of the visible objects in an object.
func Texts(in fyne.CanvasObject) (all []string) {
	for _, o := range Seen[interface{ Text() string }](in) {
		if text := o.Text(); text != "" {
			all = append(all, text)
		}
	}
	return all
}
