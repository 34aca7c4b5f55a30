package kit

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"
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
