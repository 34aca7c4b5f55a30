package palette

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/widget"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/ui/kit"
)

// about describes the selected type below the list, or says how to use the list. Its height
// is fixed, so that no row moves away from under a double click.
type about struct {
	label *kit.Text
	text  *kit.Paragraph
	whole *fyne.Container
}

const aboutHeight, aboutLines = 92, 3

func newAbout() *about {
	a := &about{
		label: kit.NewText("", kit.Style{Bold: true, Cut: true}),
		text:  kit.NewParagraph("", kit.Style{Size: kit.Secondary, Ink: kit.Dim}),
	}
	a.text.Limit(aboutLines)
	inside := kit.Pad(10, 14, kit.Column(2, a.label, a.text))
	a.whole = container.New(tall{}, container.NewBorder(widget.NewSeparator(), nil, nil, nil, inside))
	a.show(nil)
	return a
}

func (a *about) object() fyne.CanvasObject { return a.whole }

// show describes a type; nil is none.
func (a *about) show(spec *node.Spec) {
	label, text := lang.L("Nodes"), lang.L("Drag a node onto the canvas, or double-click it to add it in the middle.")
	if spec != nil {
		label, text = spec.Label, summary(spec)
	}
	a.label.SetText(label)
	a.text.SetText(text)
}

// tall fixes the height of its contents.
type tall struct{}

// Layout implements fyne.Layout.
func (tall) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	for _, o := range objects {
		o.Resize(size)
	}
}

// MinSize implements fyne.Layout.
func (tall) MinSize([]fyne.CanvasObject) fyne.Size { return fyne.NewSize(0, aboutHeight) }
