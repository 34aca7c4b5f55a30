package ask

import (
	"errors"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/widget"

	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/ui/kit"
)

// Step is a node that a run can be resumed from.
type Step struct{ Path, Title string }

// AskResumption asks how to resume a run: with which workflow, which inputs, and from which
// of the steps at the latest.
func (d *Dialogs) AskResumption(steps []Step, then func(run.Resumption)) {
	recorded, current := lang.L("As it was run"), lang.L("As it is stored now")
	which := kit.NewSelect([]string{recorded, current}, nil)
	which.SetSelected(recorded)
	from := kit.NewSelect([]string{lang.L("Where it stopped")}, nil)
	for _, s := range steps {
		from.Options = append(from.Options, s.Title)
	}
	from.SetSelectedIndex(0)
	inputs := kit.NewLongEntry()
	inputs.TextStyle.Monospace = true
	inputs.SetPlaceHolder(`{"name": "value"}`)
	inputs.SetMinRowsVisible(3)
	inputs.Validator = func(text string) error {
		_, err := changedInputs(text)
		return err
	}
	items := []*widget.FormItem{
		widget.NewFormItem(lang.L("Workflow"), which),
		{Text: lang.L("Resume from"), Widget: from, HintText: lang.L("This node and all behind it are called again")},
		{Text: lang.L("Inputs"), Widget: inputs, HintText: lang.L("Only those that are to be others than before")},
	}
	const width = 480
	d.form(lang.L("Resume the run"), lang.L("Resume"), items, width, []fyne.Focusable{which}, func() {
		changed, err := changedInputs(inputs.Text)
		if err != nil {
			return // the form validates the inputs
		}
		how := run.Resumption{Current: which.Selected == current, Inputs: changed}
		if i := from.SelectedIndex(); i > 0 {
			how.From = steps[i-1].Path
		}
		then(how)
	})
}

// changedInputs reads inputs as JSON; none are nil.
func changedInputs(text string) (map[string]any, error) {
	if strings.TrimSpace(text) == "" {
		return nil, nil
	}
	v, err := value.Decode([]byte(text))
	if err != nil {
		return nil, err
	}
	record, ok := v.(map[string]any)
	if !ok {
		return nil, errors.New(lang.L(`names and values, such as {"name": "value"}`))
	}
	return record, nil
}
