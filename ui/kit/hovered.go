package kit

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/widget"
)

// hovered is what all has in common that lights up under the pointer, whether it can be
// pressed or not. A widget embeds it in place of Fyne's BaseWidget, calls extend, and
// calls come in its MouseIn.
type hovered struct {
	widget.BaseWidget

	self fyne.Widget
	lit  bool // the pointer is over it
	tip  Tip
}

func (h *hovered) extend(self fyne.Widget) {
	h.self = self
	h.ExtendBaseWidget(self)
}

// come lights it up, and shows a tip of that text after a while; "" is none.
func (h *hovered) come(tip string) {
	h.set(&h.lit, true)
	h.tip.Rest(h.self, tip)
}

// MouseMoved is for Fyne.
func (h *hovered) MouseMoved(*desktop.MouseEvent) {}

// MouseOut is for Fyne.
func (h *hovered) MouseOut() {
	h.set(&h.lit, false)
	h.tip.Leave()
}

// set changes what the widget shows of its state.
func (h *hovered) set(state *bool, on bool) {
	if *state != on {
		*state = on
		h.Refresh()
	}
}
