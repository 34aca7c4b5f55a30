package inspector

import (
	"reflect"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/lang"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/ui/kit"
)

// chooser is a control for one of a few values.
type chooser struct {
	menu   *kit.Select
	values []any // by option; absent for the option that removes the value
	out    outlet
}

// absent represents no value, since nil is a value.
type absent struct{}

func newChooser(titles []string, values []any, out outlet) *chooser {
	c := &chooser{menu: kit.NewSelect(titles, nil), values: values, out: out}
	c.menu.PlaceHolder = lang.L("Choose…")
	c.menu.OnChanged = func(string) { c.chosen(c.menu.SelectedIndex()) }
	return c
}

func (c *chooser) object() fyne.CanvasObject { return c.menu }
func (c *chooser) target() fyne.Focusable    { return c.menu }
func (c *chooser) enable(on bool)            { enable(c.menu, on) }

func (c *chooser) chosen(i int) {
	if i < 0 {
		return
	}
	v := c.values[i]
	_, none := v.(absent)
	if none {
		v = nil
	}
	c.out.try(v, !none)
}

func (c *chooser) set(v any, given bool) {
	if !given {
		v = absent{}
	}
	text := ""
	for i := range c.values {
		if reflect.DeepEqual(c.values[i], v) {
			text = c.menu.Options[i]
		}
	}
	if text == "" && given {
		text = plain(v)
	}
	if c.menu.Selected != text {
		c.menu.Selected = text
		c.menu.Refresh()
	}
}

// switcher is a control for a bool that has a default.
type switcher struct {
	check    *kit.Check
	whole    fyne.CanvasObject
	standard bool
	out      outlet
}

func newSwitcher(standard bool, out outlet) *switcher {
	s := &switcher{check: kit.NewCheck(lang.L("Yes"), nil), standard: standard, out: out}
	s.check.OnChanged = s.switched
	s.whole = flush(s.check)
	return s
}

func (s *switcher) object() fyne.CanvasObject { return s.whole }
func (s *switcher) target() fyne.Focusable    { return s.check }
func (s *switcher) enable(on bool)            { enable(s.check, on) }

func (s *switcher) switched(on bool) { s.out.try(on, true) }

func (s *switcher) set(v any, _ bool) {
	on, isBool := v.(bool)
	if !isBool {
		on = s.standard
	}
	if s.check.Checked != on {
		s.check.Checked = on
		s.check.Refresh()
	}
}

func enumControl(p *node.Port, out outlet) control {
	var titles []string
	var values []any
	if !p.Required() {
		titles, values = append(titles, unset(p)), append(values, absent{})
	}
	for _, m := range p.Type.Members() {
		titles, values = append(titles, m), append(values, m)
	}
	return newChooser(titles, values, out)
}

func boolControl(p *node.Port, out outlet) control {
	if standard, ok := p.Default.(bool); ok {
		return newSwitcher(standard, out)
	}
	titles, values := []string{lang.L("Yes"), lang.L("No")}, []any{true, false}
	if !p.Required() {
		titles, values = append([]string{unset(p)}, titles...), append([]any{absent{}}, values...)
	}
	return newChooser(titles, values, out)
}

// unset returns the name of the option that removes the value.
func unset(p *node.Port) string {
	if p.Default == nil {
		return lang.L("Not set")
	}
	return lang.L("Default ({{.Value}})", map[string]any{"Value": plain(p.Default)})
}
