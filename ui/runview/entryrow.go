package runview

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/widget"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/value/view"
	"github.com/svcflow/svc/ui/kit"
	"github.com/svcflow/svc/ui/runview/valueview"
)

// carry reports where a part of a value is dragged, if it is an output of a node.
func (o *Output) carry(e *entry, steps []any, at fyne.Position, dropped bool) {
	tell := o.config.Dragged
	if dropped {
		tell = o.config.Dropped
	}
	what := Taken{Path: o.subject.Path, Port: e.key.port, Steps: steps}
	if e.key.part == inputPart {
		what.Path, what.Port = e.given.source.Node(), e.given.sourcePort
	}
	if tell != nil && what.Path != "" && e.heading == "" && e.failure == nil && e.given.known {
		tell(what, at)
	}
}

// entryRow is a line of the list.
type entryRow struct {
	widget.BaseWidget

	of          *Output
	entry       entry
	drag        fyne.Position // the last position of the drag
	name, brief *kit.Text
}

var _ fyne.Draggable = (*entryRow)(nil)

func newEntryRow(of *Output) *entryRow {
	r := &entryRow{
		of:    of,
		name:  kit.NewText("", kit.Style{Size: kit.Secondary}),
		brief: kit.NewText("", kit.Style{Size: kit.Caption, Ink: kit.Dim, Cut: true, Align: fyne.TextAlignTrailing}),
	}
	r.ExtendBaseWidget(r)
	return r
}

// Dragged implements fyne.Draggable.
func (r *entryRow) Dragged(e *fyne.DragEvent) {
	r.drag = e.AbsolutePosition
	r.of.carry(&r.entry, nil, r.drag, false)
}

// DragEnd implements fyne.Draggable.
func (r *entryRow) DragEnd() { r.of.carry(&r.entry, nil, r.drag, true) }

func (r *entryRow) set(e *entry) {
	r.entry = *e
	name, style, brief := e.given.port, kit.Style{Size: valueview.MonoSize, Mono: true}, ""
	switch {
	case e.heading != "":
		name, style = e.heading, kit.Style{Size: kit.Caption, Ink: kit.Dim, Bold: true}
	case e.failure != nil:
		name, style, brief = lang.L("Error"), kit.Style{Size: kit.Secondary, Ink: kit.Error, Bold: true}, e.failure.Code
	case !e.given.known:
		style.Ink, brief = kit.Dim, "–"
	default:
		brief = valueview.Brief(e.given.value)
		if bytes, elided := engine.Elided(e.given.value); elided {
			brief = view.Bytes(bytes)
		}
	}
	r.name.SetStyle(style)
	r.name.SetText(name)
	r.brief.SetText(brief)
	r.Refresh()
}

// CreateRenderer implements fyne.Widget.
func (r *entryRow) CreateRenderer() fyne.WidgetRenderer {
	return widget.NewSimpleRenderer(kit.Pad(1, 8, container.NewBorder(nil, nil, r.name, nil, kit.Pad(0, 8, r.brief))))
}
