package accounts

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"github.com/svcflow/svc/ui/kit"
)

// storage is the line that says where accounts are stored, with a warning if that is not the
// keyring.
type storage struct {
	object  fyne.CanvasObject
	warning fyne.CanvasObject
	text    *kit.Paragraph
	again   *kit.Button
}

func newStorage(retry func()) *storage {
	s := &storage{text: kit.NewParagraph("", kit.Style{}), again: kit.NewButton(lang.L("Try again"), retry)}
	mark := widget.NewIcon(theme.NewWarningThemedResource(theme.WarningIcon()))
	s.warning = container.New(layout.NewCustomPaddedLayout(0, 0, 0, 8), container.NewCenter(mark))
	s.object = kit.Pad(8, 0, container.NewBorder(nil, nil, s.warning, container.NewCenter(s.again), kit.Column(0, s.text)))
	return s
}

func (s *storage) set(text string, fine bool) {
	style := kit.Style{Size: kit.Secondary}
	if fine {
		style.Ink = kit.Dim
		s.warning.Hide()
		s.again.Hide()
	} else {
		s.warning.Show()
		s.again.Show()
	}
	s.text.SetStyle(style)
	s.text.SetText(text)
	s.object.Refresh()
}

// wait shows that the keyring is being opened.
func (s *storage) wait() {
	s.again.SetText(lang.L("Trying…"))
	s.again.Disable()
}

func (s *storage) ready() {
	s.again.SetText(lang.L("Try again"))
	s.again.Enable()
}
