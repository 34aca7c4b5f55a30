package inspector

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"

	"github.com/svcflow/svc/ui/kit"
)

// flush puts a check at the left edge, with the room that a line of text takes.
func flush(c *kit.Check) fyne.CanvasObject {
	return container.New(layout.NewCustomPaddedLayout(-4, -4, -6, 0), c)
}

// setCheck shows a value without taking it for a click.
func setCheck(c *kit.Check, on, off bool) {
	if c.Checked != on {
		c.Checked = on
		c.Refresh()
	}
	enable(c, !off)
}
