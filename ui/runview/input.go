package runview

import (
	"errors"
	"strconv"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/lang"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/ui/colors"
	"github.com/svcflow/svc/ui/kit"
	"github.com/svcflow/svc/ui/runview/valueview"
)

// input is the field of one input of a workflow.
type input struct {
	port    node.Port
	field   *kit.Field
	control control
}

// control is a text field or a choice. Its text is "" for no value.
type control interface {
	object() fyne.CanvasObject
	text() string
	set(text string)
}

func newInput(p node.Port) *input {
	in := &input{port: p, control: newControl(&p)}
	in.field = kit.NewField(label(&p), p.Type.String(), colors.OfType(p.Type), p.Description, in.control.object())
	return in
}

func newControl(p *node.Port) control {
	switch p.Type.Kind() {
	case value.KindBool:
		return newChoice(p, []string{"true", "false"})
	case value.KindEnum:
		return newChoice(p, p.Type.Members())
	case value.KindString, value.KindInt, value.KindFloat, value.KindCredential:
		return newTyped(p, p.Widget == "multiline")
	}
	return newTyped(p, true)
}

// value returns the typed text as a value of the input's type. given is false if it is empty.
func (in *input) value() (v any, given bool, err error) {
	text := in.control.text()
	if text == "" {
		if in.port.Required() {
			return nil, false, errors.New(lang.L("Type a value: the workflow needs it."))
		}
		return nil, false, nil
	}
	raw, err := parse(in.port.Type, text)
	if err != nil {
		return nil, false, err
	}
	v, err = in.port.Accept(raw)
	return v, err == nil, err
}

// parse parses a text as a value of a type. For the type any, a text that is not JSON is a
// string.
func parse(t value.Type, text string) (any, error) {
	switch t.Kind() {
	case value.KindString, value.KindEnum, value.KindCredential:
		return text, nil
	case value.KindBool:
		return text == "true", nil
	case value.KindInt:
		n, err := strconv.Atoi(strings.TrimSpace(text))
		if err != nil {
			return nil, errors.New(lang.L("Type a whole number, such as 12."))
		}
		return n, nil
	case value.KindFloat:
		n, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
		if err != nil {
			return nil, errors.New(lang.L("Type a number, such as 0.5."))
		}
		return n, nil
	}
	v, err := value.Decode([]byte(text))
	switch {
	case err == nil:
		return v, nil
	case t.Kind() == value.KindAny:
		return text, nil
	case t.Kind() == value.KindMedia:
		return nil, errors.New(lang.L(`Type JSON, such as {"kind": "image", "path": "a.png"}.`))
	case t.Kind() == value.KindList:
		return nil, errors.New(lang.L(`Type a JSON list, such as ["a", "b"].`))
	}
	return nil, errors.New(lang.L(`Type JSON, such as {"name": "Ada"}.`))
}

// placeholder returns the text of an empty field: the value that applies.
func placeholder(p *node.Port) string {
	if p.Default == nil {
		return ""
	}
	return lang.L("Default: {{.Value}}", map[string]any{"Value": valueview.Brief(p.Default)})
}

// typed is a text field.
type typed struct{ entry *kit.Entry }

func newTyped(p *node.Port, lines bool) typed {
	entry := kit.NewEntry()
	if lines {
		const rows = 3
		entry = kit.NewLongEntry()
		entry.SetMinRowsVisible(rows)
		entry.Wrapping = fyne.TextWrapBreak
	}
	switch p.Type.Kind() {
	case value.KindString:
	default:
		entry.TextStyle.Monospace = true
	}
	entry.SetPlaceHolder(placeholder(p))
	return typed{entry}
}

func (t typed) object() fyne.CanvasObject { return t.entry }
func (t typed) text() string              { return t.entry.Text }
func (t typed) set(text string)           { t.entry.SetText(text) }

// choice is a field with options. The first option is no value.
type choice struct {
	field  *kit.Select
	values []string
}

func newChoice(p *node.Port, values []string) choice {
	none := placeholder(p)
	if none == "" {
		none = lang.L("Not given")
	}
	c := choice{values: values, field: kit.NewSelect(append([]string{none}, values...), nil)}
	c.field.SetSelectedIndex(0)
	return c
}

func (c choice) object() fyne.CanvasObject { return c.field }

func (c choice) text() string {
	if i := c.field.SelectedIndex(); i > 0 {
		return c.values[i-1]
	}
	return ""
}

func (c choice) set(text string) {
	for i, v := range c.values {
		if v == text {
			c.field.SetSelectedIndex(i + 1)
		}
	}
}
