package inspector

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"
	fynetheme "fyne.io/fyne/v2/theme"

	"github.com/svcflow/svc/ui/kit"
)

// flush puts a check at the left edge, with the room that a line of text takes, and
// with a box that can be seen.
func flush(c *kit.Check) fyne.CanvasObject {
	return container.New(layout.NewCustomPaddedLayout(-4, -4, -6, 0), container.NewThemeOverride(c, edged{}))
}

// setCheck shows a value without taking it for a click.
func setCheck(c *kit.Check, on, off bool) {
	if c.Checked != on {
		c.Checked = on
		c.Refresh()
	}
	enable(c, !off)
}

// edged is the theme of the app with edges around boxes in the colour of quiet text:
// a box that is not ticked has nothing else to be seen by.
type edged struct{ kit.Sized }

// Color implements fyne.Theme.
func (e edged) Color(name fyne.ThemeColorName, v fyne.ThemeVariant) color.Color {
	if name == fynetheme.ColorNameInputBorder {
		name = fynetheme.ColorNamePlaceHolder
	}
	return e.Sized.Color(name, v)
}
