package inspector

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/lang"
	fynetheme "fyne.io/fyne/v2/theme"

	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/ui/colors"
	"github.com/svcflow/svc/ui/editor/doc"
	"github.com/svcflow/svc/ui/kit"
)

// field is a control with its name above, and its problem or hint below.
type field struct {
	editor  *editor
	control control
	reset   *glyph // nil if there is nothing to reset
	edge    *outline
	message caption
	whole   *fyne.Container

	hint           string
	typed, problem string // the problem of the typed text, and that of the stored value
	doubt          string // a hint about a value that may be unintended
}

// heading is the line above the control of a field.
type heading struct {
	name string
	kind string // its type or unit
	ink  kit.ColorFunc
	hint string
	// reset removes the value; nil means no button.
	reset func()
}

// typeHeading returns the heading of a value of a type.
func typeHeading(name string, t value.Type, hint string) heading {
	return heading{name: name, kind: brief(t), ink: colors.OfType(t), hint: hint}
}

// newField returns a field. make makes its control; put stores the control's value.
func newField(d *editor, h heading, put func(v any, given bool) error, make func(outlet) control) *field {
	f := &field{editor: d, hint: h.hint, message: newCaption()}
	f.control = make(outlet{put: put, wrong: f.setTyped, resized: d.resized})
	f.edge = newOutline()
	f.whole = kit.Column(4, f.head(h), container.NewStack(f.control.object(), f.edge))
	if c, ok := f.control.(interface{ below() fyne.CanvasObject }); ok {
		f.whole.Add(c.below())
	}
	f.whole.Add(f.message.text)
	f.say()
	return f
}

// leastWidth is the width of a field in the narrowest panel.
const leastWidth = 224

// head returns the name of the field with the object beside it, which is on a second line if
// the name would be cut in the narrowest panel.
func (f *field) head(h heading) fyne.CanvasObject {
	const gap = 4
	name := kit.NewText(h.name, kit.Style{Size: kit.Secondary, Bold: true, Cut: true})
	end, below := kit.Row(gap), kit.Row(8)
	room := leastWidth - name.FullWidth() - gap
	if h.reset != nil {
		f.reset = newGlyph(fynetheme.IconNameContentUndo, lang.L("Reset"), h.reset)
		room -= f.reset.MinSize().Width + gap
		f.reset.Hide()
		end.Add(f.reset)
	}
	place := func(o fyne.CanvasObject) {
		width := o.MinSize().Width + gap
		if width > room {
			below.Add(o)
			return
		}
		room -= width
		end.Add(o)
	}
	if c, ok := f.control.(interface{ beside() fyne.CanvasObject }); ok {
		place(c.beside())
	}
	place(kit.NewText(h.kind, kit.Style{Size: kit.Caption, Mono: true, Ink: h.ink}))
	line := container.NewBorder(nil, nil, nil, end, name)
	if len(below.Objects) == 0 {
		return line
	}
	return kit.Column(2, line, below)
}

// set shows a value of the document.
func (f *field) set(v any, given, readOnly bool) {
	f.control.set(v, given)
	f.control.enable(!readOnly)
	_, bare := f.control.(*chooser)
	_, typed := f.control.(*writer)
	switch f.control.(type) {
	case *anything, *script:
		typed = true
	}
	f.edge.set(f.edge.wrong, bare || typed && readOnly)
	if f.reset == nil {
		return
	}
	if given && !readOnly {
		f.reset.Show()
	} else {
		f.reset.Hide()
	}
}

func (f *field) setTyped(text string) {
	f.typed = text
	f.say()
}

func (f *field) setProblem(text string) {
	f.problem = text
	f.say()
}

func (f *field) setDoubt(text string) {
	f.doubt = text
	f.say()
}

// say shows the most important message.
func (f *field) say() {
	text, wrong := f.hint, true
	if f.doubt != "" {
		text = f.doubt
	}
	switch {
	case f.typed != "":
		text = f.typed
	case f.problem != "":
		text = f.problem
	default:
		wrong = false
	}
	ink := kit.Dim
	if wrong {
		ink = kit.Error
	}
	if f.message.set(text, ink) {
		f.edge.set(wrong, f.edge.line)
		f.editor.resized()
	}
}

// feed replaces the control of an input that is wired: it lists the sources, shows them, and
// disconnects them.
type feed struct {
	whole *fyne.Container
	cuts  []*glyph
}

func newFeed(d *editor, wires []workflow.Connection) *feed {
	f := &feed{whole: kit.Column(4)}
	for _, w := range wires {
		source := kit.NewText(lang.L("‹from {{.Source}}›", map[string]any{"Source": d.titleOf(w.FromNodeID) + "." + w.FromPort}), kit.Style{Ink: kit.Dim, Cut: true})
		cut := newGlyph(fynetheme.IconNameContentClear, lang.L("Disconnect"), func() {
			d.do(func(doc *doc.Document) error { return doc.Disconnect(w) })
		})
		f.cuts = append(f.cuts, cut)
		find := newGlyph(fynetheme.IconNameSearch, lang.L("Show the source"), func() { d.show(w.FromNodeID) })
		buttons := kit.Middle(kit.Row(8, find, cut))
		line := container.NewBorder(nil, nil, nil, buttons, source)
		f.whole.Add(kit.Inset(kit.Pad(7, 10, line)))
	}
	return f
}

func (f *feed) object() fyne.CanvasObject { return f.whole }
func (f *feed) set(any, bool)             {}
func (f *feed) target() fyne.Focusable    { return nil }

func (f *feed) enable(on bool) {
	for _, cut := range f.cuts {
		enable(cut, on)
	}
}
