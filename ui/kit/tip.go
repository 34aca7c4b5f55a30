package kit

import (
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"
)

// tipDelay is how long the pointer must rest before a tip appears.
const tipDelay = 500 * time.Millisecond

// Tip is the tooltip of the widget under the pointer. The widget owns it and calls Rest when
// the pointer enters, and Hide when it leaves or presses. The zero value is ready to use.
//
// Tips need [WithTips] around the content of the window; without it, none are shown.
type Tip struct {
	turn  int // counts calls of Rest and Hide, to recognise an outdated timer
	timer *time.Timer
	layer *tipLayer
}

// Rest shows a text below an object, or above it at the lower edge of the window, after the
// pointer has rested for half a second. An empty text shows nothing.
func (t *Tip) Rest(of fyne.CanvasObject, text string) {
	t.Hide()
	on := fyne.CurrentApp().Driver().CanvasForObject(of)
	if on == nil || text == "" {
		return
	}
	layer, ok := on.Content().(*tipLayer)
	if !ok {
		return
	}
	turn := t.turn
	t.timer = time.AfterFunc(tipDelay, func() {
		fyne.Do(func() {
			if t.turn == turn {
				t.layer = layer
				layer.show(t, of, text)
			}
		})
	})
}

// Hide takes the tip away.
func (t *Tip) Hide() {
	t.turn++
	if t.timer != nil {
		t.timer.Stop()
		t.timer = nil
	}
	if t.layer != nil {
		t.layer.hide(t)
		t.layer = nil
	}
}

// WithTips returns the content of a window with a layer for tips. It must be the outermost
// object of the window. The layer takes no clicks and no focus.
func WithTips(content fyne.CanvasObject) fyne.CanvasObject {
	l := &tipLayer{content: content, words: NewParagraph("", Style{Size: Secondary})}
	ground := newFill(cardInk)
	ground.line, ground.radius = true, 6
	l.bubble = container.NewStack(ground, Pad(tipPadY, tipPadX, l.words))
	l.bubble.Hide()
	l.ExtendBaseWidget(l)
	return l
}

// tipLayer is the content of a window with the tip above it.
type tipLayer struct {
	widget.BaseWidget

	content fyne.CanvasObject
	bubble  *fyne.Container
	words   *Paragraph
	owner   *Tip
}

const tipWidth, tipPadX, tipPadY, tipGap = 280, 8, 4, 4

func (l *tipLayer) show(owner *Tip, of fyne.CanvasObject, text string) {
	l.owner = owner
	l.words.SetText(text)
	width := min(l.words.style.width(text)+1, tipWidth)
	size := fyne.NewSize(width+2*tipPadX, l.words.HeightAt(width)+2*tipPadY)
	driver := fyne.CurrentApp().Driver()
	at := driver.AbsolutePositionForObject(of).Subtract(driver.AbsolutePositionForObject(l))
	room := l.Size()
	y := at.Y + of.Size().Height + tipGap
	if y+size.Height > room.Height {
		y = at.Y - size.Height - tipGap
	}
	l.bubble.Move(fyne.NewPos(max(min(at.X, room.Width-size.Width-tipGap), tipGap), max(y, 0)))
	l.bubble.Resize(size)
	l.bubble.Show()
}

func (l *tipLayer) hide(owner *Tip) {
	if l.owner == owner {
		l.owner = nil
		l.bubble.Hide()
	}
}

// CreateRenderer implements fyne.Widget.
func (l *tipLayer) CreateRenderer() fyne.WidgetRenderer { return &tipRenderer{l} }

type tipRenderer struct{ l *tipLayer }

func (r *tipRenderer) Layout(size fyne.Size) { r.l.content.Resize(size) }
func (r *tipRenderer) MinSize() fyne.Size    { return r.l.content.MinSize() }
func (r *tipRenderer) Destroy()              {}
func (r *tipRenderer) Refresh() {
	r.l.content.Refresh()
	r.l.bubble.Refresh()
}

func (r *tipRenderer) Objects() []fyne.CanvasObject {
	return []fyne.CanvasObject{r.l.content, r.l.bubble}
}
