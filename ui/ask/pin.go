package ask

import (
	"errors"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/widget"

	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/ui/kit"
)

// AskPin asks for the pin of a node: a record of its outputs, which check must accept.
func (d *Dialogs) AskPin(title, proposed string, check func(outputs map[string]any) error, then func(outputs map[string]any)) {
	entry := kit.NewLongEntry()
	entry.TextStyle.Monospace = true
	const rows = 10
	entry.SetMinRowsVisible(rows)
	read := func(text string) (map[string]any, error) {
		v, err := value.Decode([]byte(text))
		if err != nil {
			return nil, err
		}
		outputs, ok := v.(map[string]any)
		if !ok {
			return nil, errors.New(lang.L("Write a record of outputs."))
		}
		return outputs, check(outputs)
	}
	entry.SetText(proposed)
	entry.Validator = func(text string) error {
		_, err := read(text)
		return err
	}
	items := []*widget.FormItem{{Text: lang.L("Outputs"), Widget: entry, HintText: lang.L("As JSON; $error with code and message is a failure")}}
	const width = 520
	d.form(title, lang.L("Pin"), items, width, []fyne.Focusable{entry}, func() {
		if outputs, err := read(entry.Text); err == nil {
			then(outputs)
		}
	})
}
