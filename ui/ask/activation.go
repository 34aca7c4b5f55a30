package ask

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/dialog"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/widget"

	"github.com/svcflow/svc/ui/kit"
)

// Activation is the state of a workflow's activation.
type Activation struct {
	Active    bool
	Revision  int  // the active one
	Elsewhere bool // another process of the server fires the triggers
	Edited    bool // the open workflow differs from the stored one
	Triggers  []ArmedTrigger

	Activate, Deactivate func()
}

// ArmedTrigger describes an active trigger.
type ArmedTrigger struct {
	Title, Next, Last, LastError string
	Address                      string // where others call it; "" if they do not
	UseLast                      func() // runs the workflow with the last event; nil if no event is known
}

// ShowActivation shows an activation and lets the user switch it.
func (d *Dialogs) ShowActivation(a Activation) {
	var shown *dialog.CustomDialog
	after := func(do func()) func() {
		return func() {
			shown.Hide()
			do()
		}
	}
	shut := kit.NewButton(lang.L("Close"), func() { shown.Hide() })
	on := kit.NewButton(lang.L("Activate"), after(a.Activate))
	on.Importance = widget.HighImportance
	buttons := []*kit.Button{shut, on}
	if a.Active {
		again := kit.NewButton(lang.L("Activate what is stored now"), after(a.Activate))
		buttons = []*kit.Button{shut, again, kit.NewButton(lang.L("Deactivate"), after(a.Deactivate))}
	}
	const width, height, beside = 580, 400, 10 // beside is the room for the scroll bar of the list
	shown = d.over(lang.L("Triggers of this workflow"), container.NewVScroll(kit.Pad(0, beside, d.activationRows(a, after))), buttons, fyne.NewSize(width, height), nil)
	d.config.Window.Canvas().Focus(buttons[len(buttons)-1])
}

// activationRows returns the rows that describe an activation.
func (d *Dialogs) activationRows(a Activation, after func(func()) func()) *fyne.Container {
	place := map[string]any{"Place": d.config.Place(), "Revision": a.Revision}
	text := lang.L("It is not active: its triggers fire at {{.Place}} once it is activated.", place)
	if a.Active {
		text = lang.L("It is active at {{.Place}}, at revision {{.Revision}}. Revisions saved later are not active until they are activated.", place)
	}
	rows := kit.Column(10, kit.NewParagraph(text, kit.Style{}))
	if a.Edited {
		rows.Add(kit.NewParagraph(lang.L("What is open is not saved. What is stored is activated."), kit.Style{Ink: kit.Running}))
	}
	if a.Elsewhere {
		rows.Add(kit.NewParagraph(lang.L("Another process of the server lets its triggers fire."), kit.Style{Ink: kit.Dim}))
	}
	for _, t := range a.Triggers {
		rows.Add(d.triggerRow(t, after))
	}
	return rows
}

func (d *Dialogs) triggerRow(t ArmedTrigger, after func(func()) func()) fyne.CanvasObject {
	next := lang.L("when it is called")
	if t.Next != "" {
		next = lang.L("next {{.Time}}", map[string]any{"Time": t.Next})
	}
	row := kit.Column(2, container.NewBorder(nil, nil, nil, kit.NewText(next, kit.Style{Size: kit.Secondary, Ink: kit.Accent}), kit.NewText(t.Title, kit.Style{Bold: true, Cut: true})))
	if t.Last != "" {
		row.Add(kit.NewText(lang.L("fired {{.Ago}}", map[string]any{"Ago": t.Last}), kit.Style{Size: kit.Secondary, Ink: kit.Dim}))
	}
	if t.Address != "" {
		row.Add(kit.NewParagraph(t.Address, kit.Style{Size: kit.Secondary, Mono: true}))
	}
	var buttons []fyne.CanvasObject
	if t.Address != "" {
		buttons = append(buttons, kit.NewButton(lang.L("Copy address"), func() { d.config.Copy(t.Address) }))
	}
	if t.UseLast != nil {
		buttons = append(buttons, kit.NewButton(lang.L("Use last event"), after(t.UseLast)))
	}
	if len(buttons) > 0 {
		row.Add(container.NewHBox(buttons...))
	}
	if t.LastError != "" {
		row.Add(kit.NewParagraph(t.LastError, kit.Style{Size: kit.Secondary, Ink: kit.Error}))
	}
	return row
}
