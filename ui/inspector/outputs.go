package inspector

import (
	"reflect"
	"slices"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/widget"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/engine/value/view"
	"github.com/svcflow/svc/ui/colors"
	"github.com/svcflow/svc/ui/kit"
)

// outputList lists the outputs of a node.
type outputList struct {
	shown []node.Port
	whole *fyne.Container
}

func newOutputList() *outputList { return &outputList{whole: kit.Column(8)} }

// set shows ports, and reports whether they have changed.
func (l *outputList) set(ports []node.Port) bool {
	if l.shown != nil && reflect.DeepEqual(l.shown, ports) {
		return false
	}
	l.shown = ports
	l.whole.Objects = nil
	for i := range ports {
		l.whole.Add(portLine(&ports[i], nil))
	}
	if len(ports) == 0 {
		l.whole.Add(kit.NewText(lang.L("This node has no outputs."), kit.Style{Size: kit.Caption, Ink: kit.Dim, Cut: true}))
	}
	return true
}

// portLine shows a port's name, type and purpose. A click calls tapped, unless it is nil.
func portLine(p *node.Port, tapped func()) fyne.CanvasObject {
	var name fyne.CanvasObject = kit.NewText(p.Name, kit.Style{Size: kit.Secondary, Cut: true})
	if tapped != nil {
		name = kit.Row(0, newLink(p.Name, tapped))
	}
	kind := kit.NewText(brief(p.Type), kit.Style{Size: kit.Caption, Mono: true, Ink: colors.OfType(p.Type)})
	line := kit.Column(2, container.NewBorder(nil, nil, nil, kind, name))
	if p.Description != "" {
		line.Add(kit.NewParagraph(withoutTicks(p.Description), kit.Style{Size: kit.Caption, Ink: kit.Dim}))
	}
	if full := members(p.Type); full != "" {
		line.Add(kit.NewParagraph(full, kit.Style{Size: kit.Caption, Ink: kit.Dim, Mono: true}))
	}
	return line
}

// members returns the whole text of a type if brief leaves something out.
func members(t value.Type) string {
	full := t.String()
	if full == brief(t) {
		return ""
	}
	return strings.ReplaceAll(full, ",", ", ")
}

// lastOutputs shows the outputs of a node in the run that is shown, as JSON.
type lastOutputs struct {
	text  *markdown
	shown string
	whole *fyne.Container
}

func newLastOutputs() *lastOutputs {
	l := &lastOutputs{text: newMarkdown()}
	title := kit.NewText(lang.L("Last outputs"), kit.Style{Size: kit.Secondary, Bold: true, Ink: kit.Dim})
	l.whole = kit.Column(8, widget.NewSeparator(), title, l.text.whole)
	l.whole.Hide()
	return l
}

// set shows outputs, and reports whether they have changed.
func (l *lastOutputs) set(outputs map[string]any) bool {
	const longest = 4 << 10
	text := ""
	if outputs != nil {
		raw, ok := value.AppendMax(nil, view.Readable(outputs), longest)
		if ok {
			raw, ok = value.IndentJSONMax(nil, raw, longest)
		}
		if text = string(raw); !ok {
			text = lang.L("Too large to show here: see Output below.")
		}
	}
	if l.shown == text {
		return false
	}
	l.shown = text
	l.text.setPlain(text)
	if text == "" {
		l.whole.Hide()
	} else {
		l.whole.Show()
	}
	return true
}

// brief returns a short text for a type: without the fields of records and the members of
// enums.
func brief(t value.Type) string {
	var text string
	switch t.Kind() {
	case value.KindList:
		return withNull("list<"+brief(t.Elem())+">", t)
	case value.KindRecord:
		text = "record"
	case value.KindEnum:
		text = "enum"
	default:
		return t.String()
	}
	return withNull(text, t)
}

func withNull(text string, t value.Type) string {
	if t.Nullable() {
		return text + "?"
	}
	return text
}

// through shows the beginning of the value that a wire carried in the run that is shown, and
// buttons for the whole value.
type through struct {
	editor   *editor
	id, port string
	about    *kit.Text
	text     *markdown
	ways     *fyne.Container // buttons to copy the value and to open it
	whole    *fyne.Container
	lines    []string
	copied   func() string
}

func newThrough(d *editor) *through {
	t := &through{editor: d, about: kit.NewText("", kit.Style{Size: kit.Caption, Ink: kit.Dim, Cut: true}), text: newMarkdown()}
	t.ways = kit.Row(12, newLink(lang.L("Copy value"), func() { d.cfg.Copy(t.copied()) }), newLink(lang.L("Open the value"), func() { d.cfg.OpenValue(t.id, t.port) }))
	title := kit.NewText(lang.L("Went through"), kit.Style{Size: kit.Secondary, Bold: true, Ink: kit.Dim})
	t.whole = kit.Column(8, widget.NewSeparator(), title, t.about, t.text.whole, t.ways)
	t.whole.Hide()
	return t
}

// set shows the output of a port, and reports whether it has changed.
func (t *through) set(id, port string) bool {
	if t.editor.cfg.Through == nil {
		return false
	}
	t.id, t.port = id, port
	lines, text := t.editor.cfg.Through(id, port)
	t.copied = text
	if slices.Equal(lines, t.lines) {
		return false
	}
	t.lines = lines
	t.whole.Hidden = len(lines) == 0
	t.ways.Hidden = text == nil
	if len(lines) > 0 {
		t.about.SetText(lines[0])
		t.text.setPlain(strings.Join(lines[1:], "\n"))
	}
	return true
}
