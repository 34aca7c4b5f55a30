package inspector

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/layout"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/ui/kit"
	"github.com/svcflow/svc/ui/wording"
)

// control edits one value.
type control interface {
	object() fyne.CanvasObject
	// set shows a value of the document. If it is the control's last value, the control keeps
	// the text that the user has typed since.
	set(v any, given bool)
	enable(on bool)
	target() fyne.Focusable // nil without a text field
}

// outlet is where a control stores its value.
type outlet struct {
	// put stores a value; with given false, it removes the value.
	put func(v any, given bool) error
	// wrong shows what is wrong with the input; "" is nothing.
	wrong func(text string)
	// resized reports that the control needs another height.
	resized func()
}

// try stores a value, and shows the error if that fails.
func (o outlet) try(v any, given bool) {
	if err := o.put(v, given); err != nil {
		o.wrong(wording.Of(err.Error()))
	} else {
		o.wrong("")
	}
}

// controlOf returns the control for a port without a wire.
func controlOf(d *editor, p *node.Port, out outlet) control {
	switch {
	case p.Choices && d.cfg.Choices != nil:
		return choicesControl(d, p, out)
	case p.Script != nil && p.Literal:
		return scriptControl(d, p, out)
	case p.Widget == "workflow":
		return workflowControl(d, p, out)
	case p.Widget == "file" && (p.Type.Kind() == value.KindString || isLines(p)):
		return fileControl(d, p, out)
	case p.Type.Kind() == value.KindAny:
		return anyControl(d, p, out)
	case p.Widget == "json":
	case p.Type.Kind() == value.KindEnum:
		return enumControl(p, out)
	case p.Type.Kind() == value.KindBool:
		return boolControl(p, out)
	case p.Type.Kind() == value.KindCredential:
		return credentialControl(d, p, out)
	}
	return writerOf(newEntry(d, rowsOf(p), isMono(p)), p, out)
}

// sealed is shown for a value that is too large to edit here.
type sealed struct{ whole fyne.CanvasObject }

func newSealed() *sealed {
	return &sealed{kit.Inset(kit.Pad(8, 12, kit.NewText(lang.L("Too large to edit here"), kit.Style{Ink: kit.Dim, Cut: true})))}
}

func (s *sealed) object() fyne.CanvasObject { return s.whole }
func (s *sealed) target() fyne.Focusable    { return nil }
func (s *sealed) enable(bool)               {}
func (s *sealed) set(any, bool)             {}

// editable is the maximum size of values in fields, in bytes; Fyne's entries are slow beyond.
const editable = 32 << 10

func tooLarge(v any) bool { return value.Size(v, editable) > editable }

func enable(w fyne.Disableable, on bool) {
	switch {
	case on && w.Disabled():
		w.Enable()
	case !on && !w.Disabled():
		w.Disable()
	}
}

// flush aligns a check with the left edge, at the height of a line of text.
func flush(c *kit.Check) fyne.CanvasObject {
	return container.New(layout.NewCustomPaddedLayout(-4, -4, -6, 0), c)
}

// setCheck sets a check without calling its callback.
func setCheck(c *kit.Check, on, off bool) {
	if c.Checked != on {
		c.Checked = on
		c.Refresh()
	}
	enable(c, !off)
}
