package runview

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/widget"

	"github.com/svcflow/svc/ui/kit"
)

// messageRow is a message of a node.
type messageRow struct {
	widget.BaseWidget

	time, node, text *kit.Text
}

func newMessageRow() *messageRow {
	m := &messageRow{
		time: kit.NewText("", kit.Style{Size: kit.Caption, Ink: kit.Dim}),
		node: kit.NewText("", kit.Style{Size: kit.Caption, Bold: true}),
		text: kit.NewText("", kit.Style{Size: kit.Caption, Cut: true}),
	}
	m.ExtendBaseWidget(m)
	return m
}

func (m *messageRow) set(time, node, text string) {
	m.time.SetText(time)
	m.node.SetText(node)
	m.text.SetText(text)
	m.Refresh()
}

// CreateRenderer implements fyne.Widget.
func (m *messageRow) CreateRenderer() fyne.WidgetRenderer {
	row := container.NewBorder(nil, nil, m.node, m.time, kit.Pad(0, 8, m.text))
	return widget.NewSimpleRenderer(container.New(layout.NewCustomPaddedLayout(0, 0, 0, barRoom), row))
}

// runTabLayout puts the state of the run at the top, the messages of nodes at the bottom, and
// the fields for the inputs between.
type runTabLayout struct{}

// barRoom is the room for the scroll bar of the fields, in dp.
const barRoom = 10

// Layout implements fyne.Layout.
func (runTabLayout) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	const gap, share = 12, 0.42
	head, inputs, log := objects[0], objects[1], objects[2]
	width := size.Width - barRoom
	head.Resize(fyne.NewSize(width, 0)) // texts must know their width before they wrap
	top := head.MinSize().Height
	head.Resize(fyne.NewSize(width, top))
	bottom := size.Height
	if log.Visible() {
		bottom -= float32(int((size.Height - top) * share))
		log.Move(fyne.NewPos(0, bottom))
		log.Resize(fyne.NewSize(width, size.Height-bottom))
	}
	inputs.Move(fyne.NewPos(0, top+gap))
	inputs.Resize(fyne.NewSize(size.Width, max(bottom-top-2*gap, 0)))
}

// MinSize implements fyne.Layout.
func (runTabLayout) MinSize(objects []fyne.CanvasObject) fyne.Size {
	const least = 160
	return fyne.NewSize(objects[1].MinSize().Width, objects[0].MinSize().Height+least)
}
