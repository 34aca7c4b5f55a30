package inspector

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/lang"
	fynetheme "fyne.io/fyne/v2/theme"

	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/ui/editor/doc"
	"github.com/svcflow/svc/ui/kit"
)

// feed stands where the control of an input would be that gets its value from wires:
// it tells their sources, leads to them, and cuts them off.
type feed struct {
	whole *fyne.Container
	cuts  []*glyph
}

func newFeed(d *desk, wires []workflow.Connection) *feed {
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
