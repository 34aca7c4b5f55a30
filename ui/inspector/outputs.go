package inspector

import (
	"reflect"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/widget"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/engine/value/view"
	"github.com/svcflow/svc/ui/ink"
	"github.com/svcflow/svc/ui/kit"
)

// outputList tells what a node gives.
type outputList struct {
	shown []node.Port
	whole *fyne.Container
}

func newOutputList() *outputList { return &outputList{whole: kit.Column(8)} }

// set shows ports, and reports whether they were others.
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

// portLine tells a port's name, type and what it is for. A click calls tapped, if
// that is not nil.
func portLine(p *node.Port, tapped func()) fyne.CanvasObject {
	var name fyne.CanvasObject = kit.NewText(p.Name, kit.Style{Size: kit.Secondary, Cut: true})
	if tapped != nil {
		name = kit.Row(0, newLink(p.Name, tapped))
	}
	kind := kit.NewText(brief(p.Type), kit.Style{Size: kit.Caption, Mono: true, Ink: ink.OfType(p.Type)})
	line := kit.Column(2, container.NewBorder(nil, nil, nil, kind, name))
	if p.Description != "" {
		line.Add(kit.NewParagraph(withoutTicks(p.Description), kit.Style{Size: kit.Caption, Ink: kit.Dim}))
	}
	if full := members(p.Type); full != "" {
		line.Add(kit.NewParagraph(full, kit.Style{Size: kit.Caption, Ink: kit.Dim, Mono: true}))
	}
	return line
}

// members returns a type in full if brief does not say all of it.
func members(t value.Type) string {
	full := t.String()
	if full == brief(t) {
		return ""
	}
	return strings.ReplaceAll(full, ",", ", ")
}

// lastOutputs shows what a node gave in the run that is shown, as JSON.
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

// set shows outputs, and reports whether they were others.
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
