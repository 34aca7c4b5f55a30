package uitest

import (
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/ui/theme"
)

// Schemes returns those that everything has to look right in, by the name that they
// have in the names of pictures.
func Schemes() map[string]theme.Scheme {
	return map[string]theme.Scheme{"light": theme.Light, "dark": theme.Dark, "contrast": theme.HighContrast}
}

// App starts the app of a test, in the colours of a scheme. It comes before all that is
// to be shown.
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

// Press presses keys in what has the focus of a window.
func Press(window fyne.Window, keys ...fyne.KeyName) {
	for _, key := range keys {
		window.Canvas().Focused().TypedKey(&fyne.KeyEvent{Name: key})
	}
}

// Seen returns all objects of a type that can be seen in an object, itself included,
// each before its parts.
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

// Parts returns the objects that an object is made of, those that cannot be seen included.
func Parts(of fyne.CanvasObject) []fyne.CanvasObject {
	switch o := of.(type) {
	case *fyne.Container:
		return o.Objects
	case fyne.Widget:
		return test.WidgetRenderer(o).Objects()
	}
	return nil
}

// First returns the first object of a type that can be seen in an object. There has to
// be one.
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
