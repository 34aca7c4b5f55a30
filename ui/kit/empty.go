package kit

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/widget"
)

// Empty fills a panel that has nothing to show: a title, a sentence that says what
// would be there or what to do, and what to do it with, which may be nil.
func Empty(title, sentence string, action fyne.CanvasObject) fyne.CanvasObject {
	column := Column(4,
		NewText(title, Style{Bold: true, Align: fyne.TextAlignCenter, Cut: true}),
		NewParagraph(sentence, Style{Size: Secondary, Ink: Dim, Align: fyne.TextAlignCenter}),
	)
	if action != nil {
		column.Add(Pad(8, 0, container.NewCenter(action)))
	}
	return container.NewBorder(nil, nil, nil, nil, Column(0, Pad(32, 24, column), layout.NewSpacer()))
}

// Busy says that something is under way whose end nobody knows. It takes no room
// while it is off. Its zero value is of no use; see [NewBusy].
type Busy struct {
	activity *widget.Activity
	text     *Text
	row      *fyne.Container
}

// NewBusy returns a Busy that is off.
func NewBusy() *Busy {
	b := &Busy{activity: widget.NewActivity(), text: NewText("", Style{Size: Secondary, Ink: Dim})}
	b.row = Row(8, b.activity, b.text)
	b.row.Hide()
	return b
}

// Object returns what to put into the window.
func (b *Busy) Object() fyne.CanvasObject { return b.row }

// Start says what is under way.
func (b *Busy) Start(what string) {
	b.text.SetText(what)
	b.activity.Start()
	b.row.Show()
}

// Stop says that it is over.
func (b *Busy) Stop() {
	b.activity.Stop()
	b.row.Hide()
}
