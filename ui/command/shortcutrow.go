package command

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"github.com/svcflow/svc/ui/kit"
)

const shortcutRowHeight = 32

// shortcutRow shows a command and its keys.
type shortcutRow struct {
	widget.BaseWidget

	title, detail, keys *kit.Text
	button              *kit.IconButton
	reset               func() // of the command that is shown; nil if it has its default
}

func newShortcutRow() *shortcutRow {
	r := &shortcutRow{
		title:  kit.NewText("", kit.Style{}),
		detail: kit.NewText("", kit.Style{}),
		keys:   kit.NewText("", kit.Style{}),
	}
	r.button = kit.NewIconButton(theme.ContentUndoIcon(), lang.L("Back to the default"), func() {
		if r.reset != nil {
			r.reset()
		}
	})
	r.ExtendBaseWidget(r)
	return r
}

func (r *shortcutRow) set(title, detail, keys string, style kit.Style, reset func()) {
	r.title.SetText(title)
	r.detail.SetStyle(kit.Style{Size: kit.Secondary, Ink: kit.Dim, Cut: true})
	r.detail.SetText(detail)
	r.keys.SetStyle(style)
	r.keys.SetText(keys)
	r.reset = reset
	if reset == nil {
		r.button.Hide()
	} else {
		r.button.Show()
	}
	r.Refresh()
}

// CreateRenderer implements fyne.Widget.
func (r *shortcutRow) CreateRenderer() fyne.WidgetRenderer {
	// A hidden button still takes its room, so that the keys are in one column.
	button := container.NewStack(room(r.button.MinSize().Width, 0), container.NewCenter(r.button))
	row := container.NewBorder(nil, nil, r.title, kit.Row(8, r.keys, button), kit.Pad(0, 8, r.detail))
	return widget.NewSimpleRenderer(kit.Pad(0, 12, row))
}

// room returns an invisible object of a size.
func room(width, height float32) fyne.CanvasObject {
	r := canvas.NewRectangle(color.Transparent)
	r.SetMinSize(fyne.NewSize(width, height))
	return r
}
