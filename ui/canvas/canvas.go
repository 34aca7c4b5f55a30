package canvas

import (
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/widget"

	"github.com/svcflow/svc/engine/layout/geom"
	"github.com/svcflow/svc/ui/editor/board"
)

// Canvas is the widget. The zero value is not usable; see [New].
//
// While it has the focus it takes all keys, including Tab: the window must offer a shortcut
// to leave it.
type Canvas struct {
	widget.BaseWidget

	// OnRequest is called when a gesture or key requests something of the window. It may be
	// nil.
	OnRequest func(board.Request)
	// OnChange is called after each event that may have changed the document, the selection
	// or the view. It may be nil.
	OnChange func()
	// OnView is called instead of OnChange where only the view may have changed, as for each
	// event of a wheel. If it is nil, OnChange is called.
	OnView func()
	// OnShortcut is called with shortcuts that the canvas does not handle. If it is nil, they
	// are ignored.
	OnShortcut func(fyne.Shortcut)
	// OnKey is called with keys without Ctrl or Alt that the canvas does not handle, such as
	// F8, and reports whether it handled them. If it is nil, they are ignored.
	OnKey func(fyne.KeyName, fyne.KeyModifier) bool

	// Pace is the minimum interval between two frames while the pointer moves something or
	// the wheel turns: events in between are drawn in the next frame. Zero is no limit.
	Pace time.Duration
	// OnFocus is called when the canvas gets the keyboard, also when its window does. It may
	// be nil.
	OnFocus func()

	board   *board.Board
	pointer board.Pointer // its last event
	press   press
	space   bool   // held: dragging scrolls
	carried string // the type of node that is dragged here from elsewhere; "" for none
	edge    *fyne.Animation
	ticked  time.Time
	drawn   time.Time // when the last frame of a movement was drawn
	late    func()    // draws the next one; nil if nothing has changed
	show    func()    // makes the renderer draw the board; nil without a renderer
}

var (
	_ desktop.Mouseable  = (*Canvas)(nil)
	_ desktop.Hoverable  = (*Canvas)(nil)
	_ desktop.Keyable    = (*Canvas)(nil)
	_ desktop.Cursorable = (*Canvas)(nil)
	_ fyne.Draggable     = (*Canvas)(nil)
	_ fyne.Scrollable    = (*Canvas)(nil)
	_ fyne.Focusable     = (*Canvas)(nil)
	_ fyne.Tabbable      = (*Canvas)(nil)
	_ fyne.Shortcutable  = (*Canvas)(nil)
)

// New returns a widget that shows a board. The board's view gets the size of the widget.
func New(board *board.Board) *Canvas {
	c := &Canvas{board: board}
	c.edge = &fyne.Animation{Duration: time.Second, RepeatCount: fyne.AnimationRepeatForever, Tick: func(float32) { c.tick(time.Now()) }}
	c.ExtendBaseWidget(c)
	return c
}

// Board returns the board.
func (c *Canvas) Board() *board.Board { return c.board }

// SetBoard shows another board.
func (c *Canvas) SetBoard(board *board.Board) {
	c.edge.Stop()
	c.board, c.press, c.late = board, press{}, nil
	c.resized()
	c.Update()
}

// Update draws the present state of the board. Call it after the board or its document was
// changed by anything but the widget. It is cheap, unlike Refresh, which is for a change of
// the theme.
func (c *Canvas) Update() {
	if c.show != nil {
		c.show()
	}
}

// moved draws at once, or when Pace allows it.
func (c *Canvas) moved(draw func()) {
	wait := c.Pace - time.Since(c.drawn)
	if wait <= 0 {
		c.drawn, c.late = time.Now(), nil
		draw()
		return
	}
	if c.late == nil {
		time.AfterFunc(wait, func() { fyne.Do(c.catchUp) })
	}
	c.late = draw
}

// catchUp draws the changes since the last frame.
func (c *Canvas) catchUp() {
	if draw := c.late; draw != nil {
		c.drawn, c.late = time.Now(), nil
		draw()
	}
}

// changed shows the board and calls OnChange.
func (c *Canvas) changed() {
	c.late = nil
	c.Update()
	if c.OnChange != nil {
		c.OnChange()
	}
}

// looked shows the new view of the board and calls OnView.
func (c *Canvas) looked() {
	if c.OnView == nil {
		c.changed()
		return
	}
	c.Update()
	c.OnView()
}

// done passes on the request of a gesture.
func (c *Canvas) done(r board.Request) {
	c.watchEdge()
	c.changed()
	if r.Kind != board.RequestNone && c.OnRequest != nil {
		c.OnRequest(r)
	}
}

// resized gives the board's view the size of the widget.
func (c *Canvas) resized() {
	size := c.Size()
	c.board.Resize(geom.Point{X: float64(size.Width), Y: float64(size.Height)})
}

// MinSize returns the minimum size of the widget.
func (c *Canvas) MinSize() fyne.Size {
	c.ExtendBaseWidget(c)
	return fyne.NewSize(160, 120)
}

// CreateRenderer implements fyne.Widget.
func (c *Canvas) CreateRenderer() fyne.WidgetRenderer {
	r := newRenderer(c)
	c.show = r.show
	return r
}
