package start

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/lang"

	"github.com/svcflow/svc/ui/editor/doc"
	"github.com/svcflow/svc/ui/kit"
)

// mostHints is the number of templates over an empty canvas.
const mostHints = 3

// Hint returns the overlay of an empty canvas: the first three templates and one sentence.
// Presses beside the templates reach the canvas.
func Hint(templates []Template, specs *doc.Specs, use func(name string)) fyne.CanvasObject {
	templates = templates[:min(len(templates), mostHints)]
	sentence := kit.NewText(
		lang.L("Double-click to add a node, or drag one from the left."), kit.Style{Ink: kit.Dim, Align: fyne.TextAlignCenter, Cut: true},
	)
	return container.New(hintLayout{}, sentence, newTiles(templates, specs, use))
}

// hintLayout centres the hint, as wide as it can be.
type hintLayout struct{}

func (hintLayout) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	sentence, tiles := objects[0], objects[1].(*fyne.Container)
	count := len(tiles.Objects)
	widest := float32(count)*(tileWidth+tileGap+16) - tileGap
	width := min(size.Width-2*pageMargin, widest)
	row := tiles.Layout.(*tileLayout)
	row.width = width
	high := tiles.MinSize().Height
	if row.columns(width) < count || count == 0 { // not enough room: the sentence only
		tiles.Hide()
		high = 0
	} else {
		tiles.Show()
	}
	const gap = 20
	line := sentence.MinSize().Height
	y := max((size.Height-line-gap-high)/2, 8)
	sentence.Move(fyne.NewPos(0, y))
	sentence.Resize(fyne.NewSize(size.Width, line))
	tiles.Move(fyne.NewPos((size.Width-width)/2, y+line+gap))
	tiles.Resize(fyne.NewSize(width, high))
}

func (hintLayout) MinSize([]fyne.CanvasObject) fyne.Size { return fyne.Size{} }
