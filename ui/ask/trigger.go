package ask

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/widget"

	"github.com/svcflow/svc/ui/kit"
)

// Trigger is a trigger node of a workflow. Last is its output in the run that is shown, as
// JSON; "" if unknown.
type Trigger struct{ ID, Title, Last string }

// AskTrigger asks which of the triggers fires, and with which event: values by output;
// outputs that are left out are as in the sample. There must be a trigger. chosen is selected
// at first.
func (d *Dialogs) AskTrigger(triggers []Trigger, chosen int, then func(id string, payload map[string]any)) {
	event := kit.NewLongEntry()
	event.TextStyle.Monospace = true
	event.SetPlaceHolder(`{"payload": "value"}`)
	const rows = 5
	event.SetMinRowsVisible(rows)
	event.Validator = func(text string) error {
		_, err := changedInputs(text)
		return err
	}
	which := kit.NewSelect(nil, nil)
	for _, t := range triggers {
		which.Options = append(which.Options, t.Title)
	}
	proposed := ""
	which.OnChanged = func(string) {
		if event.Text == proposed { // else the user has edited it
			proposed = triggers[max(which.SelectedIndex(), 0)].Last
			event.SetText(proposed)
		}
	}
	which.SetSelectedIndex(chosen)
	items := []*widget.FormItem{
		widget.NewFormItem(lang.L("Trigger"), which),
		{Text: lang.L("Event"), Widget: event, HintText: lang.L("What it puts out, as JSON; what is not given is as in its sample")},
	}
	const width = 480
	d.form(lang.L("What fires?"), lang.L("Run"), items, width, []fyne.Focusable{which}, func() {
		payload, err := changedInputs(event.Text)
		if i := which.SelectedIndex(); err == nil && i >= 0 {
			then(triggers[i].ID, payload)
		}
	})
}
