package kit

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/widget"

	"github.com/svcflow/svc/ui/theme"
)

// stripGround is what a [Strip] shows where it has no tab.
type stripGround struct {
	widget.BaseWidget

	strip *Strip
	fill  *canvas.Rectangle
}

var _ desktop.Hoverable = (*stripGround)(nil)

func newStripGround(s *Strip) *stripGround {
	g := &stripGround{strip: s, fill: canvas.NewRectangle(theme.Current().Panel)}
	g.ExtendBaseWidget(g)
	return g
}

// MouseIn tells that the pointer is behind the last tab.
func (g *stripGround) MouseIn(*desktop.MouseEvent) { tellPlace(g.strip.OnOver, len(g.strip.heads)) }

// MouseMoved tells that it is there still.
func (g *stripGround) MouseMoved(e *desktop.MouseEvent) { g.MouseIn(e) }

// MouseOut is for Fyne.
func (*stripGround) MouseOut() {}

// CreateRenderer is for Fyne.
func (g *stripGround) CreateRenderer() fyne.WidgetRenderer { return widget.NewSimpleRenderer(g.fill) }
