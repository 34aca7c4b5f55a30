package start

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/lang"

	"github.com/svcflow/svc/ui/editor/doc"
	"github.com/svcflow/svc/ui/kit"
)

const (
	tileWidth  = 216 // at least
	tileHeight = 196
	tileGap    = 12
	mostLines  = 3 // of a description
)

// newTiles returns the templates side by side, in as many columns as fit.
func newTiles(templates []Template, specs *doc.Specs, use func(name string)) *fyne.Container {
	all := container.New(&tileLayout{})
	for _, t := range templates {
		all.Objects = append(all.Objects, newTile(t, specs, use))
	}
	return all
}

// newTile returns a template: its picture above its name and description.
func newTile(t Template, specs *doc.Specs, use func(name string)) fyne.CanvasObject {
	name := t.Definition.Name
	if name == "" {
		name = t.Name
	}
	text := kit.Column(2, kit.NewText(lang.L(name), kit.Style{Bold: true, Cut: true}))
	if d := t.Definition.Description; d != "" {
		about := kit.NewParagraph(lang.L(d), kit.Style{Size: kit.Secondary, Ink: kit.Dim})
		about.Limit(mostLines)
		text.Add(about)
	}
	picture := newPicture(t.Definition, specs)
	content := container.NewBorder(kit.Pad(4, 4, picture), nil, nil, nil, kit.Pad(4, 12, text))
	return newPress(content, card, func() { use(t.Name) })
}

// tileLayout fills its width with tiles of equal size. Its height depends on its width, which
// Fyne's layouts do not know: the caller of its layout sets it.
type tileLayout struct{ width float32 }

func (l *tileLayout) columns(width float32) int {
	return max(int((width+tileGap)/(tileWidth+tileGap)), 1)
}

func (l *tileLayout) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	n := l.columns(size.Width)
	width := (size.Width - float32(n-1)*tileGap) / float32(n)
	for i, o := range objects {
		o.Move(fyne.NewPos(float32(i%n)*(width+tileGap), float32(i/n)*(tileHeight+tileGap)))
		o.Resize(fyne.NewSize(width, tileHeight))
	}
}

func (l *tileLayout) MinSize(objects []fyne.CanvasObject) fyne.Size {
	n := l.columns(l.width)
	rows := (len(objects) + n - 1) / n
	return fyne.NewSize(tileWidth, float32(rows)*(tileHeight+tileGap))
}
