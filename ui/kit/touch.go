package kit

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/widget"
)

// Touch is content that can be clicked and looks as it does without. Tab passes it by:
// it is for what can also be done otherwise by keys; all else embeds [Pressable]. Its
// zero value is of no use; see [NewTouch].
type Touch struct {
	widget.BaseWidget

	// Idle reports that a click does nothing just now; nil is never.
	Idle func() bool

	content fyne.CanvasObject
	tapped  func()
}

var (
	_ fyne.Tappable      = (*Touch)(nil)
	_ desktop.Cursorable = (*Touch)(nil)
)

// NewTouch returns content that calls tapped. What in it can be clicked itself stays so.
func NewTouch(content fyne.CanvasObject, tapped func()) *Touch {
	t := &Touch{content: content, tapped: tapped}
	t.ExtendBaseWidget(t)
	return t
}

// Tapped is for Fyne.
func (t *Touch) Tapped(*fyne.PointEvent) {
	if !t.idle() {
		t.tapped()
	}
}

// Cursor is for Fyne.
func (t *Touch) Cursor() desktop.Cursor {
	if t.idle() {
		return desktop.DefaultCursor
	}
	return desktop.PointerCursor
}

func (t *Touch) idle() bool { return t.Idle != nil && t.Idle() }

// CreateRenderer is for Fyne.
func (t *Touch) CreateRenderer() fyne.WidgetRenderer { return widget.NewSimpleRenderer(t.content) }
