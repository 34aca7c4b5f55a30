package ask

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/dialog"
	"fyne.io/fyne/v2/lang"

	"github.com/svcflow/svc/ui/kit"
)

// Need is something that a workflow needs on its host.
type Need struct {
	Name, State string
	Missing     bool
	Nodes       []NeedPlace // the nodes that need it
	Mend        func()      // provides it; nil if that is not possible here
}

// NeedPlace is a node that needs something.
type NeedPlace struct {
	Title string
	Show  func()
}

// ShowNeeds lists what a workflow needs.
func (d *Dialogs) ShowNeeds(needs []Need) {
	var shown *dialog.CustomDialog
	after := func(do func()) func() {
		return func() {
			shown.Hide()
			do()
		}
	}
	rows := kit.Column(12)
	if len(needs) == 0 {
		rows.Add(kit.NewParagraph(lang.L("The workflow names no accounts and no variables."), kit.Style{Ink: kit.Dim}))
	} else {
		rows.Add(kit.NewParagraph(lang.L("Needed at {{.Place}}:", map[string]any{"Place": d.config.Place()}), kit.Style{}))
	}
	for i := range needs {
		rows.Add(needRow(&needs[i], after))
	}
	shut := kit.NewButton(lang.L("Close"), func() { shown.Hide() })
	const width, height, beside = 520, 400, 10 // beside is the room for the scroll bar of the list
	shown = d.over(lang.L("Variables and accounts"), container.NewVScroll(kit.Pad(0, beside, rows)), []*kit.Button{shut}, fyne.NewSize(width, height), nil)
	d.config.Window.Canvas().Focus(shut)
}

func needRow(n *Need, after func(func()) func()) fyne.CanvasObject {
	ink := kit.OK
	if n.Missing {
		ink = kit.Error
	}
	state := kit.NewText(n.State, kit.Style{Size: kit.Secondary, Ink: ink})
	row := kit.Column(2, container.NewBorder(nil, nil, nil, state, kit.NewText(n.Name, kit.Style{Mono: true, Cut: true})))
	buttons := container.NewHBox()
	for _, at := range n.Nodes {
		buttons.Add(kit.NewButton(at.Title, after(at.Show)))
	}
	if n.Mend != nil {
		buttons.Add(kit.NewButton(lang.L("Connect…"), after(n.Mend)))
	}
	row.Add(container.NewHScroll(buttons))
	return row
}
