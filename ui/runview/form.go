package runview

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/lang"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/ui/kit"
	"github.com/svcflow/svc/ui/wording"
)

// form has a field for each input of a workflow.
type form struct {
	ports  []node.Port
	inputs map[string]*input // those of the present ports, and earlier ones
	column *fyne.Container
}

func newForm() *form {
	f := &form{inputs: map[string]*input{}, column: kit.Column(12)}
	f.fill()
	return f
}

func (f *form) object() fyne.CanvasObject { return f.column }

// setPorts makes the fields for other inputs, and reports whether anything has changed.
func (f *form) setPorts(ports []node.Port) bool {
	if slices.EqualFunc(f.ports, ports, samePort) {
		return false
	}
	f.ports = slices.Clone(ports)
	f.fill()
	return true
}

// setInputs restores the fields of another workflow, which has no inputs until setPorts.
func (f *form) setInputs(inputs map[string]*input) {
	if inputs == nil {
		inputs = map[string]*input{}
	}
	f.inputs, f.ports = inputs, nil
	f.fill()
}

func samePort(a, b node.Port) bool {
	return a.Name == b.Name && a.Type.Equal(b.Type) && a.Required() == b.Required() && a.Description == b.Description &&
		a.Widget == b.Widget && fmt.Sprint(a.Default) == fmt.Sprint(b.Default)
}

// fill makes the fields. A changed input keeps its typed text.
func (f *form) fill() {
	f.column.RemoveAll()
	if len(f.ports) == 0 {
		f.column.Add(kit.NewText(lang.L("This workflow takes no inputs."), kit.Style{Ink: kit.Dim, Cut: true}))
		return
	}
	f.column.Add(kit.NewText(lang.L("Inputs of the next run"), kit.Style{Size: kit.Secondary, Ink: kit.Dim, Bold: true}))
	for _, p := range f.ports {
		in, known := f.inputs[p.Name]
		if !known || !samePort(in.port, p) {
			fresh := newInput(p)
			if known {
				fresh.control.set(in.control.text())
			}
			in = fresh
			f.inputs[p.Name] = in
		}
		f.column.Add(in.field.Object())
	}
}

// values returns the typed values. All fields with errors show them; the error names the
// fields.
func (f *form) values() (map[string]any, error) {
	values := map[string]any{}
	var wrong []error
	for i := range f.ports {
		in := f.inputs[f.ports[i].Name]
		v, given, err := in.value()
		if err != nil {
			in.field.SetError(wording.Of(err.Error()))
			wrong = append(wrong, fmt.Errorf("%s: %w", in.port.Name, err))
			continue
		}
		in.field.SetError("")
		if given {
			values[in.port.Name] = v
		}
	}
	if len(wrong) > 0 {
		return nil, errors.Join(wrong...)
	}
	return values, nil
}

// focus focuses the first field with an error, or else the first one.
func (f *form) focus(on fyne.Canvas) {
	if len(f.ports) == 0 {
		return
	}
	to := f.inputs[f.ports[0].Name]
	for i := range f.ports {
		in := f.inputs[f.ports[i].Name]
		if _, _, err := in.value(); err != nil {
			to = in
			break
		}
	}
	if field, ok := to.control.object().(fyne.Focusable); ok {
		on.Focus(field)
	}
}

// label returns the name of an input, with a mark if it is required.
func label(p *node.Port) string {
	if p.Required() {
		return p.Name + " *"
	}
	return strings.TrimSpace(p.Name)
}
